// SPDX-License-Identifier: Apache-2.0
// The one cube kernel behind convolution, Gemm and MatMul: image-to-column on channel blocks times prepared weights, with
// bias and requantisation at the end. A matrix product is the 1x1 case whose positions are the rows of A.
#pragma once

#include <string>
#include <vector>

#include "workloads/operators/lowering_context.h"
#include "workloads/tiling/convolution_tiling.h"

namespace npulab::operators {

using tiling::ConvolutionShape;

/// What the kernel needs beyond the shape. weights: [out_channels][in_channels / groups][kernel_h][kernel_w], already without
/// their zero point; values may need 9 bits, then they are sums of two or three 8-bit sets whose products are added.
struct QuantisedConvolution {
  ConvolutionShape shape;
  std::int64_t images = 1;  // of that shape, one after the other
  std::vector<int> weights;
  std::vector<std::int32_t> bias;  // out_channels, zero point of the input folded in
  std::vector<float> multipliers;  // out_channels
  graph::ElementType input_type = graph::ElementType::int8;
  graph::ElementType output_type = graph::ElementType::int8;
  int input_zero_point = 0;  // also what padding holds
  int output_zero_point = 0;
  std::string name, op_type;
};

/// Adds the kernel that reads images of channel blocks at `from` and writes them at `to`. Throws OperatorProblem when no tile fits.
void add_convolution(LoweringContext& context, const QuantisedConvolution& conv, std::uint64_t from, std::uint64_t to);

/// bias - input_zero_point * sum of the weights of each output channel.
std::vector<std::int32_t> fold_zero_point(const std::vector<std::int32_t>& bias, const std::vector<int>& weights,
                                          std::int64_t out_channels, int input_zero_point);

}  // namespace npulab::operators
