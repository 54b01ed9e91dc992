// SPDX-License-Identifier: Apache-2.0
#include "workloads/tiling/convolution_tiling.h"

#include <algorithm>

#include "model/isa/isa_limits.h"

namespace npulab::tiling {
namespace {

namespace limits = isa::limits;

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
    const std::int64_t in_first = first / out_per_group * in_per_group;
    const std::int64_t in_last = (last / out_per_group + 1) * in_per_group - 1;
    tiles.push_back({first, in_first / kBlock, in_last / kBlock - in_first / kBlock + 1});
  }
  return tiles;
}

std::int64_t most_blocks(const ConvolutionTiling& t) {
  std::int64_t blocks = 0;
  for (const ChannelTile& tile : t.channel_tiles) blocks = std::max(blocks, tile.blocks);
  return blocks;
}

/// Bytes of L1 for `blocks` channel blocks of the map of a slice of `rows` output rows.
std::int64_t map_bytes(const ConvolutionShape& s, std::int64_t blocks, std::int64_t rows) {
  return blocks * std::min(s.in_h, (rows - 1) * s.stride_h + s.reach_h()) * s.in_w * kBlock;
}

/// Puts bias and words at `first` in L1 and returns what is left for each of the two halves behind them.
std::int64_t place_tables(const CoreSpec& core, std::int64_t first, ConvolutionTiling& t) {
  t.l1_bias = static_cast<std::uint64_t>(first);
  t.l1_words = t.l1_bias + static_cast<std::uint64_t>(round_up(t.n * 4, 64));
  const std::int64_t halves = static_cast<std::int64_t>(t.l1_words) + round_up(t.n * 8, 64);
  const std::int64_t room = down((capacity(core, isa::Space::l1) - halves) / 2, kBlock);
  t.l1_half[0] = static_cast<std::uint64_t>(halves);
  t.l1_half[1] = static_cast<std::uint64_t>(halves + std::max<std::int64_t>(room, 0));
  return room;
}

/// Slices as long as `room` allows; false when one output row does not fit.
bool fit_slice(const ConvolutionShape& s, std::int64_t blocks, std::int64_t room, ConvolutionTiling& t) {
  if (map_bytes(s, blocks, 1) > room || s.out_w > limits::kLoad3dExtent - kMaxPositions) return false;
  t.slice_rows = std::min(s.out_h, (limits::kLoad3dExtent - kMaxPositions) / s.out_w);
  while (map_bytes(s, blocks, t.slice_rows) > room) t.slice_rows = (t.slice_rows + 1) / 2;
  return true;
}

/// Lays out L1 with all weights of a tile of `t.n` channels; false when they and one output row do not fit.
bool fit_resident(const ConvolutionShape& s, const CoreSpec& core, ConvolutionTiling& t) {
  const std::int64_t blocks = most_blocks(t), k = t.k_of(s, blocks), weights = t.weight_sets * k * t.n;
  if (k > limits::kLoad3dExtent || weights > limits::kCopyRowBytes) return false;
  const std::int64_t room = place_tables(core, round_up(weights, 512), t);
  t.streamed = false;
  t.chunk_blocks = blocks;
  return fit_slice(s, blocks, room, t);
}

/// Lays out L1 with map and weights in chunks of as many channel blocks as fit; false when one does not.
bool fit_streamed(const ConvolutionShape& s, const CoreSpec& core, ConvolutionTiling& t) {
  const std::int64_t room = place_tables(core, 0, t);
  const std::int64_t weights = t.weight_sets * t.k_of(s, 1) * t.n;
  const std::int64_t by_fields = std::min(limits::kLoad3dExtent / t.k_of(s, 1), limits::kCopyRowBytes / weights);
  t.streamed = true;
  for (std::int64_t blocks = std::min(most_blocks(t), by_fields); blocks > 0; --blocks) {
    const std::int64_t left = room - blocks * weights;
    // Every sub-tile loads its chunks anew, so a slice is no longer than a sub-tile if that can be.
    if (left < 0 || !fit_slice(s, blocks, left, t)) continue;
    t.slice_rows = std::min(t.slice_rows, std::max<std::int64_t>(1, kMaxPositions / s.out_w));
    t.chunk_blocks = blocks;
    t.l1_chunk_weights = static_cast<std::uint64_t>(round_up(map_bytes(s, blocks, t.slice_rows), kBlock));
    return true;
  }
  return false;
}

