// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/transcendental.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace npulab::numerics {
namespace {

constexpr double kLn2High = 6.93147180369123816490e-01;  // ln 2 with trailing zeros, so that n * high is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kInverseLn2 = 1.44269504088896338700;

/// 2^n for -1022 <= n <= 1023.
double power_of_two(int n) {
  const std::uint64_t bits = static_cast<std::uint64_t>(n + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// e^x for |x| < 700: x = n ln 2 + r, |r| <= ln 2 / 2, and the Taylor series of e^r, whose 14th term is below 2^-60.
double exp_double(double x) {
  const double n = std::floor(x * kInverseLn2 + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1.0;
  for (int term = 14; term >= 1; --term) sum = 1.0 + r * sum / term;
  return sum * power_of_two(static_cast<int>(n));
}

}  // namespace

float exp_fp32(float x) {
  if (std::isnan(x)) return x;
  if (x > 89.0f) return std::numeric_limits<float>::infinity();
  if (x < -105.0f) return 0.0f;
  return static_cast<float>(exp_double(static_cast<double>(x)));
}

float ln_fp32(float x) {
  if (std::isnan(x) || x < 0.0f) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0.0f) return -std::numeric_limits<float>::infinity();
  if (std::isinf(x)) return x;
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh((m - 1) / (m + 1)), whose argument is below 0.172.
  double value = static_cast<double>(x);
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffull) | (1023ull << 52);
  std::memcpy(&value, &bits, sizeof value);
  if (value >= 1.41421356237309504880) {
    value *= 0.5;
    ++exponent;
  }
  const double t = (value - 1.0) / (value + 1.0), square = t * t;
  double sum = 0.0;
  for (int power = 25; power >= 1; power -= 2) sum = 1.0 / power + square * sum;
  return static_cast<float>(exponent * kLn2High + (2.0 * t * sum + exponent * kLn2Low));
}

float tanh_fp32(float x) {
  if (std::isnan(x)) return x;
  const double magnitude = std::fabs(static_cast<double>(x));
  double result = 1.0;
  if (magnitude < 1e-3) {
    result = magnitude - magnitude * magnitude * magnitude / 3.0;  // the next term is below 2^-50 of the result
  } else if (magnitude < 20.0) {
    const double e = exp_double(2.0 * magnitude);
    result = (e - 1.0) / (e + 1.0);
  }
  return static_cast<float>(x < 0.0f ? -result : result);
}

}  // namespace npulab::numerics
