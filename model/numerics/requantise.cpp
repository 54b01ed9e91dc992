// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/requantise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/numerics/float16.h"
#include "model/numerics/rounding.h"

namespace npulab::numerics {
namespace {

struct Range { int low, high; };
constexpr Range range_of(bool is_signed) { return is_signed ? Range{-128, 127} : Range{0, 255}; }

/// The chip sees 10 mantissa bits of the multiplier.
float truncated(float multiplier) {
  std::uint32_t bits;
  std::memcpy(&bits, &multiplier, 4);
  bits &= ~0x1fffu;
  std::memcpy(&multiplier, &bits, 4);
  return multiplier;
}

int onnx_rounding(float scaled, int zero_point, bool output_signed) {
  const Range range = range_of(output_signed);
  const float clamped = std::min(std::max(scaled, static_cast<float>(range.low - zero_point)), static_cast<float>(range.high - zero_point));
  return static_cast<int>(round_to_integral(clamped, RoundMode::rint)) + zero_point;
}

/// Steps 4 to 6 of the public golden script: clip to 9 bits, round, add the offset, saturate.
int chip_rounding(float scaled, const QuantisationWord& word) {
  const float clipped = std::min(std::max(scaled, -256.0f), 255.0f);
  const int sum = static_cast<int>(round_to_integral(clipped, RoundMode::rint)) + word.offset;
  const Range range = range_of(word.output_signed);
  return std::clamp(sum, range.low, range.high);
}

}  // namespace

float requantisation_multiplier(float x_scale, float w_scale, float y_scale) {
  const float product = x_scale * w_scale;
  return product / y_scale;
}

int requantise(std::int32_t accumulator, float multiplier, int zero_point, bool output_signed) {
  return onnx_rounding(static_cast<float>(accumulator) * multiplier, zero_point, output_signed);
}

int quantise_linear(float x, float scale, int zero_point, int low, int high) {
  const std::int64_t rounded = round_to_int(x / scale, RoundMode::rint);
  // Far beyond the range the zero point no longer matters; clamping first keeps the sum small.
  const std::int64_t near = std::clamp<std::int64_t>(rounded, -100000, 100000);
  return static_cast<int>(std::clamp<std::int64_t>(near + zero_point, low, high));
}

float dequantise_linear(int q, float scale, int zero_point) { return static_cast<float>(q - zero_point) * scale; }

std::uint64_t pack_quantisation_word(float multiplier, int offset, bool output_signed) {
  std::uint32_t bits;
  std::memcpy(&bits, &multiplier, 4);
  return static_cast<std::uint64_t>(bits) | (static_cast<std::uint64_t>(offset & 0x1ff) << 37) |
         (static_cast<std::uint64_t>(output_signed) << 46);
}

QuantisationWord unpack_quantisation_word(std::uint64_t word) {
  QuantisationWord fields{};
  const std::uint32_t bits = static_cast<std::uint32_t>(word);
  std::memcpy(&fields.multiplier, &bits, 4);
  const int offset = static_cast<int>((word >> 37) & 0x1ff);
  fields.offset = offset >= 256 ? offset - 512 : offset;
  fields.output_signed = ((word >> 46) & 1) != 0;
  fields.shift_enabled = ((word >> 36) & 1) != 0;
  fields.shift = static_cast<int>((word >> 32) & 0xf) + 1;
  return fields;
}

int requantise_word(std::int32_t accumulator, std::uint64_t word, Profile profile) {
  const QuantisationWord fields = unpack_quantisation_word(word);
  if (profile == Profile::onnx) {
    return onnx_rounding(static_cast<float>(accumulator) * fields.multiplier, fields.offset, fields.output_signed);
  }
  // The shift mode exists up to arch 2201; on 3510 those bits are ignored.
  if (fields.shift_enabled && profile != Profile::arch3510) accumulator = saturate<std::int16_t>(accumulator >> fields.shift);
  return chip_rounding(static_cast<float>(accumulator) * truncated(fields.multiplier), fields);
}

int requantise_word(float accumulator, std::uint64_t word, Profile profile) {
  const QuantisationWord fields = unpack_quantisation_word(word);
  if (profile == Profile::onnx) return onnx_rounding(accumulator * fields.multiplier, fields.offset, fields.output_signed);
  return chip_rounding(accumulator * truncated(fields.multiplier), fields);
}

std::uint16_t dequantise_word_to_fp16(std::int32_t accumulator, std::uint64_t word, Profile profile) {
  float multiplier = unpack_quantisation_word(word).multiplier;
  if (profile != Profile::onnx) multiplier = truncated(multiplier);
  const float scaled = static_cast<float>(accumulator) * multiplier;
  return fp32_to_fp16(std::min(std::max(scaled, -kMaxFp16), kMaxFp16));
}

}  // namespace npulab::numerics
