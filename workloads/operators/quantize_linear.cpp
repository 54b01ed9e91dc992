// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear: saturate(rint(x / s) + z), per tensor or per axis.
#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/linear_quantisation.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::VectorOp;

class QuantizeLinear final : public OperatorDefinition {
 public:
  std::string name() const override { return "QuantizeLinear"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"x", Kind::required, real()},
            {"y_scale", Kind::required, real(), true},
            {"y_zero_point", Kind::optional, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer, "1"}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    linear_quantisation_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = !node.input(2).empty() ? graph.tensor(node.inputs[2]).type : graph::ElementType::uint8;
    y.shape = graph.tensor(node.inputs[0]).shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const LinearQuantisation l = linear_quantisation_of(node, graph);
    const graph::Tensor& x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      const std::size_t c = l.channel_of(static_cast<std::int64_t>(i));
      set_element(y, i, numerics::quantise_linear(x.real(i), l.q.scale(c), l.q.zero_point(c), low_of(y.type), high_of(y.type)));
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const graph::ElementType type = context.graph().tensor(node.outputs[0]).type;
    const float low = static_cast<float>(low_of(type)), high = static_cast<float>(high_of(type));
    add_linear_kernel(context, node, linear_quantisation_of(node, context.graph()), [=](VectorCode& code, const LinearTile& t) {
      const std::uint64_t x = t.first_scratch;
      code.binary(VectorOp::div, DataType::fp32, x, t.in, t.scale, t.count);
      code.cast(DataType::fp32, DataType::fp32, x, x, t.count, isa::RoundMode::rint);
      code.binary(VectorOp::add, DataType::fp32, x, x, t.zero, t.count);
      code.scalar(VectorOp::maxs, DataType::fp32, x, x, low, t.count);
      code.scalar(VectorOp::mins, DataType::fp32, x, x, high, t.count);
      code.narrow(graph::device_type(type), t.out, t.second_scratch, x, t.count);
    });
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_quantize_linear() { return std::make_unique<QuantizeLinear>(); }

}  // namespace npulab::operators
