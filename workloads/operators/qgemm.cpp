// SPDX-License-Identifier: Apache-2.0
// com.microsoft QGemm: alpha (A - za)(B - zb) in int32 plus C, requantised; A and B may be stored transposed.
#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/quantised_product.h"

namespace npulab::operators {
namespace {

class QGemm final : public OperatorDefinition {
 public:
  std::string name() const override { return "QGemm"; }
  std::string domain() const override { return "com.microsoft"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"A", Kind::required, eight_bit()},
            {"a_scale", Kind::required, real(), true},
            {"a_zero_point", Kind::required, eight_bit(), true, "A"},
            {"B", Kind::required, eight_bit(), true},
            {"b_scale", Kind::required, real(), true},
            {"b_zero_point", Kind::required, eight_bit(), true, "B"},
            {"C", Kind::optional, {graph::ElementType::int32}, true},
            {"y_scale", Kind::required, real(), true},
            {"y_zero_point", Kind::required, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    using Kind = AttributeDefinition::Kind;
    return {{"alpha", Kind::real, "1"}, {"transA", Kind::integer, "0"}, {"transB", Kind::integer, "0"}};
  }
  std::string limits() const override { return "Constant B and C, 8-bit output (y_scale and y_zero_point given)."; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Shape& a = graph.tensor(node.inputs[0]).shape;
    const graph::Shape& b = graph.tensor(node.inputs[3]).shape;
    const bool a_transposed = node.integer("transA", 0) != 0, b_transposed = node.integer("transB", 0) != 0;
    if (a.size() != 2 || b.size() != 2 || a[a_transposed ? 0 : 1] != b[b_transposed ? 1 : 0]) {
      throw OperatorProblem{"expected matrices that fit, found " + graph::to_string(a) + (a_transposed ? "^T" : "") + " x " +
                            graph::to_string(b) + (b_transposed ? "^T" : "")};
    }
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[8]).type;
    y.shape = {a[a_transposed ? 1 : 0], b[b_transposed ? 0 : 1]};
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
    const bool transposed = node.integer("transB", 0) != 0;
    const graph::Tensor& a = graph.tensor(node.inputs[0]);
    const graph::Tensor& b = graph.tensor(node.inputs[3]);
    Product p;
    p.a_transposed = node.integer("transA", 0) != 0;
    p.m = a.shape[p.a_transposed ? 1 : 0];
    p.k = a.shape[p.a_transposed ? 0 : 1];
    p.n = b.shape[transposed ? 0 : 1];
    const Quantisation qa = quantisation_of(graph, node.inputs[1], node.inputs[2], 1),
                       qb = quantisation_of(graph, node.inputs[4], node.inputs[5], p.n);
    const Quantisation qy = quantisation_of(graph, node.inputs[7], node.inputs[8], 1);
    take_b(p, b, qb, transposed);
    p.bias = bias_of(graph, node.input(6), p.n);
    const float alpha = node.real("alpha", 1.0f);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.n); ++i)
      p.multipliers.push_back(numerics::requantisation_multiplier(alpha * qa.scale(), qb.scale(i), qy.scale()));
    p.a_zero = qa.zero_point();
    p.y_zero = qy.zero_point();
    p.a_type = a.type;
    p.y_type = graph.tensor(node.inputs[8]).type;
    return p;
  }

  static std::vector<std::int32_t> bias_of(const graph::Graph& graph, const std::string& name, std::int64_t n) {
    std::vector<std::int32_t> bias(static_cast<std::size_t>(n), 0);
    if (name.empty()) return bias;
    const graph::Tensor& c = graph.tensor(name);
    const std::int64_t count = graph::element_count(c.shape);
    if (count != n && count != 1)
      throw OperatorProblem{"C: expected " + std::to_string(n) + " elements, found " + graph::to_string(c.shape)};
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<std::int32_t>(c.integer(count == 1 ? 0 : i));
    return bias;
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qgemm() { return std::make_unique<QGemm>(); }

}  // namespace npulab::operators
