// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear saturate(rint(x / s) + z) and DequantizeLinear (q - z) s, per tensor or per axis, on row-major tensors.
#include <algorithm>

#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::Space;
using isa::VectorOp;

constexpr std::int64_t kTile = 2048;  // elements

/// A run of elements with one scale and zero point.
struct Run {
  std::int64_t first, count;
  std::size_t channel;
};

struct Layouting {
  Quantisation q;
  std::int64_t inner = 1, channels = 1;  // elements in a row with one channel; channels of the axis (1: per tensor)
  std::size_t channel_of(std::int64_t element) const { return static_cast<std::size_t>(element / inner % channels); }
};

Layouting layouting_of(const graph::Node& node, const graph::Graph& graph) {
  const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
  const std::int64_t scales = graph::element_count(graph.tensor(node.inputs[1]).shape);
  Layouting l;
  if (scales > 1) {
    std::int64_t axis = node.integer("axis", 1);
    if (axis < 0) axis += static_cast<std::int64_t>(x.size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(x.size())) throw OperatorProblem{"axis: expected one of the tensor's, found " + std::to_string(node.integer("axis", 1))};
    l.channels = x[static_cast<std::size_t>(axis)];
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < x.size(); ++i) l.inner *= x[i];
  } else {
    l.inner = std::max<std::int64_t>(graph::element_count(x), 1);
  }
  l.q = quantisation_of(graph, node.inputs[1], node.inputs.size() > 2 ? node.inputs[2] : "", l.channels);
  return l;
}

std::vector<Run> runs_of(const Layouting& l, std::int64_t count) {
  std::vector<Run> runs;
  for (std::int64_t begin = 0; begin < count; begin += l.inner) {
    const std::int64_t end = std::min(begin + l.inner, count);
    for (std::int64_t first = begin; first < end; first += kTile) runs.push_back({first, std::min(kTile, end - first), l.channel_of(begin)});
  }
  return runs;
}

/// Loads, converts and stores runs of elements; `convert(code, run, set)` works on the UB areas below.
template <typename Convert>
void add_conversion(LoweringContext& context, const graph::Node& node, const std::vector<Run>& runs, std::int64_t in_bytes, std::int64_t out_bytes, Convert convert) {
  const std::uint64_t from = context.input(node.inputs[0], Layout::nd), to = context.output(node.outputs[0], Layout::nd);
  context.add_vector_kernel(node.name, node.op, static_cast<std::int64_t>(runs.size()), [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
    VectorCode code(program);
    TileStages stages;
    stages.load = [&](std::int64_t i, int set) {
      const Run& run = runs[static_cast<std::size_t>(first + i)];
      const auto bytes = static_cast<std::uint32_t>(run.count * in_bytes);
      program.copy({Space::gm, Space::ub, 1, bytes, bytes, bytes}, set * kTile * 4, static_cast<std::int64_t>(from) + run.first * in_bytes);
    };
    stages.compute = [&](std::int64_t i, int set) { convert(code, runs[static_cast<std::size_t>(first + i)], set); };
    stages.store = [&](std::int64_t i, int set) {
      const Run& run = runs[static_cast<std::size_t>(first + i)];
      const auto bytes = static_cast<std::uint32_t>(run.count * out_bytes);
      program.copy({Space::ub, Space::gm, 1, bytes, bytes, bytes}, static_cast<std::int64_t>(to) + run.first * out_bytes, (2 + set) * kTile * 4);
    };
    pipeline_tiles(program, last - first, stages);
  });
}

// UB: two input areas, two output areas, then scratch.
constexpr std::uint64_t in_area(int set) { return static_cast<std::uint64_t>(set) * kTile * 4; }
constexpr std::uint64_t out_area(int set) { return static_cast<std::uint64_t>(2 + set) * kTile * 4; }
constexpr std::uint64_t kScratch = 4 * kTile * 4, kScratch2 = kScratch + kTile * 4;

class QuantizeLinear final : public OperatorDefinition {
 public:
  std::string name() const override { return "QuantizeLinear"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"x", Kind::required, real()}, {"y_scale", Kind::required, real(), true}, {"y_zero_point", Kind::optional, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    layouting_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = node.inputs.size() > 2 && !node.inputs[2].empty() ? graph.tensor(node.inputs[2]).type : graph::ElementType::uint8;
    y.shape = graph.tensor(node.inputs[0]).shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Layouting l = layouting_of(node, graph);
    const graph::Tensor x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      const std::size_t c = l.channel_of(static_cast<std::int64_t>(i));
      set_element(y, i, numerics::quantise_linear(x.real(i), l.q.scale(c), l.q.zero_point(c), low_of(y.type), high_of(y.type)));
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const Layouting l = layouting_of(node, context.graph());
    const graph::Tensor& y = context.graph().tensor(node.outputs[0]);
    const DataType type = graph::device_type(y.type);
    const float low = static_cast<float>(low_of(y.type)), high = static_cast<float>(high_of(y.type));
    add_conversion(context, node, runs_of(l, graph::element_count(y.shape)), 4, 1, [=](VectorCode& code, const Run& run, int set) {
      const auto n = static_cast<std::uint32_t>(run.count);
      code.fill(DataType::fp32, kScratch, l.q.scale(run.channel), n);
      code.binary(VectorOp::div, DataType::fp32, kScratch, in_area(set), kScratch, n);
      code.cast(DataType::fp32, DataType::fp32, kScratch, kScratch, n, isa::RoundMode::rint);
      code.scalar(VectorOp::adds, DataType::fp32, kScratch, kScratch, static_cast<float>(l.q.zero_point(run.channel)), n);
      code.scalar(VectorOp::maxs, DataType::fp32, kScratch, kScratch, low, n);
      code.scalar(VectorOp::mins, DataType::fp32, kScratch, kScratch, high, n);
      code.narrow(type, out_area(set), kScratch2, kScratch, n);
    });
  }
};

class DequantizeLinear final : public OperatorDefinition {
 public:
  std::string name() const override { return "DequantizeLinear"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"x", Kind::required, eight_bit()}, {"x_scale", Kind::required, real(), true}, {"x_zero_point", Kind::optional, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, real()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    layouting_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph::ElementType::fp32;
    y.shape = graph.tensor(node.inputs[0]).shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Layouting l = layouting_of(node, graph);
    const graph::Tensor x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      const std::size_t c = l.channel_of(static_cast<std::int64_t>(i));
      const float value = numerics::dequantise_linear(element(x, i), l.q.scale(c), l.q.zero_point(c));
      std::memcpy(y.data.data() + i * 4, &value, 4);
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const Layouting l = layouting_of(node, context.graph());
    const graph::Tensor& x = context.graph().tensor(node.inputs[0]);
    const DataType type = graph::device_type(x.type);
    add_conversion(context, node, runs_of(l, graph::element_count(x.shape)), 1, 4, [=](VectorCode& code, const Run& run, int set) {
      const auto n = static_cast<std::uint32_t>(run.count);
      code.widen(type, out_area(set), kScratch, in_area(set), n);
      code.scalar(VectorOp::adds, DataType::fp32, out_area(set), out_area(set), static_cast<float>(-l.q.zero_point(run.channel)), n);
      code.scalar(VectorOp::muls, DataType::fp32, out_area(set), out_area(set), l.q.scale(run.channel), n);
    });
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_quantize_linear() { return std::make_unique<QuantizeLinear>(); }
std::unique_ptr<OperatorDefinition> make_dequantize_linear() { return std::make_unique<DequantizeLinear>(); }

}  // namespace npulab::operators
