// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/float16.h"

#include <cstring>

namespace npulab::numerics {
namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Whether a magnitude is rounded away from zero, given the lowest kept bit and what is cut off (`rest` of 2^`cut`).
bool round_up(std::uint32_t kept, std::uint64_t rest, int cut, bool negative, RoundMode mode) {
  const std::uint64_t half = std::uint64_t{1} << (cut - 1);
  switch (mode) {
    case RoundMode::floor: return negative && rest != 0;
    case RoundMode::ceil: return !negative && rest != 0;
    case RoundMode::trunc: return false;
    case RoundMode::round: return rest >= half;
    case RoundMode::odd: return rest != 0 && (kept & 1) == 0;
    default: return rest > half || (rest == half && (kept & 1) != 0);
  }
}

bool overflow_is_infinite(bool negative, RoundMode mode) {
  return !(mode == RoundMode::trunc || mode == RoundMode::odd || (mode == RoundMode::floor && !negative) ||
           (mode == RoundMode::ceil && negative));
}

/// Narrows fp32 to `exponent_bits` and `mantissa_bits`.
std::uint16_t narrow(float value, int exponent_bits, int mantissa_bits, RoundMode mode) {
  const std::uint32_t bits = bits_of(value);
  const bool negative = (bits >> 31) != 0;
  const std::uint32_t sign = (bits >> 31) << (exponent_bits + mantissa_bits);
  const std::uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | infinity | (1u << (mantissa_bits - 1)));
  if (magnitude == 0x7f800000u) return static_cast<std::uint16_t>(sign | infinity);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  const int stored = static_cast<int>(magnitude >> 23);
  // An fp32 subnormal has no hidden bit and the exponent of the smallest normal.
  const std::uint64_t mantissa = stored == 0 ? magnitude : (magnitude & 0x7fffffu) | 0x800000u;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (stored == 0 ? 1 : stored) - 127 + bias;
  int cut = 23 - mantissa_bits;
  if (exponent < 1) cut += 1 - exponent;  // subnormal result
  if (cut > 40) cut = 40;
  std::uint32_t kept = static_cast<std::uint32_t>(cut >= 32 ? 0 : mantissa >> cut);
  const std::uint64_t rest = mantissa & ((std::uint64_t{1} << cut) - 1);
  // A carry out of the mantissa runs into the exponent, which is right in both formats.
  std::uint32_t result = exponent < 1 ? kept : (static_cast<std::uint32_t>(exponent - 1) << mantissa_bits) + kept;
  if (cut > 0 && round_up(kept, rest, cut, negative, mode)) ++result;
  if (result >= infinity) result = overflow_is_infinite(negative, mode) ? infinity : infinity - 1;
  return static_cast<std::uint16_t>(sign | result);
}

}  // namespace

float fp16_to_fp32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return float_of(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
    return sign != 0 ? -magnitude : magnitude;
  }
  return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

std::uint16_t fp32_to_fp16(float value, RoundMode mode) { return narrow(value, 5, 10, mode); }

float bf16_to_fp32(std::uint16_t bits) { return float_of(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t fp32_to_bf16(float value, RoundMode mode) { return narrow(value, 8, 7, mode); }

}  // namespace npulab::numerics
