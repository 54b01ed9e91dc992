// SPDX-License-Identifier: Apache-2.0
// Rounding modes of the vector unit's casts (public Cast page) and saturating conversions to integers. Only exactly specified
// operations are used. Left out: the hybrid mode, the non-saturating casts and stochastic rounding.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace npulab::numerics {

/// Public names of the cast modes; `none` rounds half to even wherever a conversion must round, `round` half away from zero.
enum class RoundMode : std::uint8_t { none, rint, floor, ceil, round, trunc, odd };

/// From here on every fp32 is integral.
inline constexpr float kIntegralFp32 = 8388608.0f;

/// `value` rounded half to even, sign of zero kept; NaN and infinities pass.
inline float round_half_even(float value) {
  if (!(std::fabs(value) < kIntegralFp32)) return value;
  // Between 2^23 and 2^24 fp32 steps by one, so the addition itself rounds half to even.
  return std::copysign((std::fabs(value) + kIntegralFp32) - kIntegralFp32, value);
}

/// `value` rounded to an integral value in floating point, sign of zero kept; NaN and infinities pass.
float round_to_integral(float value, RoundMode mode);

/// `value` rounded to an integer; NaN gives 0, beyond 64 bits the nearest limit.
std::int64_t round_to_int(float value, RoundMode mode);

/// `value` limited to the range of T.
template <typename T>
constexpr T saturate(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

/// `value` rounded by `mode` and limited to the range of T (int8, uint8, int16, int32 ...); NaN gives 0.
template <typename T>
T saturate_cast(float value, RoundMode mode = RoundMode::rint) {
  return saturate<T>(round_to_int(value, mode));
}

}  // namespace npulab::numerics
