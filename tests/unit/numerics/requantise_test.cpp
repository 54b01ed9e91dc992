// SPDX-License-Identifier: Apache-2.0
// Expected values: exact integer arithmetic for power-of-two multipliers, the definition in IEEE arithmetic for the rest, and
// corner cases worked by hand from the public order of operations of the chip.
#include "model/numerics/requantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "model/base/errors.h"

namespace npulab::numerics {
namespace {

constexpr Profile kChips[] = {Profile::arch2002, Profile::arch2201, Profile::arch3510};

float float_from(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// value / 2^shift, half to even, in integers.
std::int64_t divide_half_even(std::int64_t value, int shift) {
  const std::int64_t floor = value >> shift, unit = std::int64_t{1} << shift, rest = value - floor * unit, half = unit / 2;
  return floor + (rest > half || (rest == half && (floor & 1) != 0) ? 1 : 0);
}

TEST(OnnxRequantise, PowersOfTwoFollowIntegerArithmetic) {
  for (int shift = 1; shift <= 10; ++shift) {
    for (int zero_point : {-128, -3, 0, 127}) {
      for (std::int32_t accumulator = -300'000; accumulator <= 300'000; accumulator += 61) {
        const std::int64_t expected = std::clamp<std::int64_t>(divide_half_even(accumulator, shift) + zero_point, -128, 127);
        ASSERT_EQ(requantise(accumulator, std::ldexp(1.0f, -shift), zero_point, true), expected) << accumulator << ' ' << shift;
      }
    }
  }
}

TEST(OnnxRequantise, DefinitionInIeeeArithmetic) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> multipliers(1e-6f, 0.02f);
  for (int i = 0; i < 300'000; ++i) {
    const bool is_signed = (i & 1) != 0;
    const std::int32_t accumulator = static_cast<std::int32_t>(random()) >> (random() % 20);
    const float multiplier = multipliers(random);
    const int zero_point = static_cast<int>(random() % 256) - (is_signed ? 128 : 0);
    const int low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    volatile float scaled = static_cast<float>(accumulator);
    scaled = scaled * multiplier;
    const double limited = std::min<double>(std::max<double>(scaled, low - zero_point), high - zero_point);
    ASSERT_EQ(requantise(accumulator, multiplier, zero_point, is_signed), static_cast<int>(std::nearbyint(limited)) + zero_point);
  }
}

TEST(OnnxRequantise, AccumulatorsLoseTheirLowBitsAbove24) {
  // 2^24 + 1 becomes 2^24, and the scaled value the tie 0.5, which goes to 0.
  EXPECT_EQ(requantise((1 << 24) + 1, 0x1p-25f, 0, true), 0);
  EXPECT_EQ(requantise((1 << 24) + 2, 0x1p-25f, 0, true), 1);
}

TEST(OnnxRequantise, ExtremesAndNan) {
  EXPECT_EQ(requantise(std::numeric_limits<std::int32_t>::max(), 1.0f, 0, true), 127);
  EXPECT_EQ(requantise(std::numeric_limits<std::int32_t>::min(), 1.0f, 0, true), -128);
  EXPECT_EQ(requantise(std::numeric_limits<std::int32_t>::min(), 1.0f, 255, false), 0);
  EXPECT_EQ(requantise(1, 1e38f, 0, false), 255);
  EXPECT_EQ(requantise(0, std::numeric_limits<float>::infinity(), 5, true), -128);  // 0 * infinity
}

TEST(OnnxRequantise, MultiplierIsRoundedTwice) {
  const float x = 0.1f, w = 0.3f, y = 0.7f;
  volatile float product = x * w;
  EXPECT_EQ(requantisation_multiplier(x, w, y), product / y);
  // One unit in the last place makes the product of the two scales inexact; the quotient shows it.
  const float near_one = 1.0f + 0x1p-23f;
  EXPECT_EQ(requantisation_multiplier(near_one, near_one, near_one), 1.0f + 0x1p-23f);
  EXPECT_EQ(requantisation_multiplier(near_one, near_one, 1.0f), 1.0f + 0x1p-22f);
}

TEST(OnnxRequantise, RowsAndChannelsEqualTheScalar) {
  std::mt19937 random(5);
  for (int count : {0, 1, 7, 16, 61}) {
    std::vector<std::int32_t> accumulators(static_cast<std::size_t>(count));
    std::vector<float> multipliers(accumulators.size());
    for (std::size_t i = 0; i < accumulators.size(); ++i) {
      accumulators[i] = static_cast<std::int32_t>(random()) >> 12;
      multipliers[i] = static_cast<float>(random() % 1000) * 1e-6f;
    }
    for (bool is_signed : {false, true}) {
      std::vector<std::uint8_t> row(accumulators.size() + 1, 0xa5), channels(row);
      requantise_row(accumulators.data(), count, 3e-4f, 9, is_signed, row.data());
      requantise_channels(accumulators.data(), count, multipliers.data(), 9, is_signed, channels.data());
      for (std::size_t i = 0; i < accumulators.size(); ++i) {
        ASSERT_EQ(row[i], requantise(accumulators[i], 3e-4f, 9, is_signed) & 0xff);
        ASSERT_EQ(channels[i], requantise(accumulators[i], multipliers[i], 9, is_signed) & 0xff);
      }
      EXPECT_EQ(row.back(), 0xa5);
      EXPECT_EQ(channels.back(), 0xa5);
    }
  }
}

TEST(QuantiseLinear, Table) {
  struct Row {
    float x, scale;
    int zero_point, low, high, expected;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const Row table[] = {
      {0.5f, 1, 0, -128, 127, 0},     {1.5f, 1, 0, -128, 127, 2},         {2.5f, 1, 0, -128, 127, 2},
      {-0.5f, 1, 0, -128, 127, 0},    {-1.5f, 1, 0, -128, 127, -2},       {3.0f, 2, 128, 0, 255, 130},
      {1000.0f, 2, 128, 0, 255, 255}, {-254.0f, 2, 128, 0, 255, 1},       {-1000.0f, 2, 128, 0, 255, 0},
      {infinity, 1, 3, -128, 127, 127}, {-infinity, 1, 3, -128, 127, -128}, {1e30f, 1e-30f, 0, 0, 255, 255},
      {-1e9f, 1, 65535, 0, 65535, 0}, {-65535.0f, 1, 65535, 0, 65535, 0}, {-65534.4f, 1, 65535, 0, 65535, 1},
      {std::numeric_limits<float>::quiet_NaN(), 1, 3, -128, 127, -128},
  };
  for (const Row& row : table) {
    EXPECT_EQ(quantise_linear(row.x, row.scale, row.zero_point, row.low, row.high), row.expected) << row.x;
  }
}

TEST(QuantiseLinear, DividesAndDequantiseMultiplies) {
  // 45.5 / 7 is the tie 6.5; the product with the reciprocal of 7 is just above it.
  EXPECT_EQ(quantise_linear(45.5f, 7.0f, 0, -128, 127), 6);
  EXPECT_GT(45.5f * (1.0f / 7.0f), 6.5f);
  for (int q = -128; q <= 127; ++q) {
    EXPECT_EQ(dequantise_linear(q, 0.1f, -7), static_cast<float>(q + 7) * 0.1f);
    EXPECT_EQ(quantise_linear(dequantise_linear(q, 0.037f, -7), 0.037f, -7, -128, 127), q);
  }
}

TEST(QuantisationWordTest, BitPositions) {
  EXPECT_EQ(pack_quantisation_word(1.0f, 0, false), 0x3f800000u);
  EXPECT_EQ(pack_quantisation_word(1.0f, 0, true), 0x40003f800000u);
  EXPECT_EQ(pack_quantisation_word(1.0f, 1, false), 0x20'3f80'0000u);
  EXPECT_EQ(pack_quantisation_word(1.0f, -1, true), 0x7fe0'3f80'0000u);
  QuantisationWord fields;
  fields.multiplier = 1.0f;
  fields.shift_enabled = true;
  fields.shift = 16;
  EXPECT_EQ(pack_quantisation_word(fields), 0x1f'3f80'0000u);
}

TEST(QuantisationWordTest, UnpackingInvertsPacking) {
  for (int offset = -256; offset <= 255; ++offset) {
    QuantisationWord fields;
    fields.multiplier = -0.0123f;
    fields.offset = offset;
    fields.output_signed = (offset & 1) != 0;
    fields.shift_enabled = (offset & 2) != 0;
    fields.shift = 1 + (offset & 15);
    const std::uint64_t ignored = 0xffff'8000'0000'0000u;
    const QuantisationWord back = unpack_quantisation_word(pack_quantisation_word(fields) | ignored);
    EXPECT_EQ(back.multiplier, fields.multiplier);
    EXPECT_EQ(back.offset, offset);
    EXPECT_EQ(back.output_signed, fields.output_signed);
    EXPECT_EQ(back.shift_enabled, fields.shift_enabled);
    EXPECT_EQ(back.shift, fields.shift);
  }
}

TEST(QuantisationWordTest, FieldsThatDoNotFitAreABug) {
  EXPECT_THROW(pack_quantisation_word(1.0f, 256, true), InternalError);
  EXPECT_THROW(pack_quantisation_word(1.0f, -257, true), InternalError);
  QuantisationWord fields;
  fields.shift = 0;
  EXPECT_THROW(pack_quantisation_word(fields), InternalError);
  fields.shift = 17;
  EXPECT_THROW(pack_quantisation_word(fields), InternalError);
}

TEST(ChipMultiplier, CutsOrRoundsTo10Bits) {
  struct Row {
    std::uint32_t bits, cut, rounded;
  };
  const Row table[] = {{0x3f800000, 0x3f800000, 0x3f800000}, {0x3f801fff, 0x3f800000, 0x3f802000},
                       {0x3f801000, 0x3f800000, 0x3f800000}, {0x3f803000, 0x3f802000, 0x3f804000},
                       {0x3f801001, 0x3f800000, 0x3f802000}, {0x3fffffff, 0x3fffe000, 0x40000000},
                       {0x007fffff, 0x00000000, 0x00000000}, {0x807fffff, 0x80000000, 0x80000000},
                       {0x7f800000, 0x7f800000, 0x7f800000}, {0xbf801fff, 0xbf800000, 0xbf802000}};
  for (const Row& row : table) {
    std::uint32_t cut, rounded;
    const float chip = chip_multiplier(float_from(row.bits)), nearest = rounded_chip_multiplier(float_from(row.bits));
    std::memcpy(&cut, &chip, 4);
    std::memcpy(&rounded, &nearest, 4);
    EXPECT_EQ(cut, row.cut) << std::hex << row.bits;
    EXPECT_EQ(rounded, row.rounded) << std::hex << row.bits;
  }
}

TEST(ChipRequantise, OrderOfOperations) {
  struct Row {
    std::int32_t accumulator;
    float multiplier;
    int offset;
    bool output_signed;
    int expected;
  };
  const Row table[] = {
      {400, 1.0f, -200, true, 55},     // clipped to 255 before the offset
      {-400, 1.0f, 200, true, -56},    // clipped to -256 before the offset
      {400, 1.0f, -200, false, 55},    {-400, 1.0f, 255, false, 0},   {300, 0.5f, 0, true, 127}, {300, 0.5f, 0, false, 150},
      {-300, 0.5f, 0, true, -128},     {5, 0.5f, 0, true, 2},         {7, 0.5f, 0, true, 4},     {-5, 0.5f, 0, true, -2},
      {511, 0.5f, -255, true, 0},      // 255.5 is clipped to 255, not rounded to 256
      {-513, 0.5f, 255, true, -1},     {3, -2.0f, 1, true, -5},       {1000, 1.0f, -256, true, -1},
      {0, std::numeric_limits<float>::infinity(), 4, true, 4},
  };
  for (Profile profile : kChips) {
    for (const Row& row : table) {
      const std::uint64_t word = pack_quantisation_word(row.multiplier, row.offset, row.output_signed);
      EXPECT_EQ(requantise_word(row.accumulator, word, profile), row.expected) << row.accumulator << " x " << row.multiplier;
      EXPECT_EQ(requantise_word(static_cast<float>(row.accumulator), word, profile), row.expected) << row.accumulator;
    }
  }
}

TEST(ChipRequantise, MultiplierIsCutWhereOnnxKeepsIt) {
  // 0x3f001fff is 0.50049: 401 x it is 200.7 with all bits and the tie 200.5 with 10.
  const std::uint64_t word = pack_quantisation_word(float_from(0x3f001fff), 0, false);
  EXPECT_EQ(requantise_word(401, word, Profile::onnx), 201);
  EXPECT_EQ(requantise_word(401.0f, word, Profile::onnx), 201);
  for (Profile profile : kChips) EXPECT_EQ(requantise_word(401, word, profile), 200);
  // A subnormal multiplier counts as zero.
  const std::uint64_t tiny = pack_quantisation_word(0x1p-127f, 3, true);
  for (Profile profile : kChips) EXPECT_EQ(requantise_word(0x1.8p127f, tiny, profile), 3);
}

TEST(ChipRequantise, ShiftMode) {
  QuantisationWord fields;
  fields.multiplier = 1.0f;
  fields.output_signed = true;
  fields.shift_enabled = true;
  fields.shift = 1;
  std::uint64_t word = pack_quantisation_word(fields);
  EXPECT_EQ(requantise_word(-3, word, Profile::arch2201), -2);  // an arithmetic shift rounds down
  EXPECT_EQ(requantise_word(7, word, Profile::arch2201), 3);
  EXPECT_EQ(requantise_word(7, word, Profile::arch2002), 3);
  EXPECT_EQ(requantise_word(7, word, Profile::arch3510), 7);  // no shift mode
  EXPECT_EQ(requantise_word(7, word, Profile::onnx), 7);
  EXPECT_EQ(requantise_word(7.0f, word, Profile::arch2201), 7);  // fp32 accumulators are not shifted
  fields.shift = 4;
  fields.multiplier = 0x1p-9f;
  word = pack_quantisation_word(fields);
  EXPECT_EQ(requantise_word(1 << 20, word, Profile::arch2201), 64);  // 65536 saturates to 32767, / 512 = 63.998
  EXPECT_EQ(requantise_word(-(1 << 20), word, Profile::arch2201), -64);
  EXPECT_EQ(requantise_word(1 << 17, word, Profile::arch2201), 16);
}

TEST(OnnxWord, EqualsScalarRequantisation) {
  for (int zero_point : {-128, 0, 17, 127}) {
    const std::uint64_t word = pack_quantisation_word(0.0371f, zero_point, true);
    for (std::int32_t accumulator = -9000; accumulator < 9000; accumulator += 7) {
      ASSERT_EQ(requantise_word(accumulator, word, Profile::onnx), requantise(accumulator, 0.0371f, zero_point, true));
    }
  }
  // No 9-bit clip in this profile.
  EXPECT_EQ(requantise_word(400, pack_quantisation_word(1.0f, -200, true), Profile::onnx), 127);
  EXPECT_EQ(requantise_word(-10, pack_quantisation_word(1.0f, 255, false), Profile::onnx), 245);
}

TEST(DequantiseToFp16, SaturatesAndIgnoresTheOffset) {
  struct Row {
    std::int32_t accumulator;
    float multiplier;
    std::uint16_t expected;
  };
  const Row table[] = {{1, 0.5f, 0x3800},     {-2, 1.0f, 0xc000},     {0, 1.0f, 0x0000},          {100000, 1.0f, 0x7bff},
                       {-100000, 1.0f, 0xfbff}, {65519, 1.0f, 0x7bff}, {2147483647, 1e30f, 0x7bff}, {2049, 1.0f, 0x6800},
                       {2051, 1.0f, 0x6802},  {1, 0x1p-24f, 0x0001}};
  for (Profile profile : {Profile::onnx, Profile::arch2002, Profile::arch2201, Profile::arch3510}) {
    for (const Row& row : table) {
      const std::uint64_t plain = pack_quantisation_word(row.multiplier, 0, false);
      const std::uint64_t with_offset = pack_quantisation_word(row.multiplier, -77, true);
      EXPECT_EQ(dequantise_word_to_fp16(row.accumulator, plain, profile), row.expected);
      EXPECT_EQ(dequantise_word_to_fp16(row.accumulator, with_offset, profile), row.expected);
    }
  }
  const std::uint64_t word = pack_quantisation_word(float_from(0x3f801fff), 0, false);
  EXPECT_EQ(dequantise_word_to_fp16(1, word, Profile::arch2201), 0x3c00);
  EXPECT_EQ(dequantise_word_to_fp16(1, word, Profile::onnx), 0x3c01);
}

}  // namespace
}  // namespace npulab::numerics
