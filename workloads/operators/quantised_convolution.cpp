// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/quantised_convolution.h"

#include <algorithm>

#include "model/numerics/requantise.h"
#include "workloads/operators/convolution_program.h"
#include "workloads/tiling/convolution_tiling.h"

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
  return conv.weights[static_cast<std::size_t>((out * in_per_group + in % in_per_group) * s.taps() + tap)];
}

/// Part `set` of a weight that is a sum of 8-bit numbers: as much as fits, then the rest.
int part_of(int weight, int set) {
  for (; set > 0; --set) weight -= std::clamp(weight, -128, 127);
  return std::clamp(weight, -128, 127);
}

/// How many 8-bit numbers the largest weight is a sum of: 1 without a zero point, up to 3 for 255.
int sets_for(const std::vector<int>& weights) {
  int sets = 1;
  for (int weight : weights) {
    while (part_of(weight, sets) != 0) ++sets;
  }
  return sets;
}

/// FRACTAL_Z of every channel tile, one set after the other: [tile][set][k1 = c1, kh, kw][n1][16 n][32 k].
std::vector<std::uint8_t> prepare_weights(const QuantisedConvolution& conv, const tiling::ConvolutionTiling& t,
                                          std::vector<std::uint64_t>& offsets) {
  std::vector<std::uint8_t> bytes;
  for (const tiling::ChannelTile& tile : t.channel_tiles) {
    offsets.push_back(bytes.size());
    for (int set = 0; set < t.weight_sets; ++set) {
      for (std::int64_t k1 = 0; k1 < tile.blocks * conv.shape.taps(); ++k1) {
        const std::int64_t channel = (tile.block_first + k1 / conv.shape.taps()) * 32, tap = k1 % conv.shape.taps();
        for (std::int64_t n = 0; n < t.n; ++n) {
          for (std::int64_t k = 0; k < 32; ++k) {
            bytes.push_back(static_cast<std::uint8_t>(part_of(weight_at(conv, tile.first + n, channel + k, tap), set)));
          }
        }
      }
    }
  }
  return bytes;
}

tiling::ConvolutionTiling tiling_for(const QuantisedConvolution& conv, const CorePool& pool) {
  try {
    const auto cores = static_cast<int>(ceil_div(pool.count, conv.images));
    return tiling::tile_convolution(conv.shape, *pool.core, cores, sets_for(conv.weights));
  } catch (const tiling::TilingProblem& problem) {
    throw OperatorProblem{problem.message};
  }
}

}  // namespace

std::vector<std::int32_t> fold_zero_point(const std::vector<std::int32_t>& bias, const std::vector<int>& weights,
                                          std::int64_t out_channels, int input_zero_point) {
  std::vector<std::int32_t> folded = bias;
  const std::size_t per_channel = weights.size() / static_cast<std::size_t>(out_channels);
  for (std::size_t out = 0; out < folded.size(); ++out) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < per_channel; ++i) sum += weights[out * per_channel + i];
    // The accumulator wraps at 32 bits, and so does what is folded into it.
    folded[out] = static_cast<std::int32_t>(static_cast<std::uint32_t>(folded[out]) -
                                            static_cast<std::uint32_t>(input_zero_point * sum));
  }
  return folded;
}

void add_convolution(LoweringContext& context, const QuantisedConvolution& conv, std::uint64_t from, std::uint64_t to) {
  const CorePool pool = context.cube_pool();
  const tiling::ConvolutionTiling tiling = tiling_for(conv, pool);
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
    words.push_back(
        numerics::pack_quantisation_word(multiplier, conv.output_zero_point, conv.output_type == graph::ElementType::int8));
  }
  addresses.bias = context.constant(conv.name + ".bias", bytes_of(bias));
  addresses.words = context.constant(conv.name + ".quantisation", bytes_of(words));
  context.add_kernel(convolution_kernel(conv, tiling, addresses, *pool.core, pool.count), conv.name);
}

}  // namespace npulab::operators
