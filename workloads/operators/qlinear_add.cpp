// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearAdd: saturate(rint(((a - za) sa + (b - zb) sb) / sy) + zy) in fp32, in that order (as ONNX Runtime).
#include <algorithm>
#include <cmath>

#include "model/numerics/rounding.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::VectorOp;

struct Terms {
  Quantisation a, b, y;
};

Terms terms_of(const graph::Node& node, const graph::Graph& graph) {
  return {quantisation_of(graph, node.inputs[1], node.inputs[2], 1), quantisation_of(graph, node.inputs[4], node.inputs[5], 1),
          quantisation_of(graph, node.inputs[6], node.input(7), 1)};
}

/// The common shape of two operands; axes of extent 1 or left out stretch. OperatorProblem when they do not fit.
graph::Shape broadcast_shape(const graph::Shape& a, const graph::Shape& b) {
  graph::Shape shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1, right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) {
      throw OperatorProblem{"expected shapes that broadcast, found " + graph::to_string(a) + " and " + graph::to_string(b)};
    }
    shape[shape.size() - 1 - i] = std::max(left, right);
  }
  return shape;
}

/// The 8-bit tensor `x` stretched to `shape`.
graph::Tensor broadcast(const graph::Tensor& x, const graph::Shape& shape) {
  if (x.shape == shape) return x;
  graph::Tensor y = x;
  y.shape = shape;
  y.data.resize(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::size_t i = 0; i < y.data.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), step = 1, from = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::int64_t extent = shape[shape.size() - 1 - axis],
                         own = axis < x.shape.size() ? x.shape[x.shape.size() - 1 - axis] : 1;
      if (own > 1) from += rest % extent * step;
      rest /= extent;
      step *= own;
    }
    y.data[i] = x.data[static_cast<std::size_t>(from)];
  }
  return y;
}

