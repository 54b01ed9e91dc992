// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear: (q - z) s, per tensor or per axis, on 8-bit tensors.
#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/linear_quantisation.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::VectorOp;

class DequantizeLinear final : public OperatorDefinition {
 public:
  std::string name() const override { return "DequantizeLinear"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"x", Kind::required, eight_bit()},
            {"x_scale", Kind::required, real(), true},
            {"x_zero_point", Kind::optional, eight_bit(), true, "x"}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, real()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer, "1"}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    linear_quantisation_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph::ElementType::fp32;
    y.shape = graph.tensor(node.inputs[0]).shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const LinearQuantisation l = linear_quantisation_of(node, graph);
    const graph::Tensor& x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      const std::size_t c = l.channel_of(static_cast<std::int64_t>(i));
      const float value = numerics::dequantise_linear(element(x, i), l.q.scale(c), l.q.zero_point(c));
      std::memcpy(y.data.data() + i * 4, &value, 4);
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const DataType type = graph::device_type(context.graph().tensor(node.inputs[0]).type);
    add_linear_kernel(context, node, linear_quantisation_of(node, context.graph()), [=](VectorCode& code, const LinearTile& t) {
      code.widen(type, t.out, t.first_scratch, t.in, t.count);
      code.binary(VectorOp::sub, DataType::fp32, t.out, t.out, t.zero, t.count);
      code.binary(VectorOp::mul, DataType::fp32, t.out, t.out, t.scale, t.count);
    });
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_dequantize_linear() { return std::make_unique<DequantizeLinear>(); }

}  // namespace npulab::operators
