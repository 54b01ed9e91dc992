// SPDX-License-Identifier: Apache-2.0
// Rounding modes against a table written from the public Cast page and against the C library's exactly specified functions.
#include "model/numerics/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace npulab::numerics {
namespace {

struct Row {
  float value;
  float rint, floor, ceil, round, trunc, odd;
};

const Row kTable[] = {
    {0.0f, 0, 0, 0, 0, 0, 0},       {0.25f, 0, 0, 1, 0, 0, 1},      {0.5f, 0, 0, 1, 1, 0, 1},
    {0.75f, 1, 0, 1, 1, 0, 1},      {1.0f, 1, 1, 1, 1, 1, 1},       {1.5f, 2, 1, 2, 2, 1, 1},
    {2.5f, 2, 2, 3, 3, 2, 3},       {3.5f, 4, 3, 4, 4, 3, 3},       {-0.25f, 0, -1, 0, 0, 0, -1},
    {-0.5f, 0, -1, 0, -1, 0, -1},   {-1.5f, -2, -2, -1, -2, -1, -1}, {-2.5f, -2, -3, -2, -3, -2, -3},
    {-2.75f, -3, -3, -2, -3, -2, -3}, {4.0f, 4, 4, 4, 4, 4, 4},     {126.5f, 126, 126, 127, 127, 126, 127},
    {8388607.5f, 8388608, 8388607, 8388608, 8388608, 8388607, 8388607},
    {8388609.0f, 8388609, 8388609, 8388609, 8388609, 8388609, 8388609},
};

TEST(Rounding, EveryModeFollowsTheTable) {
  for (const Row& row : kTable) {
    const std::pair<RoundMode, float> expected[] = {{RoundMode::none, row.rint},   {RoundMode::rint, row.rint},
                                                    {RoundMode::floor, row.floor}, {RoundMode::ceil, row.ceil},
                                                    {RoundMode::round, row.round}, {RoundMode::trunc, row.trunc},
                                                    {RoundMode::odd, row.odd}};
    for (const auto& [mode, result] : expected) {
      EXPECT_EQ(round_to_integral(row.value, mode), result) << row.value << " mode " << static_cast<int>(mode);
      EXPECT_EQ(round_to_int(row.value, mode), static_cast<std::int64_t>(result)) << row.value;
      EXPECT_EQ(std::signbit(round_to_integral(row.value, mode)), std::signbit(row.value)) << row.value;
    }
  }
}

TEST(Rounding, HalfToEvenEqualsNearbyint) {
  std::mt19937 random(7);
  for (int i = 0; i < 2'000'000; ++i) {
    const float value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())), -static_cast<int>(random() % 40));
    ASSERT_EQ(round_half_even(value), std::nearbyint(value)) << value;
  }
  for (int half = -2001; half <= 2001; half += 2) ASSERT_EQ(round_half_even(half / 2.0f), std::nearbyint(half / 2.0f));
}

TEST(Rounding, SpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (RoundMode mode : {RoundMode::none, RoundMode::rint, RoundMode::floor, RoundMode::ceil, RoundMode::round, RoundMode::trunc,
                         RoundMode::odd}) {
    EXPECT_EQ(round_to_integral(-infinity, mode), -infinity);
    EXPECT_TRUE(std::isnan(round_to_integral(nan, mode)));
    EXPECT_EQ(round_to_int(nan, mode), 0);
    EXPECT_EQ(round_to_int(infinity, mode), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(round_to_int(-1e30f, mode), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(round_to_int(-9223372036854775808.0f, mode), std::numeric_limits<std::int64_t>::min());
  }
}

TEST(Saturation, IntegersStopAtTheLimits) {
  EXPECT_EQ(saturate<std::int8_t>(127), 127);
  EXPECT_EQ(saturate<std::int8_t>(128), 127);
  EXPECT_EQ(saturate<std::int8_t>(-128), -128);
  EXPECT_EQ(saturate<std::int8_t>(-129), -128);
  EXPECT_EQ(saturate<std::uint8_t>(-1), 0);
  EXPECT_EQ(saturate<std::uint8_t>(256), 255);
  EXPECT_EQ(saturate<std::int16_t>(32768), 32767);
  EXPECT_EQ(saturate<std::int16_t>(-32769), -32768);
  EXPECT_EQ(saturate<std::int32_t>(2147483648LL), 2147483647);
  EXPECT_EQ(saturate<std::int32_t>(-2147483649LL), -2147483647 - 1);
}

TEST(Saturation, FloatsAreRoundedFirst) {
  EXPECT_EQ(saturate_cast<std::int8_t>(126.5f), 126);
  EXPECT_EQ(saturate_cast<std::int8_t>(126.5f, RoundMode::round), 127);
  EXPECT_EQ(saturate_cast<std::int8_t>(127.6f), 127);  // a cast without a clamp wraps here
  EXPECT_EQ(saturate_cast<std::int8_t>(-128.5f, RoundMode::floor), -128);
  EXPECT_EQ(saturate_cast<std::uint8_t>(-0.4f), 0);
  EXPECT_EQ(saturate_cast<std::uint8_t>(257.0f), 255);
  EXPECT_EQ(saturate_cast<std::int16_t>(-1e9f), -32768);
  EXPECT_EQ(saturate_cast<std::int32_t>(2147483648.0f), 2147483647);
  EXPECT_EQ(saturate_cast<std::int32_t>(-std::numeric_limits<float>::infinity()), -2147483647 - 1);
  EXPECT_EQ(saturate_cast<std::uint8_t>(std::numeric_limits<float>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace npulab::numerics