class QLinearAdd final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearAdd"; }
  std::string domain() const override { return "com.microsoft"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"A", Kind::required, eight_bit()},
            {"A_scale", Kind::required, real(), true},
            {"A_zero_point", Kind::optional, eight_bit(), true, "A"},
            {"B", Kind::required, eight_bit(), false, "A"},
            {"B_scale", Kind::required, real(), true},
            {"B_zero_point", Kind::optional, eight_bit(), true, "A"},
            {"C_scale", Kind::required, real(), true},
            {"C_zero_point", Kind::optional, eight_bit(), true, "A"}};
  }
  std::vector<Parameter> outputs() const override { return {{"C", Parameter::Kind::required, eight_bit()}}; }
  std::string limits() const override { return "Operands of one shape, or a constant one that is broadcast."; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor a = graph.tensor(node.inputs[0]), b = graph.tensor(node.inputs[3]);
    terms_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = a.type;
    y.shape = broadcast_shape(a.shape, b.shape);
    for (const graph::Tensor* operand : {&a, &b}) {
      if (operand->shape == y.shape || operand->constant) continue;
      throw OperatorProblem{"expected operands of one shape or a constant one that is broadcast, found " +
                            graph::to_string(a.shape) + " and " + graph::to_string(b.shape)};
    }
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Terms t = terms_of(node, graph);
    const graph::Shape& shape = graph.tensor(node.outputs[0]).shape;
    const graph::Tensor a = broadcast(values.at(node.inputs[0]), shape), b = broadcast(values.at(node.inputs[3]), shape);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      const float left = static_cast<float>(element(a, i) - t.a.zero_point()) * t.a.scale();
      const float right = static_cast<float>(element(b, i) - t.b.zero_point()) * t.b.scale();
      const float scaled = (left + right) / t.y.scale();
      const std::int64_t value = numerics::round_to_int(scaled, numerics::RoundMode::rint) + t.y.zero_point();
      set_element(y, i, static_cast<int>(std::clamp<std::int64_t>(value, low_of(y.type), high_of(y.type))));
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    Addition add{terms_of(node, context.graph())};
    const graph::Tensor& y = context.graph().tensor(node.outputs[0]);
    const bool blocked = context.has(node.inputs[0], Layout::blocked) || context.has(node.inputs[3], Layout::blocked);
    const Layout layout = blocked ? Layout::blocked : Layout::nd;
    add.a = operand(node.inputs[0], y.shape, layout, node.name + ".a", context);
    add.b = operand(node.inputs[3], y.shape, layout, node.name + ".b", context);
    add.to = context.output(node.outputs[0], layout);
    add.count = blocked ? blocking_of(y.shape).bytes() : graph::element_count(y.shape);
    add.type = graph::device_type(y.type);
    add.low = static_cast<float>(low_of(y.type));
    add.high = static_cast<float>(high_of(y.type));
    // UB: per set a, b and the result, 8 bits each; shared an fp16 area, two fp32 areas and one of sy.
    add.tile = context.vector_tile(add.count, 6 + 2 + 3 * 4);
    context.add_vector_kernel(
        node.name, node.op, ceil_div(add.count, add.tile),
        [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) { add_tiles(program, add, first, last); });
  }

 private:
  struct Addition {
    Terms terms;
    std::uint64_t a = 0, b = 0, to = 0;
    std::int64_t count = 0, tile = 0;
    DataType type = DataType::int8;
    float low = 0, high = 0;
  };

  /// Where an operand lies in `layout`; a constant one of another shape is broadcast here and now.
  static std::uint64_t operand(const std::string& name, const graph::Shape& shape, Layout layout, const std::string& constant_name,
                               LoweringContext& context) {
    const graph::Tensor& tensor = context.graph().tensor(name);
    if (!tensor.constant || tensor.shape == shape) return context.input(name, layout);
    const std::vector<std::uint8_t> bytes = broadcast(tensor, shape).data;
    return context.constant(constant_name, layout == Layout::blocked ? blocked_bytes(blocking_of(shape), bytes) : bytes);
  }

  static void add_tiles(isa::ProgramBuilder& program, const Addition& add, std::int64_t first, std::int64_t last) {
    VectorCode code(program);
    const auto size = [&](std::int64_t i) { return std::min(add.tile, add.count - (first + i) * add.tile); };
    const auto area = [&](int set, int which) { return (set * 3 + which) * add.tile; };
    const auto tile = static_cast<std::uint64_t>(add.tile);
    code.fill(DataType::fp32, 16 * tile, add.terms.y.scale(), static_cast<std::uint32_t>(add.tile));
    TileStages stages;
    stages.load = [&](std::int64_t i, int set) {
      const std::int64_t begin = (first + i) * add.tile;
      const auto n = static_cast<std::uint32_t>(size(i));
      program.copy({isa::Space::gm, isa::Space::ub, 1, n, n, n}, area(set, 0), static_cast<std::int64_t>(add.a) + begin);
      program.copy({isa::Space::gm, isa::Space::ub, 1, n, n, n}, area(set, 1), static_cast<std::int64_t>(add.b) + begin);
    };
    stages.compute = [&](std::int64_t i, int set) { compute(code, add, set, static_cast<std::uint32_t>(size(i))); };
    stages.store = [&](std::int64_t i, int set) {
      const auto n = static_cast<std::uint32_t>(size(i));
      program.copy({isa::Space::ub, isa::Space::gm, 1, n, n, n}, static_cast<std::int64_t>(add.to) + (first + i) * add.tile,
                   area(set, 2));
    };
    pipeline_tiles(program, last - first, stages);
  }

  static void compute(VectorCode& code, const Addition& add, int set, std::uint32_t n) {
    const auto tile = static_cast<std::uint64_t>(add.tile), bytes = static_cast<std::uint64_t>(set) * 3 * tile;
    const std::uint64_t half = 6 * tile, a = half + 2 * tile, b = a + 4 * tile, scale = b + 4 * tile;
    term(code, add.type, a, half, bytes, add.terms.a, n);
    term(code, add.type, b, half, bytes + tile, add.terms.b, n);
    code.binary(VectorOp::add, DataType::fp32, a, a, b, n);
    code.binary(VectorOp::div, DataType::fp32, a, a, scale, n);
    code.cast(DataType::fp32, DataType::fp32, a, a, n, isa::RoundMode::rint);
    code.scalar(VectorOp::adds, DataType::fp32, a, a, static_cast<float>(add.terms.y.zero_point()), n);
    code.scalar(VectorOp::maxs, DataType::fp32, a, a, add.low, n);
    code.scalar(VectorOp::mins, DataType::fp32, a, a, add.high, n);
    code.narrow(add.type, bytes + 2 * tile, half, a, n);
  }

  /// (q - z) * s of an 8-bit tile.
  static void term(VectorCode& code, DataType type, std::uint64_t dst, std::uint64_t half, std::uint64_t src, const Quantisation& q,
                   std::uint32_t n) {
    code.widen(type, dst, half, src, n);
    code.scalar(VectorOp::adds, DataType::fp32, dst, dst, static_cast<float>(-q.zero_point()), n);
    code.scalar(VectorOp::muls, DataType::fp32, dst, dst, q.scale(), n);
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_add() { return std::make_unique<QLinearAdd>(); }

}  // namespace npulab::operators
