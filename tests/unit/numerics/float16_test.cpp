// SPDX-License-Identifier: Apache-2.0
// Both 16-bit formats against their defining formula in fp64, and rounding against the two neighbours of a value.
#include "model/numerics/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace npulab::numerics {
namespace {

constexpr RoundMode kModes[] = {RoundMode::none,  RoundMode::rint,  RoundMode::floor, RoundMode::ceil,
                                RoundMode::round, RoundMode::trunc, RoundMode::odd};

/// A format by its definition; `value` continues past the largest finite pattern as if exponents had no end.
struct Definition {
  const char* name;
  int mantissa_bits, bias;
  std::uint32_t infinity;
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow32)(float, RoundMode, Overflow);
  std::uint16_t (*narrow64)(double, RoundMode, Overflow);
  double value(std::uint32_t pattern) const {
    const int exponent = static_cast<int>(pattern >> mantissa_bits);
    const double mantissa = pattern & ((1u << mantissa_bits) - 1);
    const double unit = std::ldexp(1.0, -mantissa_bits);
    return exponent == 0 ? std::ldexp(mantissa * unit, 1 - bias) : std::ldexp(1.0 + mantissa * unit, exponent - bias);
  }
};

const Definition kFormats[] = {{"fp16", 10, 15, 0x7c00, fp16_to_fp32, fp32_to_fp16, fp64_to_fp16},
                               {"bf16", 7, 127, 0x7f80, bf16_to_fp32, fp32_to_bf16, fp64_to_bf16}};

/// Pattern of |x| strictly between the values of `lower` and `lower` + 1.
std::uint32_t rounded(const Definition& format, double magnitude, bool negative, std::uint32_t lower, RoundMode mode) {
  const double middle = (format.value(lower) + format.value(lower + 1)) / 2;
  const std::uint32_t even = lower + (lower & 1), odd = lower + 1 - (lower & 1);
  switch (mode) {
    case RoundMode::floor: return negative ? lower + 1 : lower;
    case RoundMode::ceil: return negative ? lower : lower + 1;
    case RoundMode::trunc: return lower;
    case RoundMode::round: return magnitude >= middle ? lower + 1 : lower;
    case RoundMode::odd: return odd;
    default: return magnitude == middle ? even : magnitude > middle ? lower + 1 : lower;
  }
}

TEST(Float16, WideningFollowsTheDefinition) {
  for (const Definition& format : kFormats) {
    for (std::uint32_t pattern = 0; pattern < format.infinity; ++pattern) {
      ASSERT_EQ(static_cast<double>(format.widen(static_cast<std::uint16_t>(pattern))), format.value(pattern)) << format.name;
      ASSERT_EQ(static_cast<double>(format.widen(static_cast<std::uint16_t>(pattern | 0x8000))), -format.value(pattern));
    }
    EXPECT_TRUE(std::signbit(format.widen(0x8000)));
    EXPECT_EQ(format.widen(static_cast<std::uint16_t>(format.infinity | 0x8000)), -std::numeric_limits<float>::infinity());
    for (std::uint32_t pattern = format.infinity + 1; pattern < 0x8000; ++pattern) {
      ASSERT_TRUE(std::isnan(format.widen(static_cast<std::uint16_t>(pattern))));
    }
  }
}

TEST(Float16, ExactValuesComeBackInEveryMode) {
  for (const Definition& format : kFormats) {
    for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
      if ((pattern & 0x7fff) > format.infinity) continue;
      const float value = format.widen(static_cast<std::uint16_t>(pattern));
      for (RoundMode mode : kModes) {
        ASSERT_EQ(format.narrow32(value, mode, Overflow::infinity), pattern) << format.name;
        ASSERT_EQ(format.narrow64(value, mode, Overflow::infinity), pattern) << format.name;
      }
    }
  }
}

/// Points within each gap: both ends approached, the middle and its fp32 (fp64) neighbours.
template <typename Real>
std::vector<Real> points_between(double low, double high) {
  const Real middle = static_cast<Real>((low + high) / 2), infinity = std::numeric_limits<Real>::infinity();
  return {std::nextafter(static_cast<Real>(low), infinity), std::nextafter(middle, Real{0}), middle,
          std::nextafter(middle, infinity), std::nextafter(static_cast<Real>(high), Real{0})};
}

