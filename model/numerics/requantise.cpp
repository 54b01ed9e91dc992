// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/requantise.h"

#include <algorithm>
#include <string>

#include "model/base/errors.h"
#include "model/numerics/float16.h"
#include "model/numerics/float_bits.h"
#include "model/numerics/rounding.h"

namespace npulab::numerics {
namespace {

constexpr int kOffsetPosition = 37;
constexpr int kShiftPosition = 32;
constexpr int kShiftEnablePosition = 36;
constexpr int kSignPosition = 46;
constexpr std::uint32_t kIgnoredMantissa = 0x1fffu;
constexpr std::uint32_t kExponent = 0x7f800000u;

struct Range {
  int low, high;
};
constexpr Range range_of(bool is_signed) { return is_signed ? Range{-128, 127} : Range{0, 255}; }

/// `value` within the limits; NaN becomes `low`, as the vector instructions of the reference runtime have it.
inline float clamp_real(float value, float low, float high) {
  const float raised = value > low ? value : low;
  return raised < high ? raised : high;
}

/// `value`, below 2^22 in magnitude, rounded half to even: the sum with 1.5 * 2^23 has the integer in its low bits.
inline std::int32_t small_to_int(float value) {
  constexpr float kMagic = 12582912.0f;
  return static_cast<std::int32_t>(bits_of(value + kMagic) - bits_of(kMagic));
}

/// Limits of the scaled value before the zero point is added.
struct OnnxLimits {
  float low, high;
  int zero_point;
  OnnxLimits(int zero, bool output_signed)
      : low(static_cast<float>(range_of(output_signed).low - zero)),
        high(static_cast<float>(range_of(output_signed).high - zero)),
        zero_point(zero) {}
  int apply(float scaled) const { return small_to_int(clamp_real(scaled, low, high)) + zero_point; }
};

/// Steps 4 to 6 of the public golden script: clip to 9 bits, round, add the offset, saturate. NaN counts as zero.
int chip_rounding(float scaled, const QuantisationWord& word) {
  const float number = scaled == scaled ? scaled : 0.0f;
  const int sum = small_to_int(clamp_real(number, -256.0f, 255.0f)) + word.offset;
  const Range range = range_of(word.output_signed);
  return std::clamp(sum, range.low, range.high);
}

}  // namespace

float requantisation_multiplier(float x_scale, float w_scale, float y_scale) {
  const float product = x_scale * w_scale;
  return product / y_scale;
}

int requantise(std::int32_t accumulator, float multiplier, int zero_point, bool output_signed) {
  return OnnxLimits(zero_point, output_signed).apply(static_cast<float>(accumulator) * multiplier);
}

void requantise_row(const std::int32_t* accumulators, int count, float multiplier, int zero_point, bool output_signed,
                    std::uint8_t* out) {
  const OnnxLimits limits(zero_point, output_signed);
  for (int i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>(limits.apply(static_cast<float>(accumulators[i]) * multiplier));
  }
}

void requantise_channels(const std::int32_t* accumulators, int count, const float* multipliers, int zero_point,
                         bool output_signed, std::uint8_t* out) {
  const OnnxLimits limits(zero_point, output_signed);
  for (int i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>(limits.apply(static_cast<float>(accumulators[i]) * multipliers[i]));
  }
}

int quantise_linear(float x, float scale, int zero_point, int low, int high) {
  // The limits are integers, so clamping before the rounding changes nothing but keeps the sum small.
  const float clamped = clamp_real(x / scale, static_cast<float>(low - zero_point), static_cast<float>(high - zero_point));
  return small_to_int(clamped) + zero_point;
}

float dequantise_linear(int q, float scale, int zero_point) { return static_cast<float>(q - zero_point) * scale; }

std::uint64_t pack_quantisation_word(const QuantisationWord& fields) {
  if (fields.offset < -256 || fields.offset > 255) {
    throw InternalError("quantisation word: offset " + std::to_string(fields.offset) + " does not fit 9 signed bits");
  }
  if (fields.shift < 1 || fields.shift > 16) {
    throw InternalError("quantisation word: shift " + std::to_string(fields.shift) + " is not within 1 to 16");
  }
  return static_cast<std::uint64_t>(bits_of(fields.multiplier)) |
         static_cast<std::uint64_t>(fields.shift - 1) << kShiftPosition |
         static_cast<std::uint64_t>(fields.shift_enabled) << kShiftEnablePosition |
         static_cast<std::uint64_t>(fields.offset & 0x1ff) << kOffsetPosition |
         static_cast<std::uint64_t>(fields.output_signed) << kSignPosition;
}

std::uint64_t pack_quantisation_word(float multiplier, int offset, bool output_signed) {
  QuantisationWord fields;
  fields.multiplier = multiplier;
  fields.offset = offset;
  fields.output_signed = output_signed;
  return pack_quantisation_word(fields);
}

QuantisationWord unpack_quantisation_word(std::uint64_t word) {
  QuantisationWord fields;
  fields.multiplier = float_of(static_cast<std::uint32_t>(word));
  const int offset = static_cast<int>((word >> kOffsetPosition) & 0x1ff);
  fields.offset = offset >= 256 ? offset - 512 : offset;
  fields.output_signed = ((word >> kSignPosition) & 1) != 0;
  fields.shift_enabled = ((word >> kShiftEnablePosition) & 1) != 0;
  fields.shift = static_cast<int>((word >> kShiftPosition) & 0xf) + 1;
  return fields;
}

float chip_multiplier(float multiplier) {
  const std::uint32_t bits = bits_of(multiplier);
  return float_of((bits & kExponent) == 0 ? bits & 0x80000000u : bits & ~kIgnoredMantissa);
}

float rounded_chip_multiplier(float multiplier) {
  const std::uint32_t bits = bits_of(multiplier);
  if ((bits & kExponent) == 0) return float_of(bits & 0x80000000u);
  if ((bits & kExponent) == kExponent) return multiplier;
  // A carry runs into the exponent, which is the right result.
  return float_of((bits + (kIgnoredMantissa >> 1) + ((bits >> 13) & 1)) & ~kIgnoredMantissa);
}

int requantise_word(std::int32_t accumulator, std::uint64_t word, Profile profile) {
  const QuantisationWord fields = unpack_quantisation_word(word);
  if (profile == Profile::onnx) return requantise(accumulator, fields.multiplier, fields.offset, fields.output_signed);
  // The shift mode exists up to arch 2201; on 3510 those bits are ignored.
  if (fields.shift_enabled && profile != Profile::arch3510) accumulator = saturate<std::int16_t>(accumulator >> fields.shift);
  return chip_rounding(static_cast<float>(accumulator) * chip_multiplier(fields.multiplier), fields);
}

int requantise_word(float accumulator, std::uint64_t word, Profile profile) {
  const QuantisationWord fields = unpack_quantisation_word(word);
  if (profile == Profile::onnx) return OnnxLimits(fields.offset, fields.output_signed).apply(accumulator * fields.multiplier);
  return chip_rounding(accumulator * chip_multiplier(fields.multiplier), fields);
}

std::uint16_t dequantise_word_to_fp16(std::int32_t accumulator, std::uint64_t word, Profile profile) {
  const float multiplier = float_of(static_cast<std::uint32_t>(word));
  const float scaled = static_cast<float>(accumulator) * (profile == Profile::onnx ? multiplier : chip_multiplier(multiplier));
  return fp32_to_fp16(scaled, RoundMode::rint, Overflow::saturate);
}

}  // namespace npulab::numerics
