// SPDX-License-Identifier: Apache-2.0
// What QuantizeLinear and DequantizeLinear share: a scale and a zero point for each element, per tensor or per axis, on
// row-major tensors, in tiles through UB.
#pragma once

#include <functional>

#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {

/// Scale and zero point of every element of a node's input 0; inputs 1 and 2 give them, `axis` says along which axis.
struct LinearQuantisation {
  Quantisation q;
  std::int64_t inner = 1, channels = 1;  // elements in a row with one channel; channels of the axis (1: per tensor)
  std::size_t channel_of(std::int64_t element) const { return static_cast<std::size_t>(element / inner % channels); }
};
LinearQuantisation linear_quantisation_of(const graph::Node& node, const graph::Graph& graph);

/// UB addresses of one tile of `count` elements; scale and zero hold an fp32 number an element.
struct LinearTile {
  std::uint64_t in = 0, out = 0, scale = 0, zero = 0, first_scratch = 0, second_scratch = 0;
  std::uint32_t count = 0;
};

/// The kernel that loads tiles of input 0, converts each with `convert` and stores output 0.
void add_linear_kernel(LoweringContext& context, const graph::Node& node, const LinearQuantisation& quantisation,
                       const std::function<void(VectorCode&, const LinearTile&)>& convert);

}  // namespace npulab::operators
