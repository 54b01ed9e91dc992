// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/rounding.h"

namespace npulab::numerics {
namespace {

float half_to_even(float value) {
  const float down = std::floor(value);
  const float rest = value - down;  // exact: value and its floor share an exponent range
  if (rest < 0.5f) return down;
  if (rest > 0.5f) return down + 1.0f;
  return std::fmod(down, 2.0f) == 0.0f ? down : down + 1.0f;
}

float to_odd(float value) {
  const float toward_zero = std::trunc(value);
  if (toward_zero == value || std::fmod(toward_zero, 2.0f) != 0.0f) return toward_zero;
  return toward_zero + (value < 0.0f ? -1.0f : 1.0f);
}

}  // namespace

float round_to_integral(float value, RoundMode mode) {
  // From 2^23 on every float is integral; this also lets NaN and infinities pass.
  if (!(std::fabs(value) < 8388608.0f)) return value;
  switch (mode) {
    case RoundMode::floor: return std::floor(value);
    case RoundMode::ceil: return std::ceil(value);
    case RoundMode::round: return std::round(value);
    case RoundMode::trunc: return std::trunc(value);
    case RoundMode::odd: return to_odd(value);
    default: return half_to_even(value);
  }
}

std::int64_t round_to_int(float value, RoundMode mode) {
  if (std::isnan(value)) return 0;
  const float rounded = round_to_integral(value, mode);
  if (rounded >= 9223372036854775808.0f) return std::numeric_limits<std::int64_t>::max();
  if (rounded < -9223372036854775808.0f) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(rounded);
}

}  // namespace npulab::numerics