template <typename Real, typename Narrow>
void check_gaps(const Definition& format, Narrow narrow) {
  // The last gap lies between the largest finite value and the first power of two beyond it.
  for (std::uint32_t lower = 0; lower < format.infinity; ++lower) {
    const double low = format.value(lower), high = format.value(lower + 1);
    for (Real magnitude : points_between<Real>(low, high)) {
      if (!(magnitude > low && magnitude < high)) continue;  // the end of fp32's own range
      for (RoundMode mode : kModes) {
        for (bool negative : {false, true}) {
          const std::uint32_t expected = rounded(format, magnitude, negative, lower, mode);
          const std::uint16_t result = narrow(negative ? -magnitude : magnitude, mode, Overflow::infinity);
          ASSERT_EQ(result, expected | (negative ? 0x8000u : 0u))
              << format.name << ' ' << magnitude << ' ' << static_cast<int>(mode);
        }
      }
    }
  }
}

TEST(Float16, EveryGapIsRoundedByItsNeighbours) {
  for (const Definition& format : kFormats) {
    check_gaps<float>(format, format.narrow32);
    check_gaps<double>(format, format.narrow64);
  }
}

TEST(Float16, KnownPatterns) {
  EXPECT_EQ(fp32_to_fp16(1.0f), 0x3c00);
  EXPECT_EQ(fp32_to_fp16(-2.0f), 0xc000);
  EXPECT_EQ(fp32_to_fp16(65504.0f), 0x7bff);
  EXPECT_EQ(fp32_to_fp16(65519.996f), 0x7bff);
  EXPECT_EQ(fp32_to_fp16(65520.0f), 0x7c00);  // the tie goes to even, which is beyond the range
  EXPECT_EQ(fp32_to_fp16(0x1p-24f), 0x0001);
  EXPECT_EQ(fp32_to_fp16(0x1p-25f), 0x0000);
  EXPECT_EQ(fp32_to_fp16(0x1.8p-24f), 0x0002);
  EXPECT_EQ(fp32_to_fp16(-0.0f), 0x8000);
  EXPECT_EQ(fp32_to_fp16(1e-45f, RoundMode::ceil), 0x0001);
  EXPECT_EQ(fp32_to_fp16(-1e-45f, RoundMode::floor), 0x8001);
  EXPECT_EQ(fp32_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(fp32_to_bf16(3.1415927f), 0x4049);
  EXPECT_EQ(fp32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(fp32_to_bf16(1e-45f), 0x0000);
}

TEST(Float16, Overflow) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Definition& format : kFormats) {
    const std::uint32_t largest = format.infinity - 1;
    const float huge = std::numeric_limits<float>::max();  // beyond both ranges
    const std::pair<RoundMode, std::pair<bool, bool>> infinite[] = {  // positive, negative
        {RoundMode::rint, {true, true}},    {RoundMode::round, {true, true}},  {RoundMode::floor, {false, true}},
        {RoundMode::ceil, {true, false}},   {RoundMode::trunc, {false, false}}, {RoundMode::odd, {false, false}}};
    for (const auto& [mode, signs] : infinite) {
      EXPECT_EQ(format.narrow32(huge, mode, Overflow::infinity), signs.first ? format.infinity : largest);
      EXPECT_EQ(format.narrow32(-huge, mode, Overflow::infinity), 0x8000u | (signs.second ? format.infinity : largest));
      EXPECT_EQ(format.narrow32(huge, mode, Overflow::saturate), largest);
      EXPECT_EQ(format.narrow32(-infinity, mode, Overflow::saturate), 0x8000u | largest);
      EXPECT_EQ(format.narrow32(infinity, mode, Overflow::infinity), format.infinity);
      EXPECT_TRUE(std::isnan(format.widen(format.narrow32(std::numeric_limits<float>::quiet_NaN(), mode, Overflow::saturate))));
      EXPECT_EQ(format.narrow64(1e300, mode, Overflow::saturate), largest);
    }
  }
}

