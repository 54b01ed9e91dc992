// SPDX-License-Identifier: Apache-2.0
// How a convolution is cut to fit the buffers of a core: tiles of output channels, slices of output rows, sub-tiles of
// positions, steps along K.
#pragma once

#include "workloads/operators/matmul_plan.h"

namespace npulab::operators {

/// One tile of output channels and the input channel blocks it reads.
struct ChannelTile {
  std::int64_t first = 0;        // output channel
  std::int64_t block_first = 0;  // input channel block
  std::int64_t blocks = 0;
};

struct ConvolutionTiling {
  std::int64_t n = 0;            // output channels a tile, multiple of 32
  std::vector<ChannelTile> channel_tiles;
  std::int64_t slice_rows = 0;   // output rows held in L1 at a time
  std::int64_t m = 0;            // positions a sub-tile, multiple of 16
  std::int64_t k_step = 0;       // columns of K a step, multiple of 32
  int weight_sets = 1;           // 2: weights of 9 bits
  bool fixpipe = true;           // else requantised on the vector pipe
  // L1 addresses.
  std::uint64_t l1_weights = 0, l1_bias = 0, l1_words = 0, l1_map[2] = {0, 0};
  // UB addresses (cores without FixPipe).
  std::uint64_t ub_bias = 0, ub_words = 0, ub_out[2] = {0, 0};
  std::uint64_t l0_half = 0, l0c_half = 0;

  std::int64_t k_of(const ConvolutionShape& shape, const ChannelTile& tile) const { return tile.blocks * shape.kernel_h * shape.kernel_w * 32; }
};

/// Input rows [first, first + count) of a slice of output rows, and what padding is left above and below.
struct InputRows {
  std::int64_t first = 0, count = 0, pad_top = 0, pad_bottom = 0;
};
InputRows input_rows(const ConvolutionShape& shape, std::int64_t out_first, std::int64_t out_count);

/// Chooses a tiling for `cores` cores. Throws OperatorProblem when nothing fits.
ConvolutionTiling tile_convolution(const ConvolutionShape& shape, const CoreSpec& core, int cores, int weight_sets);

}  // namespace npulab::operators
