// SPDX-License-Identifier: Apache-2.0
// The oracle is the definition: edge n is the first picosecond t with t x f >= n x 10^9 (f in kHz).
#include "model/base/clock_domain.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace npulab {
namespace {

Picoseconds first_at_or_after(Cycles cycle, std::int64_t khz) {
  __int128 t = static_cast<__int128>(cycle) * 1'000'000'000 / khz;
  while (t * khz < static_cast<__int128>(cycle) * 1'000'000'000) ++t;
  return static_cast<Picoseconds>(t);
}

TEST(ClockDomain, edges_are_the_first_picosecond_not_before_the_exact_instant) {
  for (const std::int64_t khz : {1'850'000, 1'650'000, 1'060'000, 680'000, 1'000'000, 3, 1}) {
    const ClockDomain clock(khz);
    for (const Cycles cycle : {0, 1, 2, 3, 36, 37, 1000, 1'849'999, 1'850'000, 2'000'000}) {
      const Picoseconds edge = first_at_or_after(cycle, khz);
      EXPECT_EQ(clock.edge(cycle), edge) << khz << " kHz, cycle " << cycle;
      EXPECT_EQ(clock.cycle_at_or_after(edge), cycle);
      EXPECT_EQ(clock.cycle_at_or_after(edge + 1), cycle + 1);
      EXPECT_EQ(clock.cycle_after(edge), cycle + 1);
      EXPECT_EQ(clock.cycle_at_or_after(std::max<Picoseconds>(edge - 1, 0)), cycle);
    }
  }
}

TEST(ClockDomain, a_day_of_cycles_loses_nothing) {
  const ClockDomain clock(1'850'000);
  EXPECT_EQ(clock.edge(Cycles{1'850'000'000} * 86400), kPicosecondsPerSecond * 86400);
}

TEST(ClockDomain, a_change_takes_effect_at_the_next_edge) {
  ClockDomain clock(1'000'000);             // 1000 ps
  clock.change_frequency(500'000, 10'001);  // between edges 10 and 11: edge 11 is the anchor
  EXPECT_EQ(clock.frequency_khz(), 500'000);
  EXPECT_EQ(clock.edge(11), 11'000);
  EXPECT_EQ(clock.edge(12), 13'000);
  EXPECT_EQ(clock.cycle_at_or_after(13'001), 13);
}

}  // namespace
}  // namespace npulab
