// SPDX-License-Identifier: Apache-2.0
// Ranges and alignment against brute force over every combination of loop counters.
#include "model/isa/value_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace npulab::isa::test {
namespace {

struct Case {
  Program program;
  ProgramOp op;
  LoopTrips trips = {1, 1, 1, 1, 1, 1, 1, 1};
  BlockBinding binding;
  std::int64_t step = 1;
};

Case random_case(std::mt19937& random) {
  const auto pick = [&](std::int64_t least, std::int64_t most) { return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1)); };
  Case c;
  c.step = std::int64_t{1} << pick(0, 5);
  const std::int64_t grain = pick(0, 3) == 0 ? 1 : c.step;
  for (int depth = 0; depth < 3; ++depth) c.trips[depth] = pick(1, 9);
  c.binding.values = {pick(-5, 50), pick(0, 3) * grain};
  c.op.head.dst = static_cast<std::uint64_t>(pick(-3, 20) * grain);
  const int terms = static_cast<int>(pick(0, 5));
  for (int t = 0; t < terms; ++t) {
    const auto variable = static_cast<std::uint8_t>(pick(0, 4) < 4 ? 8 + pick(0, 2) : 1);
    const std::int64_t modulus = pick(0, 1) == 0 ? 0 : pick(1, 6);
    const std::int64_t coefficient = pick(-9, 9) * (pick(0, 7) == 0 ? 1 : grain);
    c.program.terms.push_back({pick(0, 5) == 0 ? HeadField::src0 : HeadField::dst, variable, coefficient, modulus});
  }
  c.op.term_count = static_cast<std::uint16_t>(terms);
  return c;
}

std::vector<std::int64_t> all_values(const Case& c) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < c.trips[0]; ++i) {
    for (std::int64_t j = 0; j < c.trips[1]; ++j) {
      for (std::int64_t k = 0; k < c.trips[2]; ++k) {
        const std::int64_t variables[11] = {c.binding.values[0], c.binding.values[1], 0, 0, 0, 0, 0, 0, i, j, k};
        std::int64_t value = static_cast<std::int64_t>(c.op.head.dst);
        for (const AffineTerm& term : c.program.terms) {
          const std::int64_t v = variables[term.variable];
          if (term.field == HeadField::dst) value += term.coefficient * (term.modulus > 0 ? v % term.modulus : v);
        }
        values.push_back(value);
      }
    }
  }
  return values;
}

TEST(ValueRanges, agree_with_brute_force) {
  std::mt19937 random(7);
  AddressRule rule;
  rule.field = HeadField::dst;
  int misaligned = 0;
  for (int n = 0; n < 20000; ++n) {
    const Case c = random_case(random);
    const std::vector<std::int64_t> values = all_values(c);
    const ValueRange range = AffineRange(c.program, c.op, rule).over(c.binding, c.trips, c.step);
    ASSERT_EQ(range.least, *std::min_element(values.begin(), values.end())) << "case " << n;
    ASSERT_EQ(range.most, *std::max_element(values.begin(), values.end())) << "case " << n;
    const bool aligned = std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v % c.step == 0; });
    ASSERT_EQ(range.aligned, aligned) << "case " << n;
    if (!aligned) {
      ++misaligned;
      ASSERT_NE(range.misaligned % c.step, 0) << "case " << n;
      ASSERT_NE(std::find(values.begin(), values.end(), range.misaligned), values.end()) << "case " << n;
    }
  }
  EXPECT_GT(misaligned, 2000);
  EXPECT_LT(misaligned, 18000);
}

TEST(ValueRanges, sums_beyond_64_bits_saturate) {
  Case c;
  c.trips[0] = std::int64_t{1} << 40;
  c.program.terms.push_back({HeadField::dst, 8, std::int64_t{1} << 40, 0});
  c.op.term_count = 1;
  c.binding.values = {0};
  const ValueRange range = AffineRange(c.program, c.op, AddressRule{}).over(c.binding, c.trips, 1);
  EXPECT_EQ(range.least, 0);
  EXPECT_EQ(range.most, std::numeric_limits<std::int64_t>::max());
}

TEST(ValueRanges, halves_of_a_field_are_apart) {
  Case c;
  c.trips[0] = 4;
  c.binding.values = {0};
  c.op.head.src1 = (std::uint64_t{5} << 32) - 16;  // 5 above, -16 below
  c.program.terms.push_back({HeadField::src1, 8, 16, 0});
  c.program.terms.push_back({HeadField::src1, 8, std::int64_t{3} << 32, 0});
  c.op.term_count = 2;
  AddressRule rule;
  rule.field = HeadField::src1;
  rule.part = AddressRule::Part::low_half;
  const ValueRange low = AffineRange(c.program, c.op, rule).over(c.binding, c.trips, 16);
  EXPECT_EQ(low.least, -16);
  EXPECT_EQ(low.most, 32);
  EXPECT_TRUE(low.aligned);
  rule.part = AddressRule::Part::high_half;
  const ValueRange high = AffineRange(c.program, c.op, rule).over(c.binding, c.trips, 1);
  EXPECT_EQ(high.least, 5);
  EXPECT_EQ(high.most, 14);
}

}  // namespace
}  // namespace npulab::isa::test