struct Operation {
  const char* name;
  std::uint16_t (*narrow)(std::uint16_t, std::uint16_t, Overflow);
  long double (*wide)(long double, long double);
};

const Operation kFp16Operations[] = {{"add", fp16_add, [](long double x, long double y) { return x + y; }},
                                     {"sub", fp16_sub, [](long double x, long double y) { return x - y; }},
                                     {"mul", fp16_mul, [](long double x, long double y) { return x * y; }},
                                     {"div", fp16_div, [](long double x, long double y) { return x / y; }}};
const Operation kBf16Operations[] = {{"add", bf16_add, kFp16Operations[0].wide},
                                     {"sub", bf16_sub, kFp16Operations[1].wide},
                                     {"mul", bf16_mul, kFp16Operations[2].wide},
                                     {"div", bf16_div, kFp16Operations[3].wide}};

/// Whether the result is no further from the exact value than either neighbour, and even when one is equally far.
bool is_nearest(const Definition& format, std::uint16_t result, long double exact) {
  if (std::isnan(exact)) return std::isnan(format.widen(result));
  const std::uint32_t pattern = result & 0x7fffu;
  const long double magnitude = std::fabs(exact);
  if (((result & 0x8000) != 0) != std::signbit(exact) || pattern > format.infinity) return false;
  if (std::isinf(exact)) return pattern == format.infinity;
  if (pattern == format.infinity && magnitude >= format.value(pattern)) return true;
  const long double distance = std::fabs(format.value(pattern) - magnitude);
  for (int step : {-1, 1}) {
    if (pattern == 0 && step < 0) continue;
    const long double other = std::fabs(format.value(pattern + static_cast<std::uint32_t>(step)) - magnitude);
    if (other < distance || (other == distance && pattern % 2 != 0)) return false;
  }
  return true;
}

void check_operations(const Definition& format, const Operation (&operations)[4], const std::vector<std::uint16_t>& left,
                      const std::vector<std::uint16_t>& right) {
  for (const Operation& operation : operations) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      const long double x = format.widen(left[i]), y = format.widen(right[i]);
      const std::uint16_t result = operation.narrow(left[i], right[i], Overflow::infinity);
      ASSERT_TRUE(is_nearest(format, result, operation.wide(x, y))) << operation.name << ' ' << left[i] << ' ' << right[i];
    }
  }
}

TEST(Float16, ArithmeticIsRoundedOnce) {
  std::mt19937 random(11);
  std::vector<std::uint16_t> left(400'000), right(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = static_cast<std::uint16_t>(random());
    right[i] = static_cast<std::uint16_t>(random());
  }
  check_operations(kFormats[0], kFp16Operations, left, right);
  check_operations(kFormats[1], kBf16Operations, left, right);
}

TEST(Float16, QuotientsNearTheSubnormalGridAreRoundedOnce) {
  // Every 11-bit numerator and a choice of denominators, at exponents whose quotients are fp16 subnormals.
  std::vector<std::uint16_t> left, right;
  for (std::uint32_t x = 0; x < 1024; ++x) {
    for (std::uint32_t y = 0; y < 1024; y += 7) {
      left.push_back(static_cast<std::uint16_t>(0x0400 + (x << 1)));
      right.push_back(static_cast<std::uint16_t>(0x4c00 + y));
    }
  }
  check_operations(kFormats[0], kFp16Operations, left, right);
}

TEST(Float16, ArithmeticSaturatesOnRequest) {
  EXPECT_EQ(fp16_add(0x7bff, 0x7bff), 0x7c00);
  EXPECT_EQ(fp16_add(0x7bff, 0x7bff, Overflow::saturate), 0x7bff);
  EXPECT_EQ(fp16_sub(0xfbff, 0x7bff, Overflow::saturate), 0xfbff);
  EXPECT_EQ(fp16_div(0x3c00, 0x0000), 0x7c00);
  EXPECT_EQ(bf16_mul(0x7f7f, 0x7f7f, Overflow::saturate), 0x7f7f);
  EXPECT_TRUE(std::isnan(fp16_to_fp32(fp16_div(0x0000, 0x0000))));
}

}  // namespace
}  // namespace npulab::numerics