/// Sub-tiles and steps within halves of L0 (and of UB without FixPipe); false when not even 16 positions and 32 columns fit.
bool fit_l0(const ConvolutionShape& s, const CoreSpec& core, ConvolutionTiling& t) {
  const std::int64_t half = std::min(capacity(core, isa::Space::l0a), capacity(core, isa::Space::l0b)) / 2;
  t.l0_half = static_cast<std::uint64_t>(half);
  t.l0c_half = static_cast<std::uint64_t>(capacity(core, isa::Space::l0c) / 2);
  const std::int64_t positions = round_up(t.slice_rows * s.out_w, 16);
  t.m = std::min({positions, kMaxPositions, down(static_cast<std::int64_t>(t.l0c_half) / (t.n * 4), 16), down(half / kBlock, 16)});
  if (!t.fixpipe) {
    const std::int64_t fixed = round_up(t.n * 12, 512), room = (capacity(core, isa::Space::ub) - fixed) / 2;
    t.m = std::min(t.m, down(room / t.n, 16));
    t.ub_bias = 0;
    t.ub_words = static_cast<std::uint64_t>(round_up(t.n * 4, 32));
    t.ub_out[0] = static_cast<std::uint64_t>(fixed);
    t.ub_out[1] = static_cast<std::uint64_t>(fixed + down(room, kBlock));
  }
  if (t.m < 16) return false;
  t.k_step = std::min(
      {t.k_of(s, t.chunk_blocks), down(half / t.m, kBlock), down(half / t.n, kBlock), down(limits::kMmadExtent, kBlock)});
  return t.k_step >= kBlock;
}

void check_fields(const ConvolutionShape& s) {
  if (s.in_h > limits::kLoad3dMap || s.in_w > limits::kLoad3dMap) {
    throw TilingProblem{"expected at most " + std::to_string(limits::kLoad3dMap) + " rows and columns, found " +
                        std::to_string(s.in_h) + " x " + std::to_string(s.in_w)};
  }
}

/// Narrower tiles when there would be too few of them for the cores, or when they do not fit; always whole tiles, since the last
/// one must not write beyond the tensor.
bool choose_channels(const ConvolutionShape& s, const CoreSpec& core, int cores, ConvolutionTiling& t) {
  const std::int64_t padded = round_up(s.out_channels, kBlock);
  std::int64_t widest = s.groups > 1 ? kBlock : std::min(kMaxChannels, padded);
  while (widest > kBlock && ceil_div(s.out_channels, widest) * s.out_h < cores) widest -= kBlock;
  for (const bool streamed : {false, true}) {
    for (t.n = widest; t.n >= kBlock; t.n -= kBlock) {
      if (padded % t.n != 0) continue;
      t.channel_tiles = channel_tiles(s, t.n);
      if (!(streamed ? fit_streamed(s, core, t) : fit_resident(s, core, t))) continue;
      const std::int64_t slices = ceil_div(cores, static_cast<std::int64_t>(t.channel_tiles.size()));
      t.slice_rows = std::min(t.slice_rows, std::max<std::int64_t>(1, ceil_div(s.out_h, slices)));
      if (fit_l0(s, core, t)) return true;
    }
  }
  return false;
}

}  // namespace

InputRows input_rows(const ConvolutionShape& s, std::int64_t out_first, std::int64_t out_count) {
  const std::int64_t begin = out_first * s.stride_h - s.pad_top, end = begin + (out_count - 1) * s.stride_h + s.reach_h();
  // A map without rows cannot be loaded: the first row stands in, below all the padding that the slice sees.
  if (begin >= s.in_h || end <= 0) return {0, 1, end - begin, 0};
  InputRows rows;
  rows.first = std::max<std::int64_t>(begin, 0);
  rows.count = std::min(end, s.in_h) - rows.first;
  rows.pad_top = std::max<std::int64_t>(0, -begin);
  rows.pad_bottom = std::max<std::int64_t>(0, end - s.in_h);
  return rows;
}

ConvolutionTiling tile_convolution(const ConvolutionShape& shape, const CoreSpec& core, int cores, int weight_sets) {
  check_fields(shape);
  ConvolutionTiling t;
  t.weight_sets = weight_sets;
  t.fixpipe = core.fixpipe.present;
  if (!choose_channels(shape, core, cores, t)) {
    throw TilingProblem{"expected the weights of one channel block and one output row to fit into L1 (" +
                        std::to_string(capacity(core, isa::Space::l1)) +
                        " bytes), and 16 positions of 32 channels into L0 and UB, found them larger"};
  }
  return t;
}

}  // namespace npulab::tiling
