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

constexpr std::int64_t kTile = 2048;  // elements
using isa::DataType;
using isa::VectorOp;

struct Terms {
  Quantisation a, b, y;
};

Terms terms_of(const graph::Node& node, const graph::Graph& graph) {
  return {quantisation_of(graph, node.inputs[1], node.inputs[2], 1), quantisation_of(graph, node.inputs[4], node.inputs[5], 1),
          quantisation_of(graph, node.inputs[6], node.inputs.size() > 7 ? node.inputs[7] : "", 1)};
}

class QLinearAdd final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearAdd"; }
  std::string domain() const override { return "com.microsoft"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"A", Kind::required, eight_bit()}, {"A_scale", Kind::required, real(), true}, {"A_zero_point", Kind::required, eight_bit(), true},
            {"B", Kind::required, eight_bit()}, {"B_scale", Kind::required, real(), true}, {"B_zero_point", Kind::required, eight_bit(), true},
            {"C_scale", Kind::required, real(), true}, {"C_zero_point", Kind::optional, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"C", Parameter::Kind::required, eight_bit()}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor& a = graph.tensor(node.inputs[0]);
    const graph::Tensor& b = graph.tensor(node.inputs[3]);
    if (a.shape != b.shape || a.type != b.type) throw OperatorProblem{"expected operands of one shape and type, found " + graph::to_string(a.shape) + " and " + graph::to_string(b.shape)};
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = a.type;
    y.shape = a.shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Terms t = terms_of(node, graph);
    const graph::Tensor a = values.at(node.inputs[0]), b = values.at(node.inputs[3]);
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
    const Terms t = terms_of(node, context.graph());
    const graph::Tensor& y = context.graph().tensor(node.outputs[0]);
    const bool blocked = context.has(node.inputs[0], Layout::blocked) || context.has(node.inputs[3], Layout::blocked);
    const Layout layout = blocked ? Layout::blocked : Layout::nd;
    const std::uint64_t a = context.input(node.inputs[0], layout), b = context.input(node.inputs[3], layout), to = context.output(node.outputs[0], layout);
    const std::int64_t count = blocked ? blocking_of(y.shape).bytes() : graph::element_count(y.shape);
    const DataType type = graph::device_type(y.type);
    const std::int64_t tiles = ceil_div(count, kTile);
    context.add_vector_kernel(node.name, node.op, tiles, [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
      VectorCode code(program);
      const auto size = [&](std::int64_t i) { return std::min(kTile, count - (first + i) * kTile); };
      // UB: per set a, b, result (8 bit); shared fp16 and two fp32 areas and one of sy.
      const auto bytes8 = [](int set, int which) { return static_cast<std::uint64_t>((set * 3 + which) * kTile); };
      const std::uint64_t half = 6 * kTile, fa = half + 2 * kTile, fb = fa + 4 * kTile, fy = fb + 4 * kTile;
      code.fill(DataType::fp32, fy, t.y.scale(), static_cast<std::uint32_t>(kTile));
      TileStages stages;
      stages.load = [&](std::int64_t i, int set) {
        const std::int64_t at = (first + i) * kTile;
        const auto n = static_cast<std::uint32_t>(size(i));
        program.copy({isa::Space::gm, isa::Space::ub, 1, n, n, n}, static_cast<std::int64_t>(bytes8(set, 0)), static_cast<std::int64_t>(a) + at);
        program.copy({isa::Space::gm, isa::Space::ub, 1, n, n, n}, static_cast<std::int64_t>(bytes8(set, 1)), static_cast<std::int64_t>(b) + at);
      };
      stages.compute = [&](std::int64_t i, int set) {
        const auto n = static_cast<std::uint32_t>(size(i));
        term(code, type, fa, half, bytes8(set, 0), t.a, n);
        term(code, type, fb, half, bytes8(set, 1), t.b, n);
        code.binary(VectorOp::add, DataType::fp32, fa, fa, fb, n);
        code.binary(VectorOp::div, DataType::fp32, fa, fa, fy, n);
        code.cast(DataType::fp32, DataType::fp32, fa, fa, n, isa::RoundMode::rint);
        code.scalar(VectorOp::adds, DataType::fp32, fa, fa, static_cast<float>(t.y.zero_point()), n);
        code.scalar(VectorOp::maxs, DataType::fp32, fa, fa, static_cast<float>(low_of(y.type)), n);
        code.scalar(VectorOp::mins, DataType::fp32, fa, fa, static_cast<float>(high_of(y.type)), n);
        code.narrow(type, bytes8(set, 2), half, fa, n);
      };
      stages.store = [&](std::int64_t i, int set) {
        const auto n = static_cast<std::uint32_t>(size(i));
        program.copy({isa::Space::ub, isa::Space::gm, 1, n, n, n}, static_cast<std::int64_t>(to) + (first + i) * kTile, static_cast<std::int64_t>(bytes8(set, 2)));
      };
      pipeline_tiles(program, last - first, stages);
    });
  }

 private:
  /// (q - z) * s of an 8-bit tile.
  static void term(VectorCode& code, DataType type, std::uint64_t dst, std::uint64_t half, std::uint64_t src, const Quantisation& q, std::uint32_t n) {
    code.widen(type, dst, half, src, n);
    code.scalar(VectorOp::adds, DataType::fp32, dst, dst, static_cast<float>(-q.zero_point()), n);
    code.scalar(VectorOp::muls, DataType::fp32, dst, dst, q.scale(), n);
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_add() { return std::make_unique<QLinearAdd>(); }

}  // namespace npulab::operators
