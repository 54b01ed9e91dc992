// SPDX-License-Identifier: Apache-2.0
// The calendar by closed formulas, and its two ways of booking against each other.
#include "memory/shared/bandwidth_calendar.h"

#include <gtest/gtest.h>

#include <random>

#include "model/base/errors.h"
#include "tests/unit/memory/memory_bench.h"

namespace npulab::memory {
namespace {

constexpr MicroBytes kByte = kMicroBytesPerByte;

Claim claim_of(MemoryClientId client, Picoseconds start, MicroBytes near, MicroBytes far, MicroBytes hbm) {
  Claim claim;
  claim.client = client;
  claim.start = start;
  claim.near = near;
  claim.far = far;
  claim.hbm = hbm;
  return claim;
}

struct AloneCase {
  std::int64_t port, cap;  // thousandths of a byte per ns
  Picoseconds start;
  Bytes near, far, hbm;
  Picoseconds duration;  // worked out by hand: max(near + far over the slowest of port, cap and L2; hbm over 1500 B/ns)
};

class Alone : public testing::TestWithParam<AloneCase> {};

TEST_P(Alone, TakesExactlyTheSlowestPartOfItsPath) {
  const AloneCase& c = GetParam();
  BandwidthCalendar calendar(round_spec());
  calendar.add_client(c.port, c.port);
  Claim claim = claim_of(0, c.start, c.near * kByte, c.far * kByte, c.hbm * kByte);
  claim.rate = calendar.rate_of(0, MemoryAccess::read, c.cap);
  EXPECT_EQ(calendar.unloaded(claim), c.duration);
  calendar.book(&claim, 1, c.start);
  EXPECT_EQ(claim.finish - c.start, c.duration);
}

INSTANTIATE_TEST_SUITE_P(
    BandwidthCalendar, Alone,
    testing::Values(AloneCase{200'000, 0, 0, 200, 0, 0, 1'000}, AloneCase{200'000, 0, 19'999, 200, 0, 0, 1'000},
                    AloneCase{200'000, 0, 7, 32'768, 0, 0, 163'840}, AloneCase{200'000, 0, 13'333, 0, 32'768, 32'768, 163'840},
                    AloneCase{200'000, 50'000, 13'333, 0, 32'768, 32'768, 655'360},
                    AloneCase{200'000, 300'000, 0, 1, 0, 0, 5}, AloneCase{300'000, 0, 0, 1, 0, 0, 4},
                    AloneCase{3'000'000, 0, 0, 0, 150'000, 150'000, 100'000},
                    AloneCase{3'000'000, 0, 19'000, 150'000, 150'000, 150'000, 100'000},
                    AloneCase{3'000'000, 0, 19'000, 300'000, 150'000, 150'000, 150'000},
                    AloneCase{9'000'000, 0, 0, 500'000, 0, 0, 100'000}));

TEST(BandwidthCalendar, VictimsTakeHbmBesideTheirFill) {
  BandwidthCalendar calendar(round_spec());
  calendar.add_client(3'000'000, 3'000'000);
  Claim claim = claim_of(0, 0, 0, 150'000 * kByte, 300'000 * kByte);
  claim.rate = calendar.rate_of(0, MemoryAccess::read, 0);
  calendar.book(&claim, 1, 0);
  // Twice the HBM bytes at 1500 B/ns; the weight rounds a few millionths of a byte a bucket.
  EXPECT_GE(claim.finish, 200'000);
  EXPECT_LE(claim.finish, 200'010);
  EXPECT_EQ(calendar.totals().hbm, 300'000 * kByte);
}

TEST(BandwidthCalendar, OneClaimIsBookedAlikeAloneAndInCompany) {
  std::mt19937 random(31);
  BandwidthCalendar alone(round_spec()), company(round_spec());
  for (int client = 0; client < 4; ++client) {
    for (BandwidthCalendar* calendar : {&alone, &company}) calendar->add_client(200'000 + client * 77'777, 150'001);
  }
  Picoseconds now = 0;
  for (int step = 0; step < 5000; ++step) {
    now += random() % 30'000;
    const MicroBytes near = random() % 2 * (random() % 20'000) * kByte, far = random() % 2 * (random() % 20'000 + 1) * kByte;
    const MicroBytes hbm = far == 0 ? 0 : far + random() % 3 * (random() % 1000) * kByte;
    Claim a = claim_of(random() % 4, now + random() % 50'000, near, far, hbm);
    a.access = random() % 3 == 0 ? MemoryAccess::write : MemoryAccess::read;
    a.rate = alone.rate_of(a.client, a.access, random() % 2 * 90'000);
    Claim b = a;
    alone.book(&a, 1, now);
    company.book_together(&b, 1, now);
    ASSERT_EQ(a.finish, b.finish) << "step " << step;
    ASSERT_EQ(a.far_finish, b.far_finish) << "step " << step;
    ASSERT_EQ(alone.totals().hbm, company.totals().hbm);
    for (std::int64_t bucket = now / 20'000; bucket < now / 20'000 + 200; ++bucket) {
      ASSERT_EQ(alone.hbm().used(bucket), company.hbm().used(bucket)) << "step " << step << " bucket " << bucket;
      ASSERT_EQ(alone.l2(a.access).used(bucket), company.l2(a.access).used(bucket)) << "step " << step;
    }
  }
}

TEST(BandwidthCalendar, ALaterClaimTakesWhatIsLeft) {
  BandwidthCalendar calendar(round_spec());
  for (int client = 0; client < 2; ++client) calendar.add_client(1'000'000, 1'000'000);
  Claim first = claim_of(0, 0, 0, 100'000 * kByte, 100'000 * kByte);
  Claim second = claim_of(1, 1000, 0, 50'000 * kByte, 50'000 * kByte);
  first.rate = second.rate = calendar.rate_of(0, MemoryAccess::read, 0);
  calendar.book(&first, 1, 0);
  calendar.book(&second, 1, 1000);
  EXPECT_EQ(first.finish, 100'000);
  // 500 B/ns beside the first (its first bucket has 10 000 B left for 19 ns), 1000 B/ns never needed.
  EXPECT_EQ(second.finish, 100'000);
  EXPECT_EQ(second.lost[static_cast<int>(Limit::port)], 0);
  EXPECT_EQ(second.lost[static_cast<int>(Limit::l2)], 0);
  EXPECT_GT(second.lost[static_cast<int>(Limit::hbm)], 0);
}

TEST(BandwidthCalendar, FullBucketsAreSkipped) {
  BandwidthCalendar calendar(round_spec());
  for (int client = 0; client < 3; ++client) calendar.add_client(2'000'000, 2'000'000);
  Picoseconds expected = 0;
  for (MemoryClientId client = 0; client < 3; ++client) {
    Claim claim = claim_of(client, 0, 0, 300'000 * kByte, 300'000 * kByte);
    claim.rate = calendar.rate_of(client, MemoryAccess::read, 0);
    calendar.book(&claim, 1, 0);
    expected += 200'000;  // 300 000 B at 1500 B/ns, one after the other
    EXPECT_EQ(claim.finish, expected);
  }
}

TEST(BandwidthCalendar, ReleaseGivesBackWhatLiesAhead) {
  BandwidthCalendar calendar(round_spec());
  calendar.add_client(200'000, 200'000);
  std::vector<BookedRun> runs;
  Claim claim = claim_of(0, 5'000, 0, 40'000 * kByte, 40'000 * kByte);
  claim.rate = 200'000;
  claim.runs = &runs;
  calendar.book(&claim, 1, 0);
  EXPECT_EQ(claim.finish, 205'000);
  calendar.release(0, MemoryAccess::read, runs, 70'000);
  const MicroBytes passed = 65 * 200 * kByte;
  EXPECT_EQ(calendar.totals().hbm, passed);
  EXPECT_EQ(calendar.totals().l2_read, passed);
  MicroBytes used = 0;
  for (std::int64_t bucket = 0; bucket < 20; ++bucket) used += calendar.port(0, MemoryAccess::read).used(bucket);
  EXPECT_EQ(used, passed);
  Claim next = claim_of(0, 70'000, 0, 4'000 * kByte, 4'000 * kByte);
  next.rate = 200'000;
  calendar.book(&next, 1, 70'000);
  EXPECT_EQ(next.finish, 90'000);
}

TEST(BandwidthCalendar, RefusesEmptyResources) {
  MemorySpec spec = round_spec();
  spec.bucket = 0;
  EXPECT_THROW(BandwidthCalendar calendar(spec), InternalError);
  spec = round_spec();
  spec.hbm.sustained_bytes_per_s = 0;
  EXPECT_THROW(BandwidthCalendar calendar(spec), InternalError);
}

}  // namespace
}  // namespace npulab::memory
