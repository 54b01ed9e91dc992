// SPDX-License-Identifier: Apache-2.0
// Rounding modes of the vector unit's casts and saturating conversions. Only exactly specified operations are used.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace npulab::numerics {

/// Public names of the cast modes; `none` rounds half to even wherever a conversion must round.
enum class RoundMode : std::uint8_t { none, rint, floor, ceil, round, trunc, odd };

/// `value` rounded to an integral value in floating point; NaN and infinities pass.
float round_to_integral(float value, RoundMode mode);

/// `value` rounded to an integer; NaN gives 0, beyond 64 bits the nearest limit.
std::int64_t round_to_int(float value, RoundMode mode);

/// `value` limited to the range of T.
template <typename T>
constexpr T saturate(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

}  // namespace npulab::numerics
