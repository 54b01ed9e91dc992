// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/matmul_plan.h"

#include <algorithm>

#include "model/numerics/requantise.h"
#include "workloads/operators/convolution_program.h"
#include "workloads/operators/convolution_tiling.h"

namespace npulab::operators {
namespace {

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(values.data());
  return {data, data + values.size() * sizeof(T)};
}

/// Weight of output channel `out` for input channel `in`; zero outside the channel's group.
int weight_at(const QuantisedConvolution& conv, std::int64_t out, std::int64_t in, std::int64_t tap) {
  const ConvolutionShape& s = conv.shape;
  if (out >= s.out_channels || in >= s.in_channels) return 0;
  const std::int64_t in_per_group = s.in_channels / s.groups, group = out / (s.out_channels / s.groups);
  if (in / in_per_group != group) return 0;
  const std::int64_t taps = s.kernel_h * s.kernel_w;
  return conv.weights[static_cast<std::size_t>((out * in_per_group + in % in_per_group) * taps + tap)];
}

/// FRACTAL_Z of every channel tile, one set after the other: [tile][set][k1 = c1, kh, kw][n1][16 n][32 k].
std::vector<std::uint8_t> prepare_weights(const QuantisedConvolution& conv, const ConvolutionTiling& t, std::vector<std::uint64_t>& offsets) {
  std::vector<std::uint8_t> bytes;
  const std::int64_t taps = conv.shape.kernel_h * conv.shape.kernel_w;
  for (const ChannelTile& tile : t.channel_tiles) {
    offsets.push_back(bytes.size());
    for (int set = 0; set < t.weight_sets; ++set) {
      for (std::int64_t c1 = 0; c1 < tile.blocks; ++c1) {
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          for (std::int64_t n = 0; n < t.n; ++n) {
            for (std::int64_t k = 0; k < 32; ++k) {
              const int w = weight_at(conv, tile.first + n, (tile.block_first + c1) * 32 + k, tap);
              const int low = std::clamp(w, -128, 127);
              bytes.push_back(static_cast<std::uint8_t>(set == 0 ? low : w - low));
            }
          }
        }
      }
    }
  }
  return bytes;
}

bool needs_two_sets(const std::vector<int>& weights) {
  return std::any_of(weights.begin(), weights.end(), [](int w) { return w < -128 || w > 127; });
}

}  // namespace

std::vector<std::int32_t> fold_zero_point(const std::vector<std::int32_t>& bias, const std::vector<int>& weights, std::int64_t out_channels, int input_zero_point) {
  std::vector<std::int32_t> folded = bias;
  const std::size_t per_channel = weights.size() / static_cast<std::size_t>(out_channels);
  for (std::size_t out = 0; out < folded.size(); ++out) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < per_channel; ++i) sum += weights[out * per_channel + i];
    // The accumulator wraps at 32 bits, and so does what is folded into it.
    folded[out] = static_cast<std::int32_t>(static_cast<std::uint32_t>(folded[out]) - static_cast<std::uint32_t>(input_zero_point * sum));
  }
  return folded;
}

void add_convolution(LoweringContext& context, const QuantisedConvolution& conv, std::uint64_t from, std::uint64_t to) {
  const CorePool pool = context.cube_pool();
  const ConvolutionTiling tiling = tile_convolution(conv.shape, *pool.core, pool.count, needs_two_sets(conv.weights) ? 2 : 1);
  ConvolutionAddresses addresses;
  addresses.input = from;
  addresses.output = to;
  std::vector<std::uint64_t> offsets;
  const std::uint64_t weights = context.constant(conv.name + ".weights", prepare_weights(conv, tiling, offsets));
  for (std::uint64_t offset : offsets) addresses.weights.push_back(weights + offset);
  const std::size_t padded = tiling.channel_tiles.size() * static_cast<std::size_t>(tiling.n);
  std::vector<std::int32_t> bias = conv.bias;
  bias.resize(padded, 0);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < padded; ++i) {
    const float multiplier = i < conv.multipliers.size() ? conv.multipliers[i] : 0.0f;
    words.push_back(numerics::pack_quantisation_word(multiplier, conv.output_zero_point, conv.output_type == graph::ElementType::int8));
  }
  addresses.bias = context.constant(conv.name + ".bias", bytes_of(bias));
  addresses.words = context.constant(conv.name + ".quantisation", bytes_of(words));
  context.add_kernel(convolution_kernel(conv, tiling, addresses, *pool.core, pool.count), conv.name);
}

}  // namespace npulab::operators
