// SPDX-License-Identifier: Apache-2.0
// From int32 or fp32 accumulators to 8 bits or fp16, as ONNX Runtime does it (profile onnx: all bits of the fp32 multiplier)
// and as the chips do (profiles arch*: 10-bit mantissa, 9-bit clip before the offset; asc-devkit quantisation pages). Word:
// bits 0-31 fp32 multiplier (chips ignore the low 13), 32-35 shift - 1, 36 shift enable, 37-45 signed offset, 46 signed result.
// Left out: the second multiplier of a fused ReLU (the caller clears negative accumulators) and fp8/hif8 results.
#pragma once

#include <cstdint>

namespace npulab::numerics {

/// Which machine's arithmetic a quantisation word is read with.
enum class Profile : std::uint8_t { onnx, arch2002, arch2201, arch3510 };
/// The name used where `Profile` alone says too little.
using NumericsProfile = Profile;

/// float32(float32(x_scale * w_scale) / y_scale).
float requantisation_multiplier(float x_scale, float w_scale, float y_scale);

/// rint(clamp(float32(accumulator) * multiplier, low - zero_point, high - zero_point)) + zero_point; NaN gives the low end.
int requantise(std::int32_t accumulator, float multiplier, int zero_point, bool output_signed);
/// `requantise` of `count` values with one multiplier; `out` receives the low 8 bits of each.
void requantise_row(const std::int32_t* accumulators, int count, float multiplier, int zero_point, bool output_signed,
                    std::uint8_t* out);
/// `requantise` of one value a channel, `count` channels, each with its own multiplier; `out` receives the low 8 bits.
void requantise_channels(const std::int32_t* accumulators, int count, const float* multipliers, int zero_point,
                         bool output_signed, std::uint8_t* out);

/// saturate(rint(x / scale) + zero_point) to [low, high], for types of up to 16 bits; NaN gives `low`.
int quantise_linear(float x, float scale, int zero_point, int low, int high);

/// (q - zero_point) * scale.
float dequantise_linear(int q, float scale, int zero_point);

/// The fields of a quantisation word.
struct QuantisationWord {
  float multiplier = 0.0f;
  int offset = 0;              // -256..255; the zero point in profile onnx
  bool output_signed = false;  // int8, else uint8
  bool shift_enabled = false;  // shift right and saturate to 16 bits before the multiplication
  int shift = 1;               // 1..16, stored less one as the documentation says
};

/// The 64-bit form; InternalError for an offset or a shift that does not fit.
std::uint64_t pack_quantisation_word(const QuantisationWord& fields);
/// The same without a shift.
std::uint64_t pack_quantisation_word(float multiplier, int offset, bool output_signed);
/// Inverse of packing; bits without meaning are dropped.
QuantisationWord unpack_quantisation_word(std::uint64_t word);

/// The multiplier a chip uses for these fp32 bits: 10 mantissa bits, the rest cut off, subnormals as zero.
float chip_multiplier(float multiplier);
/// 10 mantissa bits rounded half to even, subnormals as zero, infinity and NaN as they are: what a compiler stores for a chip.
float rounded_chip_multiplier(float multiplier);

/// (V)REQ8: int8 or uint8 by the word's sign bit, as an int.
int requantise_word(std::int32_t accumulator, std::uint64_t word, Profile profile);
/// (V)QF322B8_PRE: the same from an fp32 accumulator, which is never shifted.
int requantise_word(float accumulator, std::uint64_t word, Profile profile);
/// (V)DEQF16: fp32 multiply, saturated to +-65504, as fp16 bits; offset, sign and shift have no effect.
std::uint16_t dequantise_word_to_fp16(std::int32_t accumulator, std::uint64_t word, Profile profile);

}  // namespace npulab::numerics
