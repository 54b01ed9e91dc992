// SPDX-License-Identifier: Apache-2.0
// fp16 (1-5-10) and bf16 (1-8-7) as bit patterns: conversions and the four operations, each result rounded half to even once.
// Left out: fused multiply-add, fp8 and hif8, and the payloads of NaN (any NaN counts as one value).
#pragma once

#include <cstdint>

#include "model/numerics/float_bits.h"
#include "model/numerics/rounding.h"

namespace npulab::numerics {

/// What becomes of a result too large: infinity, or (`saturate`) the largest finite value, infinite inputs included.
enum class Overflow : std::uint8_t { infinity, saturate };

inline constexpr float kMaxFp16 = 65504.0f;

/// Exact, subnormals, infinities and NaN included.
inline float fp16_to_fp32(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  // The exponent bias grows by 112; all ones stays all ones. A subnormal counts steps of 2^-24.
  const std::uint32_t normal = magnitude + (magnitude >= (31u << 23) ? 224u << 23 : 112u << 23);
  const std::uint32_t subnormal = bits_of(static_cast<float>(static_cast<std::int32_t>(bits & 0x3ffu)) * 0x1p-24f);
  return float_of(sign | (magnitude < (1u << 23) ? subnormal : normal));
}

/// Exact.
inline float bf16_to_fp32(std::uint16_t bits) { return float_of(static_cast<std::uint32_t>(bits) << 16); }

/// Rounded by `mode`; beyond the largest finite value infinity, in modes that round toward zero there the largest finite value.
std::uint16_t fp32_to_fp16(float value, RoundMode mode = RoundMode::rint, Overflow overflow = Overflow::infinity);
/// As `fp32_to_fp16`, to bf16.
std::uint16_t fp32_to_bf16(float value, RoundMode mode = RoundMode::rint, Overflow overflow = Overflow::infinity);
/// fp64 to fp16, rounded once.
std::uint16_t fp64_to_fp16(double value, RoundMode mode = RoundMode::rint, Overflow overflow = Overflow::infinity);
/// fp64 to bf16, rounded once.
std::uint16_t fp64_to_bf16(double value, RoundMode mode = RoundMode::rint, Overflow overflow = Overflow::infinity);

/// a + b in fp16.
std::uint16_t fp16_add(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);
/// a - b in fp16.
std::uint16_t fp16_sub(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);
/// a * b in fp16.
std::uint16_t fp16_mul(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);
/// a / b in fp16; a / 0 is infinity, 0 / 0 NaN.
std::uint16_t fp16_div(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);

/// a + b in bf16.
std::uint16_t bf16_add(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);
/// a - b in bf16.
std::uint16_t bf16_sub(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);
/// a * b in bf16.
std::uint16_t bf16_mul(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);
/// a / b in bf16; a / 0 is infinity, 0 / 0 NaN.
std::uint16_t bf16_div(std::uint16_t a, std::uint16_t b, Overflow overflow = Overflow::infinity);

}  // namespace npulab::numerics
