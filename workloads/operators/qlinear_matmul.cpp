// SPDX-License-Identifier: Apache-2.0
// QLinearMatMul and com.microsoft QGemm: (a - za)(b - zb) in int32 (plus bias), requantised. Lowered as 1x1 convolutions whose
// positions are the rows of A.
#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/quantised_convolution.h"
#include "workloads/operators/quantisation.h"

namespace npulab::operators {
namespace {

/// A product with constant B: [batch][k][n] integers without their zero point.
struct Product {
  std::int64_t batches = 1, m = 0, k = 0, n = 0;
  std::vector<int> b;                  // [batch][n][k]: output channels first, as weights are kept
  std::vector<std::int32_t> bias;      // n
  std::vector<float> multipliers;      // n
  int a_zero = 0, y_zero = 0;
  graph::ElementType a_type = graph::ElementType::int8, y_type = graph::ElementType::int8;
};

void reference_product(const Product& p, const graph::Tensor& a, graph::Tensor& y) {
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column) {
        std::int64_t sum = p.bias[static_cast<std::size_t>(column)];
        for (std::int64_t i = 0; i < p.k; ++i) {
          sum += static_cast<std::int64_t>(element(a, static_cast<std::size_t>((batch * p.m + row) * p.k + i)) - p.a_zero) * p.b[static_cast<std::size_t>((batch * p.n + column) * p.k + i)];
        }
        set_element(y, static_cast<std::size_t>((batch * p.m + row) * p.n + column),
                    numerics::requantise(static_cast<std::int32_t>(sum), p.multipliers[static_cast<std::size_t>(column)], p.y_zero, p.y_type == graph::ElementType::int8));
      }
    }
  }
}

void lower_product(const Product& p, const graph::Node& node, const std::string& a, const std::string& y, LoweringContext& context) {
  const std::uint64_t from = context.input(a, Layout::blocked), to = context.output(y, Layout::blocked);
  const Blocking in = blocking_of(context.graph().tensor(a).shape), out = blocking_of(context.graph().tensor(y).shape);
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    QuantisedConvolution conv;
    // Rows of A are rows of a map one position wide, so that slices of rows can be cut.
    conv.shape.in_channels = p.k;
    conv.shape.out_channels = p.n;
    conv.shape.in_h = conv.shape.out_h = p.m;
    const auto first = p.b.begin() + static_cast<std::ptrdiff_t>(batch * p.n * p.k);
    conv.weights.assign(first, first + static_cast<std::ptrdiff_t>(p.n * p.k));
    conv.bias = fold_zero_point(p.bias, conv.weights, p.n, p.a_zero);
    conv.multipliers = p.multipliers;
    conv.input_type = p.a_type;
    conv.output_type = p.y_type;
    conv.input_zero_point = p.a_zero;
    conv.output_zero_point = p.y_zero;
    conv.name = p.batches > 1 ? node.name + "_batch" + std::to_string(batch) : node.name;
    conv.op_type = node.op;
    add_convolution(context, conv, from + static_cast<std::uint64_t>(batch * in.image_bytes()), to + static_cast<std::uint64_t>(batch * out.image_bytes()));
  }
}

/// B as [batch][n][k] from a tensor stored [batch][k][n], or [batch][n][k] when `transposed`.
void take_b(Product& p, const graph::Tensor& b, const Quantisation& q, bool transposed) {
  p.b.resize(static_cast<std::size_t>(p.batches * p.n * p.k));
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t column = 0; column < p.n; ++column) {
      for (std::int64_t i = 0; i < p.k; ++i) {
        const std::int64_t from = transposed ? (batch * p.n + column) * p.k + i : (batch * p.k + i) * p.n + column;
        p.b[static_cast<std::size_t>((batch * p.n + column) * p.k + i)] = element(b, static_cast<std::size_t>(from)) - q.zero_point(static_cast<std::size_t>(column));
      }
    }
  }
}

