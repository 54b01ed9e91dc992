// SPDX-License-Identifier: Apache-2.0
// Dense sweeps against the C library in fp64 (only the tests use it), special values from IEEE 754, and a checksum that pins
// the bits for every compiler and machine.
#include "model/numerics/transcendental.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace npulab::numerics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Function {
  const char* name;
  float (*ours)(float);
  std::uint16_t (*ours_fp16)(std::uint16_t);
  double (*reference)(double);
  std::uint64_t checksum;
};

const Function kFunctions[] = {
    {"exp", exp_fp32, exp_fp16, [](double x) { return std::exp(x); }, 0x58130b33d57de451u},
    {"ln", ln_fp32, ln_fp16, [](double x) { return std::log(x); }, 0x7c2f6789d77f8ea7u},
    {"tanh", tanh_fp32, tanh_fp16, [](double x) { return std::tanh(x); }, 0xc1e96df6a21b4a90u},
    {"sqrt", sqrt_fp32, sqrt_fp16, [](double x) { return std::sqrt(x); }, 0xbb5a88415b90435du},
    {"rsqrt", rsqrt_fp32, rsqrt_fp16, [](double x) { return 1.0 / std::sqrt(x); }, 0x776b064d3e46264au},
    {"reciprocal", reciprocal_fp32, reciprocal_fp16, [](double x) { return 1.0 / x; }, 0x76fb59e29ab195eeu},
};

float float_from(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

std::uint32_t bits_from(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

/// Position of a float on a line where neighbours differ by one; both zeros are at 0.
std::int64_t position(float value) {
  const std::uint32_t bits = bits_from(value);
  const std::int64_t magnitude = bits & 0x7fffffffu;
  return (bits >> 31) != 0 ? -magnitude : magnitude;
}

/// Calls `visit` for every 1021st fp32 of both signs, infinities and NaN included: four million values.
template <typename Visit>
void sweep(Visit visit) {
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 1021) visit(float_from(static_cast<std::uint32_t>(bits)));
}

/// Compares with the correctly rounded value; counts how often the two differ.
void compare(const Function& function, float x, std::int64_t& differing) {
  const float ours = function.ours(x), best = static_cast<float>(function.reference(static_cast<double>(x)));
  if (std::isnan(best)) {
    ASSERT_TRUE(std::isnan(ours)) << function.name << ' ' << x;
    return;
  }
  ASSERT_FALSE(std::isnan(ours)) << function.name << ' ' << x;
  const std::int64_t distance = std::abs(position(ours) - position(best));
  ASSERT_LE(distance, 1) << function.name << ' ' << x;
  ASSERT_EQ(std::signbit(ours), std::signbit(best)) << function.name << ' ' << x;
  differing += distance;
}

TEST(Transcendental, WithinOneUnitOfTheCorrectlyRounded) {
  for (const Function& function : kFunctions) {
    std::int64_t differing = 0;
    sweep([&](float x) { compare(function, x, differing); });
    // exp over its whole range of arguments, each 2^-14 apart.
    for (int i = -104 * 16384; i <= 89 * 16384; i += 3) compare(function, static_cast<float>(i) / 16384.0f, differing);
    EXPECT_LE(differing, 10) << function.name;
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Transcendental, Fp16WithinOneUnitEverywhere) {
  for (const Function& function : kFunctions) {
    int differing = 0;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double exact = function.reference(static_cast<double>(fp16_to_fp32(static_cast<std::uint16_t>(bits))));
      const std::uint16_t ours = function.ours_fp16(static_cast<std::uint16_t>(bits)), best = fp64_to_fp16(exact);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(fp16_to_fp32(ours))) << function.name << ' ' << bits;
      } else if (ours != best) {
        ++differing;
        ASSERT_LE(std::abs(ours - best), 1) << function.name << ' ' << bits;
      }
    }
    EXPECT_LE(differing, 20) << function.name;
  }
}

TEST(Transcendental, SpecialValues) {
  struct Row {
    float (*function)(float);
    float x, expected;
  };
  const Row table[] = {
      {exp_fp32, 0.0f, 1.0f},           {exp_fp32, -0.0f, 1.0f},        {exp_fp32, kInfinity, kInfinity},
      {exp_fp32, -kInfinity, 0.0f},     {exp_fp32, 88.72283f, 0x1.ffff08p+127f}, {exp_fp32, 88.72284f, kInfinity},
      {exp_fp32, -103.97207f, 0x1p-149f}, {exp_fp32, -103.9721f, 0.0f}, {exp_fp32, 1.0f, 2.7182817f},
      {ln_fp32, 1.0f, 0.0f},            {ln_fp32, 0.0f, -kInfinity},    {ln_fp32, -0.0f, -kInfinity},
      {ln_fp32, kInfinity, kInfinity},  {ln_fp32, 2.0f, 0.6931472f},    {tanh_fp32, 0.0f, 0.0f},
      {tanh_fp32, -0.0f, -0.0f},        {tanh_fp32, kInfinity, 1.0f},   {tanh_fp32, -kInfinity, -1.0f},
      {tanh_fp32, 0x1p-149f, 0x1p-149f}, {tanh_fp32, 12.0f, 1.0f},      {sqrt_fp32, 4.0f, 2.0f},
      {sqrt_fp32, -0.0f, -0.0f},        {rsqrt_fp32, 4.0f, 0.5f},       {rsqrt_fp32, 0.0f, kInfinity},
      {rsqrt_fp32, -0.0f, -kInfinity},  {rsqrt_fp32, kInfinity, 0.0f},  {reciprocal_fp32, -0.0f, -kInfinity},
      {reciprocal_fp32, 3.0f, 0x1.555556p-2f},
  };
  for (const Row& row : table) {
    EXPECT_EQ(bits_from(row.function(row.x)), bits_from(row.expected)) << row.x << ' ' << row.function(row.x);
  }
  for (const Function& function : kFunctions) EXPECT_TRUE(std::isnan(function.ours(kNan))) << function.name;
  for (auto function : {ln_fp32, sqrt_fp32, rsqrt_fp32}) EXPECT_EQ(bits_from(function(-1.0f)), bits_from(kNan));
}

TEST(Transcendental, BitsAreTheSameEverywhere) {
  for (const Function& function : kFunctions) {
    std::uint64_t checksum = 14695981039346656037u;  // FNV-1a over whole words
    sweep([&](float x) { checksum = (checksum ^ bits_from(function.ours(x))) * 1099511628211u; });
    EXPECT_EQ(checksum, function.checksum) << function.name << std::hex << " 0x" << checksum;
  }
}

}  // namespace
}  // namespace npulab::numerics
