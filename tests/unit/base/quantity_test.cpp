// SPDX-License-Identifier: Apache-2.0
#include "model/base/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace npulab {
namespace {

struct Good {
  const char* text;
  Unit unit;
  std::int64_t value;
};

// Values worked out by hand from the meaning of the prefixes.
const Good kGood[] = {
    {"24", Unit::count, 24},
    {"1_000", Unit::count, 1000},
    {"0", Unit::count, 0},
    {"-3", Unit::count, -3},
    {"+7", Unit::count, 7},
    {"2.0", Unit::count, 2},
    {"0x19e5", Unit::count, 6629},
    {"0x120000", Unit::count, 1179648},
    {"9223372036854775807", Unit::count, std::numeric_limits<std::int64_t>::max()},
    {"256KiB", Unit::bytes, 262144},
    {"64 GiB", Unit::bytes, 68719476736},
    {"0.5 KiB", Unit::bytes, 512},
    {"24 GB", Unit::bytes, 24000000000},
    {"32 B", Unit::bytes, 32},
    {"1 TiB", Unit::bytes, 1099511627776},
    {"355 cycle", Unit::cycles, 355},
    {"1 cycles", Unit::cycles, 1},
    {"8.5 cycle", Unit::millicycles, 8500},
    {"0.001 cycle", Unit::millicycles, 1},
    {"110 B/cycle", Unit::byte_rate, 110000},
    {"28.4 B/cycle", Unit::byte_rate, 28400},
    {"64 element/cycle", Unit::element_rate, 64},
    {"1850 MHz", Unit::frequency, 1850000},
    {"1.85 GHz", Unit::frequency, 1850000},
    {"20 ns", Unit::time, 20000},
    {"2 ms", Unit::time, 2000000000},
    {"0.5 ns", Unit::time, 500},
    {"1 s", Unit::time, 1000000000000},
    {"1.8TB/s", Unit::bandwidth, 1800000000000},
    {"1.49 TB/s", Unit::bandwidth, 1490000000000},
    {"45.6 GB/s", Unit::bandwidth, 45600000000},
    {"1 GiB/s", Unit::bandwidth, 1073741824},
    {"50 permille", Unit::permille, 50},
    {"5 %", Unit::permille, 50},
    {"4.9 %", Unit::permille, 49},
};

TEST(Quantity, values_are_exact) {
  for (const Good& row : kGood) {
    std::int64_t value = -99;
    std::string problem;
    EXPECT_TRUE(parse_quantity(row.text, row.unit, value, problem)) << row.text << ": " << problem;
    EXPECT_EQ(value, row.value) << row.text;
  }
}

struct Bad {
  const char* text;
  Unit unit;
  const char* fragment;
};

const Bad kBad[] = {
    {"", Unit::count, "expected a whole number"},
    {"many", Unit::count, "found 'many'"},
    {"nan", Unit::bandwidth, "expected a bandwidth"},
    {".nan", Unit::time, "expected a time"},
    {"inf", Unit::time, "expected a time"},
    {"-.inf", Unit::time, "expected a time"},
    {"1e9", Unit::count, "expected a whole number"},
    {"24e9 B", Unit::bytes, "expected a size"},
    {"1850", Unit::frequency, "expected a frequency"},
    {"512", Unit::bytes, "expected a size"},
    {"512 MHz", Unit::bytes, "found '512 MHz'"},
    {"512 kib", Unit::bytes, "expected a size"},
    {"512 Kib", Unit::bytes, "expected a size"},
    {"10.5 cycle", Unit::cycles, "finer than"},
    {"0.0001 cycle", Unit::millicycles, "finer than"},
    {"0.3 B", Unit::bytes, "finer than"},
    {"0.0001 ns", Unit::time, "finer than"},
    {"2.5", Unit::count, "finer than"},
    {"24 cores", Unit::count, "found '24 cores'"},
    {"1.2.3 GB", Unit::bytes, "expected a size"},
    {"--3", Unit::count, "expected a whole number"},
    {"- 3", Unit::count, "expected a whole number"},
    {"_3", Unit::count, "expected a whole number"},
    {".", Unit::count, "expected a whole number"},
    {"0x", Unit::count, "expected a whole number"},
    {"0xzz", Unit::count, "expected a hexadecimal"},
    {"0x-5", Unit::count, "expected a hexadecimal"},
    {"0x10 B", Unit::bytes, "expected a size"},
    {"9223372036854775808", Unit::count, "too large"},
    {"9999999999 TiB", Unit::bytes, "too large"},
    {"99999999999999999999 TiB", Unit::bytes, "too large"},
    {"-9999999999 TiB", Unit::bytes, "too large"},
    {"999999999999999999999999999999 TiB", Unit::bytes, "too many digits"},
    {"110 B/s", Unit::byte_rate, "expected a rate"},
    {"20 nanoseconds", Unit::time, "expected a time"},
};

TEST(Quantity, mistakes_are_refused_with_an_example) {
  for (const Bad& row : kBad) {
    std::int64_t value = -99;
    std::string problem;
    EXPECT_FALSE(parse_quantity(row.text, row.unit, value, problem)) << row.text << " became " << value;
    EXPECT_NE(problem.find(row.fragment), std::string::npos) << row.text << ": " << problem;
  }
}

TEST(Quantity, a_long_text_is_cut_in_the_message) {
  std::int64_t value = 0;
  std::string problem;
  EXPECT_FALSE(parse_quantity(std::string(100000, 'x'), Unit::time, value, problem));
  EXPECT_LT(problem.size(), 200u);
}

TEST(Quantity, text_reads_back_as_the_same_value) {
  const Good rows[] = {{"512 KiB", Unit::bytes, 524288},     {"8.5 cycle", Unit::millicycles, 8500}, {"28.4 B/cycle", Unit::byte_rate, 28400},
                       {"0.001 cycle", Unit::millicycles, 1}, {"0 B", Unit::bytes, 0},                {"1 GHz", Unit::frequency, 1000000},
                       {"1500 ps", Unit::time, 1500},         {"24", Unit::count, 24},                {"5 %", Unit::permille, 50},
                       {"5 permille", Unit::permille, 5},     {"0.101 cycle", Unit::millicycles, 101}, {"100 B", Unit::bytes, 100}};
  for (const Good& row : rows) {
    EXPECT_EQ(quantity_text(row.value, row.unit), row.text);
    std::int64_t value = -99;
    std::string problem;
    EXPECT_TRUE(parse_quantity(quantity_text(row.value, row.unit), row.unit, value, problem)) << problem;
    EXPECT_EQ(value, row.value);
  }
}

}  // namespace
}  // namespace npulab
