// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/transcendental.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "model/numerics/float_bits.h"

namespace npulab::numerics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// ln 2 in two parts. The high part has 21 trailing zero bits, so that n * high is exact for the n that occur.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
// Adding and taking off 1.5 * 2^52 rounds to an integer half to even.
constexpr double kIntegerMagic = 6755399441055744.0;

/// 1 / k!, from the highest power down; constant expressions, hence rounded alike everywhere.
constexpr double kInverseFactorials[] = {1.0 / 87178291200.0, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                         1.0 / 3628800.0,     1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,
                                         1.0 / 720.0,         1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,
                                         1.0 / 2.0,           1.0,                1.0};

/// 1 / k for odd k, from the highest down: the series of atanh(t) / t in t^2.
constexpr double kInverseOdds[] = {1.0 / 25.0, 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                                   1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0,  1.0};

template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double sum = coefficients[0];
  for (std::size_t i = 1; i < N; ++i) sum = sum * x + coefficients[i];
  return sum;
}

/// 2^n for -1022 <= n <= 1023.
double power_of_two(int n) { return double_of(static_cast<std::uint64_t>(n + 1023) << 52); }

/// e^x for |x| < 700: x = n ln 2 + r with |r| <= ln 2 / 2; the first term left out of e^r's series is below 2^-63.
double exp_fp64(double x) {
  const double n = (x * kInverseLn2 + kIntegerMagic) - kIntegerMagic;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  return polynomial(kInverseFactorials, r) * power_of_two(static_cast<int>(n));
}

}  // namespace

float exp_fp32(float x) {
  if (std::isnan(x)) return kNan;
  if (x > 89.0f) return kInfinity;
  if (x < -105.0f) return 0.0f;
  return static_cast<float>(exp_fp64(static_cast<double>(x)));
}

float ln_fp32(float x) {
  if (std::isnan(x) || x < 0.0f) return kNan;
  if (x == 0.0f) return -kInfinity;
  if (std::isinf(x)) return x;
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh((m - 1) / (m + 1)), whose argument is below 0.172.
  const std::uint64_t bits = bits_of(static_cast<double>(x));
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = double_of((bits & 0xfffffffffffffu) | (std::uint64_t{1023} << 52));
  if (m >= 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double t = (m - 1.0) / (m + 1.0);
  const double ln_m = 2.0 * t * polynomial(kInverseOdds, t * t);
  return static_cast<float>(exponent * kLn2High + (ln_m + exponent * kLn2Low));
}

float tanh_fp32(float x) {
  if (std::isnan(x)) return kNan;
  const double magnitude = std::fabs(static_cast<double>(x));
  double result = 1.0;
  if (magnitude < 1e-3) {
    result = magnitude - magnitude * magnitude * magnitude / 3.0;  // the next term is below 2^-42 of the result
  } else if (magnitude < 20.0) {
    const double e = exp_fp64(2.0 * magnitude);  // from 1e-3 on the subtraction below keeps 43 bits
    result = (e - 1.0) / (e + 1.0);
  }
  return static_cast<float>(std::copysign(result, static_cast<double>(x)));
}

float sqrt_fp32(float x) { return x >= 0.0f ? std::sqrt(x) : kNan; }

float rsqrt_fp32(float x) {
  if (x == 0.0f) return std::copysign(kInfinity, x);
  if (!(x > 0.0f)) return kNan;
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}

float reciprocal_fp32(float x) { return std::isnan(x) ? kNan : 1.0f / x; }

}  // namespace npulab::numerics
