// SPDX-License-Identifier: Apache-2.0
// fp16 (1-5-10) and bf16 (1-8-7) as bit patterns, converted to and from fp32. Arithmetic on them is done in fp32 and rounded
// once; for add, sub, mul, div and sqrt that equals direct rounding, because 24 >= 2 * 11 + 2 bits (no double rounding).
#pragma once

#include <cstdint>

#include "model/numerics/rounding.h"

namespace npulab::numerics {

float fp16_to_fp32(std::uint16_t bits);
/// Rounded by `mode`; beyond the largest finite value infinity (directed modes toward zero: the largest finite value).
std::uint16_t fp32_to_fp16(float value, RoundMode mode = RoundMode::rint);

float bf16_to_fp32(std::uint16_t bits);
std::uint16_t fp32_to_bf16(float value, RoundMode mode = RoundMode::rint);

inline constexpr float kMaxFp16 = 65504.0f;

}  // namespace npulab::numerics
