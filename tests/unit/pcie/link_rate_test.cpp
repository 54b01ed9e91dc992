// SPDX-License-Identifier: Apache-2.0
// Byte rates of the generations against the public table (GB/s per direction, rounded to three places there).
#include "pcie/link/link_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace npulab::pcie {
namespace {

struct Row {
  int generation, width;
  double gigabytes_per_s;
};

TEST(LinkRate, raw_rates_are_those_of_the_generation_table) {
  const Row rows[] = {{1, 1, 0.250}, {1, 16, 4.000}, {2, 4, 2.000}, {3, 1, 0.985}, {3, 4, 3.938}, {3, 8, 7.877}, {3, 16, 15.754},
                      {4, 4, 7.877}, {4, 16, 31.508}, {5, 1, 3.938}, {5, 16, 63.015}, {6, 1, 7.375}, {6, 16, 118.0}};
  for (const Row& row : rows) {
    LinkSpec link;
    link.generation = row.generation;
    link.width = row.width;
    const LinkRate rate(link);
    const double from_time = 1e6 / static_cast<double>(rate.time(1'000'000)) * 1e3;
    EXPECT_NEAR(from_time, row.gigabytes_per_s, 0.0006) << "gen " << row.generation << " x" << row.width;
    EXPECT_NEAR(static_cast<double>(rate.raw_bytes_per_s()) / 1e9, row.gigabytes_per_s, 0.0006);
    EXPECT_EQ(rate.framing_bytes(), row.generation == 6 ? 0 : 8);
  }
}

TEST(LinkRate, overhead_takes_its_share_and_time_is_rounded_up) {
  LinkSpec link;
  link.generation = 1;
  link.width = 1;
  EXPECT_EQ(LinkRate(link).time(1), 4000);   // 250 MB/s
  link.dllp_overhead_permille = 50;
  EXPECT_EQ(LinkRate(link).time(19), 80'000);  // 19 bytes in the time of 20
  EXPECT_EQ(LinkRate(link).time(1), 4211);     // 4210.5
}

}  // namespace
}  // namespace npulab::pcie
