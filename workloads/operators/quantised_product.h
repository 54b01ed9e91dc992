// SPDX-License-Identifier: Apache-2.0
// A matrix product with a constant right side, as QLinearMatMul and QGemm share it: (a - za)(b - zb) in int32 plus bias,
// requantised. Lowered as a 1x1 convolution whose positions are the rows of A.
#pragma once

#include <string>
#include <vector>

#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"

namespace npulab::operators {

struct Product {
  std::int64_t batches = 1, m = 0, k = 0, n = 0;
  bool a_transposed = false;       // A is stored [k][m]; one batch
  std::vector<int> b;              // [batch][n][k]: output channels first, as weights are kept, without the zero point
  std::vector<std::int32_t> bias;  // n
  std::vector<float> multipliers;  // n
  int a_zero = 0, y_zero = 0;
  graph::ElementType a_type = graph::ElementType::int8, y_type = graph::ElementType::int8;
};

/// 2 m n k of a product whose right side and result are these tensors.
std::int64_t operations_of(const std::string& b, const std::string& y, const graph::Graph& graph);

/// Fills `product.b` from a tensor stored [batch][k][n], or [batch][n][k] when `transposed`.
void take_b(Product& product, const graph::Tensor& b, const Quantisation& quantisation, bool transposed);

void reference_product(const Product& product, const graph::Tensor& a, graph::Tensor& y);
/// Kernels for the product of the graph tensors `a` and B into `y`.
void lower_product(const Product& product, const graph::Node& node, const std::string& a, const std::string& y,
                   LoweringContext& context);

}  // namespace npulab::operators
