// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/quantised_product.h"

#include "model/numerics/requantise.h"
#include "workloads/operators/quantised_convolution.h"

namespace npulab::operators {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

/// One batch as a convolution: rows of A are rows of a map one position wide, so that slices of rows can be cut.
QuantisedConvolution convolution_of(const Product& p, std::int64_t batch, const graph::Node& node) {
  QuantisedConvolution conv;
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
  return conv;
}

/// Where A lies in channel blocks. A transposed one is, read as it is stored, an image of k channels and m positions.
std::uint64_t blocked_a(const Product& p, const graph::Node& node, const std::string& a, LoweringContext& context) {
  if (!p.a_transposed) return context.input(a, Layout::blocked);
  Blocking planes;
  planes.channels = p.k;
  planes.positions = p.m;
  const std::uint64_t from = context.input(a, Layout::nd), to = context.scratch(node.name + ".a_transposed", planes.bytes());
  add_to_blocked(context, a, planes, from, to);
  return to;
}

}  // namespace

std::int64_t operations_of(const std::string& b, const std::string& y, const graph::Graph& graph) {
  const graph::Shape& result = graph.tensor(y).shape;
  const std::int64_t batches = result.size() == 3 ? result[0] : 1;
  const std::int64_t k = graph::element_count(graph.tensor(b).shape) / batches / result.back();
  return 2 * k * graph::element_count(result);
}

void take_b(Product& p, const graph::Tensor& b, const Quantisation& q, bool transposed) {
  p.b.resize(index(p.batches * p.n * p.k));
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t column = 0; column < p.n; ++column) {
      for (std::int64_t i = 0; i < p.k; ++i) {
        const std::int64_t from = transposed ? (batch * p.n + column) * p.k + i : (batch * p.k + i) * p.n + column;
        p.b[index((batch * p.n + column) * p.k + i)] = element(b, index(from)) - q.zero_point(index(column));
      }
    }
  }
}

void reference_product(const Product& p, const graph::Tensor& a, graph::Tensor& y) {
  for (std::int64_t row = 0; row < p.batches * p.m; ++row) {
    for (std::int64_t column = 0; column < p.n; ++column) {
      const std::int64_t weights = (row / p.m * p.n + column) * p.k;
      std::int64_t sum = p.bias[index(column)];
      for (std::int64_t i = 0; i < p.k; ++i) {
        const int value = element(a, index(p.a_transposed ? i * p.m + row : row * p.k + i)) - p.a_zero;
        sum += static_cast<std::int64_t>(value) * p.b[index(weights + i)];
      }
      const auto accumulator = static_cast<std::int32_t>(sum);
      set_element(y, index(row * p.n + column),
                  numerics::requantise(accumulator, p.multipliers[index(column)], p.y_zero, p.y_type == graph::ElementType::int8));
    }
  }
}

void lower_product(const Product& p, const graph::Node& node, const std::string& a, const std::string& y,
                   LoweringContext& context) {
  const std::uint64_t from = blocked_a(p, node, a, context), to = context.output(y, Layout::blocked);
  Blocking in, out;
  in.channels = p.k;
  out.channels = p.n;
  in.positions = out.positions = p.m;
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    add_convolution(context, convolution_of(p, batch, node), from + static_cast<std::uint64_t>(batch * in.image_bytes()),
                    to + static_cast<std::uint64_t>(batch * out.image_bytes()));
  }
}

}  // namespace npulab::operators