class QLinearMatMul final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearMatMul"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"a", Kind::required, eight_bit()}, {"a_scale", Kind::required, real(), true}, {"a_zero_point", Kind::required, eight_bit(), true},
            {"b", Kind::required, eight_bit(), true}, {"b_scale", Kind::required, real(), true}, {"b_zero_point", Kind::required, eight_bit(), true},
            {"y_scale", Kind::required, real(), true}, {"y_zero_point", Kind::required, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, eight_bit()}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Shape& a = graph.tensor(node.inputs[0]).shape;
    const graph::Shape& b = graph.tensor(node.inputs[3]).shape;
    const bool fits = a.size() >= 2 && a.size() <= 3 && b.size() == a.size() && a.back() == b[b.size() - 2] && (a.size() == 2 || a[0] == b[0]);
    if (!fits) throw OperatorProblem{"expected [m,k] x [k,n] or [b,m,k] x [b,k,n], found " + graph::to_string(a) + " x " + graph::to_string(b)};
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[7]).type;
    y.shape = a;
    y.shape.back() = b.back();
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
    const Quantisation qa = quantisation_of(graph, node.inputs[1], node.inputs[2], 1), qb = quantisation_of(graph, node.inputs[4], node.inputs[5], p.n);
    const Quantisation qy = quantisation_of(graph, node.inputs[6], node.inputs[7], 1);
    take_b(p, b, qb, false);
    p.bias.assign(static_cast<std::size_t>(p.n), 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.n); ++i) p.multipliers.push_back(numerics::requantisation_multiplier(qa.scale(), qb.scale(i), qy.scale()));
    p.a_zero = qa.zero_point();
    p.y_zero = qy.zero_point();
    p.a_type = graph.tensor(node.inputs[0]).type;
    p.y_type = graph.tensor(node.inputs[7]).type;
    return p;
  }
};

class QGemm final : public OperatorDefinition {
 public:
  std::string name() const override { return "QGemm"; }
  std::string domain() const override { return "com.microsoft"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"A", Kind::required, eight_bit()}, {"a_scale", Kind::required, real(), true}, {"a_zero_point", Kind::required, eight_bit(), true},
            {"B", Kind::required, eight_bit(), true}, {"b_scale", Kind::required, real(), true}, {"b_zero_point", Kind::required, eight_bit(), true},
            {"C", Kind::optional, {graph::ElementType::int32}, true}, {"y_scale", Kind::optional, real(), true}, {"y_zero_point", Kind::optional, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    return {{"alpha", AttributeDefinition::Kind::real}, {"transA", AttributeDefinition::Kind::integer}, {"transB", AttributeDefinition::Kind::integer}};
  }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Shape& a = graph.tensor(node.inputs[0]).shape;
    const graph::Shape& b = graph.tensor(node.inputs[3]).shape;
    const bool transposed = node.integer("transB", 0) != 0;
    if (node.integer("transA", 0) != 0) throw OperatorProblem{"transA: expected 0, found a transposed A, which is not supported"};
    if (node.inputs.size() < 9 || node.inputs[7].empty()) throw OperatorProblem{"expected y_scale and y_zero_point, found a float output, which is not supported"};
    if (a.size() != 2 || b.size() != 2 || a[1] != b[transposed ? 1 : 0]) throw OperatorProblem{"expected matrices that fit, found " + graph::to_string(a) + " x " + graph::to_string(b)};
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[8]).type;
    y.shape = {a[0], b[transposed ? 0 : 1]};
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
    p.m = a.shape[0];
    p.k = a.shape[1];
    p.n = b.shape[transposed ? 0 : 1];
    const Quantisation qa = quantisation_of(graph, node.inputs[1], node.inputs[2], 1), qb = quantisation_of(graph, node.inputs[4], node.inputs[5], p.n);
    const Quantisation qy = quantisation_of(graph, node.inputs[7], node.inputs[8], 1);
    take_b(p, b, qb, transposed);
    p.bias.assign(static_cast<std::size_t>(p.n), 0);
    if (!node.inputs[6].empty()) {
      const graph::Tensor& c = graph.tensor(node.inputs[6]);
      const std::int64_t count = graph::element_count(c.shape);
      if (count != p.n && count != 1) throw OperatorProblem{"C: expected " + std::to_string(p.n) + " elements, found " + graph::to_string(c.shape)};
      for (std::size_t i = 0; i < p.bias.size(); ++i) p.bias[i] = static_cast<std::int32_t>(c.integer(count == 1 ? 0 : i));
    }
    const auto found = node.attributes.find("alpha");
    const float alpha = found == node.attributes.end() ? 1.0f : found->second.real;
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.n); ++i) p.multipliers.push_back(numerics::requantisation_multiplier(alpha * qa.scale(), qb.scale(i), qy.scale()));
    p.a_zero = qa.zero_point();
    p.y_zero = qy.zero_point();
    p.a_type = a.type;
    p.y_type = graph.tensor(node.inputs[8]).type;
    return p;
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_matmul() { return std::make_unique<QLinearMatMul>(); }
std::unique_ptr<OperatorDefinition> make_qgemm() { return std::make_unique<QGemm>(); }

}  // namespace npulab::operators
