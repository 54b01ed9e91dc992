// SPDX-License-Identifier: Apache-2.0
// How a convolution is cut to fit the buffers of a core: tiles of output channels, slices of output rows, sub-tiles of
// positions, steps along K. Capacities come from CoreSpec, field limits from model/isa/isa_limits.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/spec/soc_spec.h"

namespace npulab::tiling {

/// A convolution of one group of channels or of several, on one image. A matrix product is the 1x1 case whose positions are
/// the rows of A.
struct ConvolutionShape {
  std::int64_t in_channels = 0, in_h = 1, in_w = 1;
  std::int64_t out_channels = 0, out_h = 1, out_w = 1;
  std::int64_t groups = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;

  std::int64_t taps() const { return kernel_h * kernel_w; }
  std::int64_t reach_h() const { return dilation_h * (kernel_h - 1) + 1; }
  std::int64_t reach_w() const { return dilation_w * (kernel_w - 1) + 1; }
};

/// One tile of output channels and the input channel blocks it reads.
struct ChannelTile {
  std::int64_t first = 0;        // output channel
  std::int64_t block_first = 0;  // input channel block
  std::int64_t blocks = 0;
};

struct ConvolutionTiling {
  std::int64_t n = 0;  // output channels a tile, multiple of 32
  std::vector<ChannelTile> channel_tiles;
  std::int64_t slice_rows = 0;  // output rows held in L1 at a time
  std::int64_t m = 0;           // positions a sub-tile, multiple of 16
  std::int64_t k_step = 0;      // columns of K a step, multiple of 32
  int weight_sets = 1;          // more than one: weights of over 8 bits as a sum
  bool fixpipe = true;          // else requantised on the vector pipe
  /// Weights stay in L1 for a whole channel tile; or map and weights stream through it `chunk_blocks` channel blocks at a time.
  bool streamed = false;
  std::int64_t chunk_blocks = 0;
  // L1 addresses; the halves hold maps, and when streamed the weights of a chunk behind them.
  std::uint64_t l1_weights = 0, l1_bias = 0, l1_words = 0, l1_half[2] = {0, 0};
  std::uint64_t l1_chunk_weights = 0;  // from the start of a half
  // UB addresses (cores without FixPipe).
  std::uint64_t ub_bias = 0, ub_words = 0, ub_out[2] = {0, 0};
  std::uint64_t l0_half = 0, l0c_half = 0;

  std::int64_t k_of(const ConvolutionShape& shape, std::int64_t blocks) const { return blocks * shape.taps() * 32; }
};

/// Input rows [first, first + count) of a slice of output rows, and what padding is left above and below.
struct InputRows {
  std::int64_t first = 0, count = 0, pad_top = 0, pad_bottom = 0;
};

/// The rows that output rows [out_first, out_first + out_count) need; at least one row of the image, even if they see only padding.
InputRows input_rows(const ConvolutionShape& shape, std::int64_t out_first, std::int64_t out_count);

/// "expected ..., found ...": no tiling fits.
struct TilingProblem {
  std::string message;
};

/// Chooses a tiling for `cores` cores. Throws TilingProblem when nothing fits.
ConvolutionTiling tile_convolution(const ConvolutionShape& shape, const CoreSpec& core, int cores, int weight_sets);

}  // namespace npulab::tiling
