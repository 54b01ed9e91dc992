// SPDX-License-Identifier: Apache-2.0
// Max-min sharing of a bucket against water poured drop by drop: each claimant takes a drop in turn as long as it finds one
// on its whole path, far bytes first.
#include "memory/shared/bucket_filling.h"

#include <gtest/gtest.h>

#include <random>

namespace npulab::memory {
namespace {

struct Case {
  MicroBytes hbm, l2_read, l2_write;
  std::vector<MicroBytes> ports;
  std::vector<Claim> claims;
  std::vector<std::size_t> port_of;
  std::vector<MicroBytes> own;
};

struct Poured {
  MicroBytes near = 0, far = 0;
  bool far_stopped = false, stopped = false;
};

std::vector<Poured> pour(const Case& c) {
  std::vector<Poured> result(c.claims.size());
  MicroBytes hbm = c.hbm, side[2] = {c.l2_read, c.l2_write};
  std::vector<MicroBytes> ports = c.ports;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < c.claims.size(); ++i) {
      const Claim& claim = c.claims[i];
      Poured& has = result[i];
      const MicroBytes drop_of_hbm = claim.weight / kUnitWeight;
      MicroBytes& l2 = side[static_cast<int>(claim.access)];
      if (has.stopped || ports[c.port_of[i]] < 1 || l2 < 1 || has.near + has.far >= c.own[i]) continue;
      if (!has.far_stopped && has.far < claim.far && hbm >= drop_of_hbm) {
        ++has.far;
        hbm -= drop_of_hbm;
      } else {
        has.far_stopped = true;
        if (has.near >= claim.near) {
          has.stopped = true;
          continue;
        }
        ++has.near;
      }
      --ports[c.port_of[i]];
      --l2;
      any = true;
    }
  }
  return result;
}

Case random_case(std::mt19937& random) {
  const auto pick = [&random](MicroBytes low, MicroBytes high) {
    return std::uniform_int_distribution<MicroBytes>(low, high)(random);
  };
  Case c{pick(0, 4000), pick(500, 8000), pick(500, 8000), {}, {}, {}, {}};
  for (int port = 0; port < 4; ++port) c.ports.push_back(pick(100, 3000));
  const MicroBytes count = pick(1, 8);
  for (MicroBytes i = 0; i < count; ++i) {
    Claim claim;
    claim.far = pick(0, 1) * pick(1, 2500);
    claim.near = pick(0, 1) * pick(1, 2500);
    if (claim.far + claim.near == 0) claim.near = 7;
    claim.weight = pick(1, 3) * kUnitWeight;
    claim.hbm = claim.far * (claim.weight / kUnitWeight);
    c.port_of.push_back(static_cast<std::size_t>(pick(0, 3)));
    claim.access = c.port_of.back() % 2 == 0 ? MemoryAccess::read : MemoryAccess::write;
    c.own.push_back(pick(50, 3000));
    c.claims.push_back(claim);
  }
  return c;
}

std::vector<Share> fill(Case& c) {
  BucketFilling filling;
  filling.start(c.hbm, c.l2_read, c.l2_write);
  for (std::size_t i = 0; i < c.claims.size(); ++i) {
    Share& share = filling.add();
    share.claim = &c.claims[i];
    share.port = filling.add_port(c.port_of[i], c.ports[c.port_of[i]]);
    share.own = share.far_limit = c.own[i];
    share.length = 1000;
  }
  filling.fill();
  return filling.shares();
}

TEST(BucketFilling, EqualsWaterPouredDropByDrop) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    Case c = random_case(random);
    const std::vector<Poured> expected = pour(c);
    const std::vector<Share> shares = fill(c);
    // A drop a claimant may be left over, and moves others by as much.
    const MicroBytes slack = static_cast<MicroBytes>(2 * c.claims.size()) + 2;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_NEAR(shares[i].far, expected[i].far, slack) << "round " << round << " claim " << i;
      EXPECT_NEAR(shares[i].far + shares[i].near, expected[i].far + expected[i].near, slack)
          << "round " << round << " claim " << i;
    }
  }
}

TEST(BucketFilling, NeverExceedsAnySupply) {
  std::mt19937 random(12);
  for (int round = 0; round < 2000; ++round) {
    Case c = random_case(random);
    const std::vector<Share> shares = fill(c);
    MicroBytes hbm = 0, side[2] = {0, 0};
    std::vector<MicroBytes> ports(c.ports.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const MicroBytes total = shares[i].far + shares[i].near;
      hbm += shares[i].hbm;
      side[static_cast<int>(c.claims[i].access)] += total;
      ports[c.port_of[i]] += total;
      EXPECT_LE(shares[i].far, c.claims[i].far);
      EXPECT_LE(shares[i].near, c.claims[i].near);
      EXPECT_LE(total, c.own[i]);
      EXPECT_LE(shares[i].time, 1000);
      EXPECT_LE(shares[i].far_time, 1000);
    }
    EXPECT_LE(hbm, c.hbm);
    EXPECT_LE(side[0], c.l2_read);
    EXPECT_LE(side[1], c.l2_write);
    for (std::size_t port = 0; port < ports.size(); ++port) EXPECT_LE(ports[port], c.ports[port]);
  }
}

// Processor sharing in closed form: with C a ps shared by all, demand x has passed after the sum of min(x, each) over C.
TEST(BucketFilling, DemandsThatEndHavePassedAfterTheirFairTime) {
  Case c{3000, 100000, 100000, {100000, 100000, 100000}, {}, {}, {}};
  c.port_of = {0, 2, 0};
  c.own = {100000, 100000, 100000};
  for (const MicroBytes demand : {30, 600, 50000}) {
    Claim claim;
    claim.far = claim.hbm = demand;
    claim.weight = kUnitWeight;
    c.claims.push_back(claim);
  }
  const std::vector<Share> shares = fill(c);
  EXPECT_EQ(shares[0].far, 30);
  EXPECT_EQ(shares[1].far, 600);
  EXPECT_EQ(shares[2].far, 2370);
  EXPECT_EQ(shares[0].time, 30);    // 3 x 30 of 3000 in 1000 ps
  EXPECT_EQ(shares[1].time, 410);   // 30 + 2 x 600
  EXPECT_EQ(shares[2].stopped_by, Limit::hbm);
}

}  // namespace
}  // namespace npulab::memory
