// SPDX-License-Identifier: Apache-2.0
// From int32 accumulators to 8 bits, as ONNX Runtime does it (profile onnx: full fp32 multiplier) and as the chips do
// (profiles arch*: 10-bit mantissa, 9-bit clip before the offset; asc-devkit quantisation pages). Word layout: bits 0-31
// fp32 multiplier (the chip ignores the low 13), 32-35 shift, 36 shift enable, 37-45 offset (9-bit signed), 46 signed result.
#pragma once

#include <cstdint>

namespace npulab::numerics {

enum class Profile : std::uint8_t { onnx, arch2002, arch2201, arch3510 };

/// float32(float32(x_scale * w_scale) / y_scale).
float requantisation_multiplier(float x_scale, float w_scale, float y_scale);

/// rint(clamp(float32(accumulator) * multiplier, low - zero_point, high - zero_point)) + zero_point.
int requantise(std::int32_t accumulator, float multiplier, int zero_point, bool output_signed);

/// saturate(rint(x / scale) + zero_point) to [low, high].
int quantise_linear(float x, float scale, int zero_point, int low, int high);

/// (q - zero_point) * scale.
float dequantise_linear(int q, float scale, int zero_point);

/// Packs a quantisation word; `offset` within [-256, 255].
std::uint64_t pack_quantisation_word(float multiplier, int offset, bool output_signed);
struct QuantisationWord {
  float multiplier;
  int offset;
  bool output_signed;
  bool shift_enabled;
  int shift;
};
QuantisationWord unpack_quantisation_word(std::uint64_t word);

/// (V)REQ8: the low 8 bits of the result, sign by the word.
int requantise_word(std::int32_t accumulator, std::uint64_t word, Profile profile);
/// (V)QF322B8_PRE: the same from an fp32 accumulator.
int requantise_word(float accumulator, std::uint64_t word, Profile profile);
/// (V)DEQF16: fp32 multiply, saturated to +-65504, as fp16 bits.
std::uint16_t dequantise_word_to_fp16(std::int32_t accumulator, std::uint64_t word, Profile profile);

}  // namespace npulab::numerics
