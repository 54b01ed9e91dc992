// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/device_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace npulab::firmware::host {
namespace {

TEST(DeviceAllocator, first_fit_in_granules) {
  DeviceAllocator memory(100, 512 * 5);
  EXPECT_EQ(memory.free_bytes(), 512 * 4);
  EXPECT_EQ(memory.allocate(1), 512u);
  EXPECT_EQ(memory.allocate(513), 1024u);
  EXPECT_FALSE(memory.allocate(513));
  EXPECT_FALSE(memory.allocate(0));
  EXPECT_EQ(memory.allocate(512), 2048u);
  EXPECT_EQ(memory.free_bytes(), 0);
  EXPECT_FALSE(memory.release(600));
  EXPECT_TRUE(memory.release(1024));
  EXPECT_FALSE(memory.release(1024));
  EXPECT_EQ(memory.allocate(1024), 1024u);
}

TEST(DeviceAllocator, random_use_never_overlaps_and_everything_comes_back) {
  std::mt19937 random(1);
  DeviceAllocator memory(0, 1 << 20);
  std::map<std::uint64_t, Bytes> live;
  for (int i = 0; i < 3000; ++i) {
    if (random() % 2 == 0 || live.empty()) {
      const Bytes bytes = 1 + static_cast<Bytes>(random() % 40000);
      const auto at = memory.allocate(bytes);
      if (!at) continue;
      const auto after = live.lower_bound(*at);
      const std::uint64_t above = after == live.end() ? 1 << 20 : after->first;
      ASSERT_LE(*at + static_cast<std::uint64_t>(bytes), above);
      const std::uint64_t below = after == live.begin() ? 0 : std::prev(after)->first + static_cast<std::uint64_t>(std::prev(after)->second);
      ASSERT_LE(below, *at);
      live[*at] = bytes;
    } else {
      const auto victim = std::next(live.begin(), static_cast<long>(random() % live.size()));
      ASSERT_TRUE(memory.release(victim->first));
      live.erase(victim);
    }
  }
  for (const auto& [at, bytes] : live) ASSERT_TRUE(memory.release(at));
  EXPECT_EQ(memory.allocate(1 << 20), 0u);  // one hole again
}

}  // namespace
}  // namespace npulab::firmware::host
