// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/rounding.h"

namespace npulab::numerics {
namespace {

/// Inexact values go to the odd neighbour, so that a later, coarser rounding sees that something was cut off.
float to_odd(float value) {
  const float toward_zero = std::trunc(value);
  const bool is_odd = (static_cast<std::int32_t>(toward_zero) & 1) != 0;
  if (toward_zero == value || is_odd) return toward_zero;
  return toward_zero + std::copysign(1.0f, value);
}

}  // namespace

float round_to_integral(float value, RoundMode mode) {
  if (!(std::fabs(value) < kIntegralFp32)) return value;
  switch (mode) {
    case RoundMode::floor: return std::floor(value);
    case RoundMode::ceil: return std::ceil(value);
    case RoundMode::round: return std::round(value);
    case RoundMode::trunc: return std::trunc(value);
    case RoundMode::odd: return to_odd(value);
    case RoundMode::none:
    case RoundMode::rint: break;
  }
  return round_half_even(value);
}

std::int64_t round_to_int(float value, RoundMode mode) {
  if (std::isnan(value)) return 0;
  const float rounded = round_to_integral(value, mode);
  if (rounded >= 0x1p63f) return std::numeric_limits<std::int64_t>::max();
  if (rounded < -0x1p63f) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(rounded);
}

}  // namespace npulab::numerics
