// SPDX-License-Identifier: Apache-2.0
// QLinearMatMul: (a - za)(b - zb) in int32, requantised with sa sb / sy.
#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/quantised_product.h"

namespace npulab::operators {
namespace {

class QLinearMatMul final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearMatMul"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"a", Kind::required, eight_bit()},
            {"a_scale", Kind::required, real(), true},
            {"a_zero_point", Kind::required, eight_bit(), true, "a"},
            {"b", Kind::required, eight_bit(), true},
            {"b_scale", Kind::required, real(), true},
            {"b_zero_point", Kind::required, eight_bit(), true, "b"},
            {"y_scale", Kind::required, real(), true},
            {"y_zero_point", Kind::required, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, eight_bit()}}; }

  std::string limits() const override { return "Two or three dimensions, constant b, one a_scale; b_scale may be one a column."; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Shape& a = graph.tensor(node.inputs[0]).shape;
    const graph::Shape& b = graph.tensor(node.inputs[3]).shape;
    const bool fits = a.size() >= 2 && a.size() <= 3 && b.size() == a.size() && a.back() == b[b.size() - 2] &&
                      (a.size() == 2 || a[0] == b[0]);
    if (!fits) {
      throw OperatorProblem{"expected [m,k] x [k,n] or [b,m,k] x [b,k,n], found " + graph::to_string(a) + " x " +
                            graph::to_string(b)};
    }
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[7]).type;
    y.shape = a;
    y.shape.back() = b.back();
  }

  std::int64_t operations(const graph::Node& node, const graph::Graph& graph) const override {
    return operations_of(node.inputs[3], node.outputs[0], graph);
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    reference_product(describe(node, graph), values.at(node.inputs[0]), make_output(graph, node.outputs[0], values));
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    lower_product(describe(node, context.graph()), node, node.inputs[0], node.outputs[0], context);
  }

 private:
  static Product describe(const graph::Node& node, const graph::Graph& graph) {
    const graph::Shape& a = graph.tensor(node.inputs[0]).shape;
    const graph::Tensor& b = graph.tensor(node.inputs[3]);
    Product p;
    p.batches = a.size() == 3 ? a[0] : 1;
    p.m = a[a.size() - 2];
    p.k = a.back();
    p.n = b.shape.back();
    const Quantisation qa = quantisation_of(graph, node.inputs[1], node.inputs[2], 1),
                       qb = quantisation_of(graph, node.inputs[4], node.inputs[5], p.n);
    const Quantisation qy = quantisation_of(graph, node.inputs[6], node.inputs[7], 1);
    take_b(p, b, qb, false);
    p.bias.assign(static_cast<std::size_t>(p.n), 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.n); ++i)
      p.multipliers.push_back(numerics::requantisation_multiplier(qa.scale(), qb.scale(i), qy.scale()));
    p.a_zero = qa.zero_point();
    p.y_zero = qy.zero_point();
    p.a_type = graph.tensor(node.inputs[0]).type;
    p.y_type = graph.tensor(node.inputs[7]).type;
    return p;
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_matmul() { return std::make_unique<QLinearMatMul>(); }

}  // namespace npulab::operators
