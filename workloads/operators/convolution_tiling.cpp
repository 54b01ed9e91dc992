// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/convolution_tiling.h"

#include <algorithm>

namespace npulab::operators {
namespace {

constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kMaxChannels = 128;   // output channels a tile at most
constexpr std::int64_t kMaxPositions = 256;  // a sub-tile at most

std::int64_t capacity(const CoreSpec& core, isa::Space space) { return core.buffers[static_cast<int>(space)].capacity; }
std::int64_t down(std::int64_t value, std::int64_t step) { return value / step * step; }

std::vector<ChannelTile> channel_tiles(const ConvolutionShape& s, std::int64_t n) {
  std::vector<ChannelTile> tiles;
  const std::int64_t out_per_group = s.out_channels / s.groups, in_per_group = s.in_channels / s.groups;
  for (std::int64_t first = 0; first < s.out_channels; first += n) {
    const std::int64_t last = std::min(first + n, s.out_channels) - 1;
    const std::int64_t in_first = first / out_per_group * in_per_group, in_last = (last / out_per_group + 1) * in_per_group - 1;
    tiles.push_back({first, in_first / kBlock, in_last / kBlock - in_first / kBlock + 1});
  }
  return tiles;
}

std::int64_t most_k(const ConvolutionShape& s, const ConvolutionTiling& t) {
  std::int64_t k = 0;
  for (const ChannelTile& tile : t.channel_tiles) k = std::max(k, t.k_of(s, tile));
  return k;
}

/// Bytes of L1 for the map of a slice of `rows` output rows.
std::int64_t map_bytes(const ConvolutionShape& s, const ConvolutionTiling& t, std::int64_t rows) {
  std::int64_t blocks = 0;
  for (const ChannelTile& tile : t.channel_tiles) blocks = std::max(blocks, tile.blocks);
  const std::int64_t in_rows = std::min(s.in_h, (rows - 1) * s.stride_h + s.dilation_h * (s.kernel_h - 1) + 1);
  return blocks * in_rows * s.in_w * kBlock;
}

/// Lays out L1 for tiles of `t.n` channels; false when one output row does not fit.
bool fit_l1(const ConvolutionShape& s, const CoreSpec& core, ConvolutionTiling& t) {
  const std::int64_t weights = t.weight_sets * most_k(s, t) * t.n;
  t.l1_bias = static_cast<std::uint64_t>(round_up(weights, 512));
  t.l1_words = t.l1_bias + static_cast<std::uint64_t>(round_up(t.n * 4, 64));
  const std::int64_t maps = static_cast<std::int64_t>(t.l1_words) + round_up(t.n * 8, 64);
  const std::int64_t room = down((capacity(core, isa::Space::l1) - maps) / 2, kBlock);
  if (room < map_bytes(s, t, 1)) return false;
  t.slice_rows = s.out_h;
  while (map_bytes(s, t, t.slice_rows) > room) t.slice_rows = (t.slice_rows + 1) / 2;
  t.l1_map[0] = static_cast<std::uint64_t>(maps);
  t.l1_map[1] = static_cast<std::uint64_t>(maps + room);
  return true;
}

void fit_l0(const ConvolutionShape& s, const CoreSpec& core, ConvolutionTiling& t) {
  t.l0_half = static_cast<std::uint64_t>(std::min(capacity(core, isa::Space::l0a), capacity(core, isa::Space::l0b)) / 2);
  t.l0c_half = static_cast<std::uint64_t>(capacity(core, isa::Space::l0c) / 2);
  const std::int64_t positions = round_up(t.slice_rows * s.out_w, 16);
  t.m = std::min({positions, kMaxPositions, down(static_cast<std::int64_t>(t.l0c_half) / (t.n * 4), 16)});
  if (!t.fixpipe) {
    const std::int64_t fixed = round_up(t.n * 12, 512), room = (capacity(core, isa::Space::ub) - fixed) / 2;
    t.m = std::min(t.m, down(room / t.n, 16));
    t.ub_bias = 0;
    t.ub_words = static_cast<std::uint64_t>(round_up(t.n * 4, 32));
    t.ub_out[0] = static_cast<std::uint64_t>(fixed);
    t.ub_out[1] = static_cast<std::uint64_t>(fixed + down(room, kBlock));
  }
  const std::int64_t half = static_cast<std::int64_t>(t.l0_half);
  t.k_step = std::min({most_k(s, t), down(half / t.m, kBlock), down(half / t.n, kBlock)});
}

}  // namespace

InputRows input_rows(const ConvolutionShape& s, std::int64_t out_first, std::int64_t out_count) {
  const std::int64_t begin = out_first * s.stride_h - s.pad_top;
  const std::int64_t end = (out_first + out_count - 1) * s.stride_h - s.pad_top + s.dilation_h * (s.kernel_h - 1) + 1;
  InputRows rows;
  rows.first = std::clamp<std::int64_t>(begin, 0, s.in_h);
  rows.pad_top = std::max<std::int64_t>(0, -begin);
  rows.pad_bottom = std::max<std::int64_t>(0, end - s.in_h);
  rows.count = std::max<std::int64_t>(0, std::min(end, s.in_h) - rows.first);
  return rows;
}

ConvolutionTiling tile_convolution(const ConvolutionShape& shape, const CoreSpec& core, int cores, int weight_sets) {
  ConvolutionTiling t;
  t.weight_sets = weight_sets;
  t.fixpipe = core.fixpipe.present;
  const std::int64_t rows = shape.out_h;
  t.n = shape.groups > 1 ? kBlock : std::min(kMaxChannels, round_up(shape.out_channels, kBlock));
  // Narrower tiles when there would be too few of them for the cores, or when they do not fit; always whole tiles, since the
  // last one must not write beyond the tensor.
  const std::int64_t padded = round_up(shape.out_channels, kBlock);
  while (t.n > kBlock && ceil_div(shape.out_channels, t.n) * rows < cores) t.n -= kBlock;
  for (; t.n >= kBlock; t.n -= kBlock) {
    if (padded % t.n != 0) continue;
    t.channel_tiles = channel_tiles(shape, t.n);
    if (fit_l1(shape, core, t)) break;
  }
  if (t.n < kBlock) {
    throw OperatorProblem{"expected weights and one output row to fit into L1 (" + std::to_string(capacity(core, isa::Space::l1)) + " bytes), found them larger"};
  }
  const std::int64_t slices = ceil_div(cores, static_cast<std::int64_t>(t.channel_tiles.size()));
  t.slice_rows = std::min(t.slice_rows, std::max<std::int64_t>(1, ceil_div(rows, slices)));
  fit_l0(shape, core, t);
  if (t.m < 16 || t.k_step < kBlock) throw OperatorProblem{"expected a tile of 16 positions to fit into L0 and UB, found them too small"};
  return t;
}

}  // namespace npulab::operators
