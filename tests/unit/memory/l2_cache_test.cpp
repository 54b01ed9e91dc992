// SPDX-License-Identifier: Apache-2.0
// Tags against a naive model: a list a set in order of use, a map a line.
#include "memory/shared/l2_cache.h"

#include <gtest/gtest.h>

#include <list>
#include <random>

#include "model/base/errors.h"

namespace npulab::memory {
namespace {

L2Spec small_spec(int ways) {
  L2Spec spec;
  spec.line_bytes = 512;
  spec.sector_bytes = 128;
  spec.ways = ways;
  spec.capacity = Bytes{512} * ways * 6;  // 6 sets: no power of two
  return spec;
}

class NaiveCache {
 public:
  NaiveCache(int sets, int ways) : sets_(static_cast<std::size_t>(sets)), ways_(static_cast<std::size_t>(ways)) {}

  L2Cache::Outcome access(std::uint64_t line, SectorMask sectors, bool write, bool bypass, std::uint32_t fill) {
    std::list<Entry>& set = sets_[line % sets_.size()];
    auto found = set.begin();
    while (found != set.end() && found->line != line) ++found;
    L2Cache::Outcome outcome;
    if (found == set.end()) {
      if (bypass) return outcome;
      if (set.size() == ways_) {
        outcome.victim_dirty = set.back().dirty;
        set.pop_back();
      }
      set.push_front({line, 0, 0, 0});
      found = set.begin();
    } else if (!bypass) {
      set.splice(set.begin(), set, found);
    }
    outcome.hit = bypass && write ? sectors : sectors & found->valid;
    outcome.fill = found->fill;
    if (bypass && !write) return outcome;
    if (!write && outcome.hit != sectors) found->fill = fill;
    found->valid |= sectors;
    if (write) found->dirty |= sectors;
    return outcome;
  }

 private:
  struct Entry {
    std::uint64_t line;
    SectorMask valid, dirty;
    std::uint32_t fill;
  };
  std::vector<std::list<Entry>> sets_;
  std::size_t ways_;
};

class AnyWays : public testing::TestWithParam<int> {};

TEST_P(AnyWays, EqualsTheNaiveModelOnRandomTraces) {
  L2Cache cache(small_spec(GetParam()));
  NaiveCache naive(6, GetParam());
  std::mt19937 random(21);
  std::uint64_t line = 0;
  for (std::uint32_t step = 1; step <= 50'000; ++step) {
    line = random() % 3 == 0 ? random() % 200 : (line + 1) % 200;
    const SectorMask sectors = random() % 15 + 1;
    const bool write = random() % 3 == 0, bypass = random() % 5 == 0;
    const L2Cache::Outcome expected = naive.access(line, sectors, write, bypass, step);
    const L2Cache::Outcome outcome =
        bypass ? cache.access_bypass(line, sectors, write) : cache.access(line, sectors, write, step);
    ASSERT_EQ(outcome.hit, expected.hit) << "step " << step;
    ASSERT_EQ(outcome.victim_dirty, expected.victim_dirty) << "step " << step;
    ASSERT_TRUE(outcome.hit == 0 || outcome.fill == expected.fill) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(L2Cache, AnyWays, testing::Values(1, 2, 3, 7, 8, 15, 16));

TEST(L2Cache, AStreamLargerThanTheCacheNeverHitsAndASmallerOneAlwaysDoes) {
  for (const std::uint64_t lines : {96u, 97u}) {  // 6 sets x 16 ways = 96
    L2Cache cache(small_spec(16));
    std::uint64_t hits = 0;
    for (int sweep = 0; sweep < 4; ++sweep) {
      for (std::uint64_t line = 0; line < lines; ++line) hits += cache.access(line, 15, false, 1).hit == 15;
    }
    // One line too many costs the hits of its own set only.
    EXPECT_EQ(hits, lines == 96 ? 3 * 96 : 3 * (97 - 17));
  }
}

TEST(L2Cache, ClearForgetsDirtyData) {
  L2Cache cache(small_spec(1));
  cache.access(0, 3, true, 0);
  cache.clear();
  EXPECT_EQ(cache.access(0, 3, false, 1).hit, 0u);
  EXPECT_EQ(cache.access(6, 1, false, 1).victim_dirty, 0u);  // same set, clean victim
}

TEST(L2Cache, WithoutCapacityEverythingMisses) {
  L2Spec spec = small_spec(16);
  spec.capacity = 0;
  L2Cache cache(spec);
  EXPECT_TRUE(cache.absent());
  cache.access(1, 1, true, 0);
  EXPECT_EQ(cache.access(1, 1, false, 1).hit, 0u);
}

TEST(L2Cache, RefusesSizesItCannotRepresent) {
  const auto refused = [](auto change) {
    L2Spec spec = small_spec(4);
    change(spec);
    EXPECT_THROW(L2Cache cache(spec), InternalError);
  };
  refused([](L2Spec& spec) { spec.line_bytes = 384; });
  refused([](L2Spec& spec) { spec.sector_bytes = 16; });
  refused([](L2Spec& spec) { spec.ways = 17; });
  refused([](L2Spec& spec) { spec.capacity += 512; });
}

}  // namespace
}  // namespace npulab::memory
