// SPDX-License-Identifier: Apache-2.0
// The instructions of a tiled convolution: everything double-buffered, every buffer handed over by a pair of flags.
#pragma once

#include "workloads/operators/quantised_convolution.h"

namespace npulab::operators {

/// Arena offsets.
struct ConvolutionAddresses {
  std::uint64_t input = 0, output = 0, bias = 0, words = 0;
  std::vector<std::uint64_t> weights;  // by channel tile
};

Kernel convolution_kernel(const QuantisedConvolution& conv, const tiling::ConvolutionTiling& tiling,
                          const ConvolutionAddresses& addresses, const CoreSpec& core, int cores);

}  // namespace npulab::operators
