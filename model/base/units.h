// SPDX-License-Identifier: Apache-2.0
// Integer units used everywhere. One picosecond is the base of simulated time; no floating point enters timing.
#pragma once

#include <cstdint>
#include <limits>

namespace npulab {

using Picoseconds = std::int64_t;
using Cycles = std::int64_t;
using Bytes = std::int64_t;

/// A time that never comes.
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
inline constexpr Cycles kNeverCycles = std::numeric_limits<Cycles>::max();

inline constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;
inline constexpr Picoseconds kPicosecondsPerMicrosecond = 1'000'000;
inline constexpr Picoseconds kPicosecondsPerMillisecond = 1'000'000'000;
inline constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

/// A rate in thousandths of a byte (or element) per cycle: 28.4 B/cycle is exactly {28400}.
struct MilliRate {
  std::int64_t milli_per_cycle = 0;
};

/// Smallest integer not below numerator / denominator, for numerator >= 0 and denominator > 0.
constexpr std::int64_t ceil_div(std::int64_t numerator, std::int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

/// Smallest multiple of `step` not below `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) { return ceil_div(value, step) * step; }

/// Cycles to move `amount` at `rate`, rounded up; a zero rate is a caller's bug.
constexpr Cycles cycles_for(std::int64_t amount, MilliRate rate) {
  return ceil_div(amount * 1000, rate.milli_per_cycle);
}

__extension__ typedef __int128 Wide;

/// floor(a * b / c) without overflow.
inline std::int64_t multiply_divide(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// ceil(a * b / c) without overflow.
inline std::int64_t multiply_divide_up(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product) && product <= std::numeric_limits<std::int64_t>::max() - c) {
    return ceil_div(product, c);
  }
  return static_cast<std::int64_t>((static_cast<Wide>(a) * b + c - 1) / c);
}

}  // namespace npulab
