// SPDX-License-Identifier: Apache-2.0
// Invariants of the convolution tiling for random shapes on every chip: nothing overlaps, everything fits, everything is covered.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/workloads/lowered_model.h"
#include "workloads/tiling/convolution_tiling.h"

namespace npulab::test {
namespace {

using tiling::ConvolutionShape;

ConvolutionShape random_shape(std::mt19937& random) {
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  ConvolutionShape s;
  s.groups = random() % 3 == 0 ? pick(2, 8) : 1;
  s.in_channels = s.groups * pick(1, 300);
  s.out_channels = s.groups * pick(1, 300);
  s.kernel_h = pick(1, 5);
  s.kernel_w = pick(1, 5);
  s.stride_h = pick(1, 3);
  s.stride_w = pick(1, 3);
  s.dilation_h = pick(1, 2);
  s.pad_top = pick(0, 6);
  s.pad_bottom = pick(0, 6);
  s.in_h = pick(s.reach_h(), 60);
  s.in_w = pick(s.reach_w(), 60);
  s.out_h = (s.in_h + s.pad_top + s.pad_bottom - s.reach_h()) / s.stride_h + 1;
  s.out_w = (s.in_w - s.reach_w()) / s.stride_w + 1;
  return s;
}

std::int64_t capacity(const CoreSpec& core, isa::Space space) { return core.buffers[static_cast<int>(space)].capacity; }

void expect_l1(const ConvolutionShape& s, const tiling::ConvolutionTiling& t, const CoreSpec& core) {
  std::int64_t blocks = 0;
  for (const tiling::ChannelTile& tile : t.channel_tiles) blocks = std::max(blocks, std::min(tile.blocks, t.chunk_blocks));
  const std::int64_t rows = std::min(s.in_h, (t.slice_rows - 1) * s.stride_h + s.reach_h());
  const std::int64_t map = blocks * rows * s.in_w * 32, weights = t.weight_sets * t.k_of(s, blocks) * t.n;
  const auto at = [](std::uint64_t address) { return static_cast<std::int64_t>(address); };
  EXPECT_LE(at(t.l1_bias) + t.n * 4, at(t.l1_words));
  EXPECT_LE(at(t.l1_words) + t.n * 8, at(t.l1_half[0]));
  const std::int64_t half = t.streamed ? at(t.l1_chunk_weights) + weights : map;
  if (t.streamed) {
    EXPECT_LE(map, at(t.l1_chunk_weights));
  } else {
    EXPECT_LE(at(t.l1_weights) + weights, at(t.l1_bias));
  }
  EXPECT_LE(at(t.l1_half[0]) + half, at(t.l1_half[1]));
  EXPECT_LE(at(t.l1_half[1]) + half, capacity(core, isa::Space::l1));
}

void expect_channels(const ConvolutionShape& s, const tiling::ConvolutionTiling& t) {
  std::int64_t next = 0;
  for (const tiling::ChannelTile& tile : t.channel_tiles) {
    EXPECT_EQ(tile.first, next);
    next += t.n;
    // Every input channel that an output channel of the tile reads lies in the tile's blocks.
    for (std::int64_t out = tile.first; out < std::min(next, s.out_channels); ++out) {
      const std::int64_t group = out / (s.out_channels / s.groups), first = group * (s.in_channels / s.groups),
                         last = first + s.in_channels / s.groups - 1;
      EXPECT_GE(first / 32, tile.block_first);
      EXPECT_LT(last / 32, tile.block_first + tile.blocks);
    }
  }
  EXPECT_EQ(next, (s.out_channels + 31) / 32 * 32);
}

class Tiling : public testing::TestWithParam<const char*> {};

TEST_P(Tiling, fits_and_covers) {
  const SocSpec soc = test_chip(GetParam());
  const CoreSpec& core = soc.cube_core();
  std::mt19937 random(21);
  int streamed = 0, resident = 0;
  for (int i = 0; i < 400; ++i) {
    const ConvolutionShape s = random_shape(random);
    const int sets = 1 + static_cast<int>(random() % 3), cores = 1 + static_cast<int>(random() % 32);
    SCOPED_TRACE("shape " + std::to_string(i));
    tiling::ConvolutionTiling t;
    try {
      t = tiling::tile_convolution(s, core, cores, sets);
    } catch (const tiling::TilingProblem&) {
      EXPECT_EQ(std::string(GetParam()).rfind("small", 0), 0u) << "only tiny cores may refuse a shape like this";
      continue;
    }
    ++(t.streamed ? streamed : resident);
    expect_l1(s, t, core);
    expect_channels(s, t);
    const auto half = static_cast<std::int64_t>(t.l0_half);
    EXPECT_LE(t.m * t.k_step, half);
    EXPECT_LE(t.n * t.k_step, half);
    EXPECT_LE(2 * half, std::min(capacity(core, isa::Space::l0a), capacity(core, isa::Space::l0b)));
    EXPECT_LE(t.m * t.n * 4, static_cast<std::int64_t>(t.l0c_half));
    if (!t.fixpipe) {
      EXPECT_LE(static_cast<std::int64_t>(t.ub_out[1]) + t.m * t.n, capacity(core, isa::Space::ub));
    }
    EXPECT_EQ(t.m % 16, 0);
    EXPECT_EQ(t.k_step % 32, 0);
    if (HasFailure()) return;
  }
  EXPECT_GT(resident, 50);
  if (std::string(GetParam()).rfind("small", 0) == 0) {
    EXPECT_GT(streamed, 50);
  }
}

TEST_P(Tiling, input_rows_are_those_that_the_windows_touch) {
  std::mt19937 random(8);
  for (int i = 0; i < 500; ++i) {
    const ConvolutionShape s = random_shape(random);
    const auto first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(s.out_h));
    const auto count = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(s.out_h - first));
    const tiling::InputRows rows = tiling::input_rows(s, first, count);
    std::int64_t least = s.in_h, most = -1;
    for (std::int64_t out = first; out < first + count; ++out) {
      for (std::int64_t k = 0; k < s.reach_h(); ++k) {
        const std::int64_t row = out * s.stride_h - s.pad_top + k;
        if (row < 0 || row >= s.in_h) continue;
        least = std::min(least, row);
        most = std::max(most, row);
      }
    }
    ASSERT_GE(rows.count, 1);
    ASSERT_GE(rows.pad_top, 0);
    ASSERT_GE(rows.pad_bottom, 0);
    // The rows with their padding are as high as the windows reach.
    const std::int64_t reach = (count - 1) * s.stride_h + s.reach_h();
    if (most >= 0) {
      ASSERT_LE(rows.first, least);  // strides beyond the kernel leave rows out
      ASSERT_GE(rows.first + rows.count - 1, most);
      ASSERT_EQ(rows.pad_top + rows.count + rows.pad_bottom, reach);
    } else {
      ASSERT_GE(rows.pad_top + rows.count + rows.pad_bottom, reach);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, Tiling, testing::Values("310p3", "910b1", "950pr", "910a", "310x4", "small_910b1", "small_310p3"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace npulab::test
