// SPDX-License-Identifier: Apache-2.0
// Bursts over chains of links against a reference that moves every TLP by itself, and the ordering and credit rules.
#include "pcie/link/link_direction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/pcie/pcie_board.h"

namespace npulab::pcie {
namespace {

using test::plain_link;
using test::PlainTimeline;

constexpr std::uint64_t kHigh = std::uint64_t{1} << 33;

/// Hands on to the next link, or notes the end.
class Relay : public BurstReceiver {
 public:
  explicit Relay(PlainTimeline& timeline) : timeline_(timeline) {}
  void receive(BurstPtr burst) override {
    if (next != nullptr) {
      burst->arrival.base += forward;
      return next->send(std::move(burst));
    }
    LinkDirection::consume(*burst);
    const Picoseconds last = burst->arrival.last(burst->tlps);
    timeline_.at(last, [this, burst, last] {
      bytes += burst->tlps.payload_bytes();
      order.push_back(burst->request);
      ends[burst->request] = last;
    });
  }
  LinkDirection* next = nullptr;
  Picoseconds forward = 0;
  Bytes bytes = 0;
  std::vector<std::uint64_t> order;
  std::map<std::uint64_t, Picoseconds> ends;  // of the last TLP

 private:
  PlainTimeline& timeline_;
};

struct Chain {
  explicit Chain(const std::vector<LinkSpec>& links) {
    for (std::size_t i = 0; i < links.size(); ++i) relays.push_back(std::make_unique<Relay>(timeline));
    for (std::size_t i = 0; i < links.size(); ++i) {
      directions.push_back(std::make_unique<LinkDirection>(timeline, links[i], "link" + std::to_string(i), *relays[i]));
      if (i > 0) relays[i - 1]->next = directions[i].get();
      relays[i]->forward = 105'000;
    }
  }
  void send(Picoseconds time, std::uint64_t id, TlpType type, const TlpList& tlps) {
    auto burst = std::make_shared<Burst>();
    burst->type = type;
    burst->tlps = tlps;
    burst->request = id;
    burst->address = kHigh;
    burst->bytes = tlps.payload_bytes();
    burst->max_read_request = 512;
    timeline.at(time, [this, burst, time] {
      burst->arrival.base = time;
      directions.front()->send(burst);
    });
  }
  Relay& end() { return *relays.back(); }
  bool credits_home() const {
    for (const auto& direction : directions) {
      for (int kind = 0; kind < kCreditClassCount; ++kind) {
        const CreditLedger& ledger = direction->credits(static_cast<CreditClass>(kind));
        if (ledger.headers_in_flight() != 0 || ledger.data_in_flight() != 0) return false;
      }
    }
    return true;
  }
  PlainTimeline timeline;
  std::vector<std::unique_ptr<Relay>> relays;
  std::vector<std::unique_ptr<LinkDirection>> directions;
};

struct Offered {
  Picoseconds time;
  TlpList tlps;
};

/// The reference: TLP after TLP, hop after hop, each stored before it is forwarded, with credits for headers and data.
std::vector<Picoseconds> single_tlp_ends(const std::vector<LinkSpec>& links, const std::vector<Offered>& bursts) {
  struct Hop {
    Picoseconds free = 0;
    std::vector<Picoseconds> returned;  // when the credits of TLP k are back at this hop's sender
    std::vector<int> data;              // credits of TLP k
  };
  std::vector<Hop> hops(links.size());
  std::vector<Picoseconds> ends;
  for (const Offered& burst : bursts) {
    Picoseconds last = 0;
    for (int i = 0; i < burst.tlps.count(); ++i) {
      Picoseconds arrived = burst.time;
      for (std::size_t h = 0; h < links.size(); ++h) {
        const LinkRate rate(links[h]);
        const int data = (burst.tlps[i].payload + 15) / 16;
        Picoseconds start = std::max(arrived, hops[h].free);
        const std::size_t number = hops[h].data.size();
        const std::size_t headers = static_cast<std::size_t>(links[h].posted_header_credits);
        if (headers != 0 && number >= headers) start = std::max(start, hops[h].returned[number - headers]);
        int sum = data;
        for (std::size_t k = number; links[h].posted_data_credits != 0 && k-- > 0;) {
          sum += hops[h].data[k];
          if (sum > links[h].posted_data_credits) {
            start = std::max(start, hops[h].returned[k]);
            break;
          }
        }
        const Picoseconds end = start + rate.time(burst.tlps[i].header + burst.tlps[i].payload + rate.framing_bytes());
        hops[h].free = end;
        hops[h].data.push_back(data);
        hops[h].returned.push_back(0);
        if (h > 0) hops[h - 1].returned.back() = end + links[h - 1].propagation;
        arrived = end + links[h].propagation + (h + 1 < links.size() ? 105'000 : 0);
        if (h + 1 == links.size()) hops[h].returned.back() = arrived + links[h].propagation;
        last = arrived;
      }
    }
    ends.push_back(last);
  }
  return ends;
}

std::vector<Offered> random_bursts(std::uint32_t seed, int count, Picoseconds spread) {
  std::mt19937 random(seed);
  std::vector<Offered> bursts;
  Picoseconds time = 0;
  for (int i = 0; i < count; ++i) {
    time += random() % static_cast<std::uint32_t>(spread);
    const Bytes bytes = 1 + static_cast<Bytes>(random() % 4096);
    bursts.push_back({time, write_tlps(kHigh + 4096 - static_cast<std::uint64_t>(bytes), bytes, 256)});
  }
  return bursts;
}

/// Rates whose times are whole picoseconds, so that cutting at TLPs rounds nothing.
LinkSpec exact_link(int generation, int width) {
  LinkSpec link = plain_link(generation, width);
  link.dllp_overhead_permille = 0;
  link.posted_header_credits = link.posted_data_credits = 0;
  return link;
}

TEST(LinkDirection, bursts_end_when_their_single_tlps_would) {
  const std::vector<std::vector<LinkSpec>> chains = {
      {exact_link(1, 4)}, {exact_link(1, 16), exact_link(1, 4)}, {exact_link(1, 4), exact_link(2, 16)},
      {exact_link(2, 8), exact_link(1, 1), exact_link(1, 16)}, {exact_link(1, 8), exact_link(1, 2), exact_link(2, 2), exact_link(2, 4)}};
  for (const auto& links : chains) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const std::vector<Offered> bursts = random_bursts(seed, 60, seed % 2 == 0 ? 6'000'000 : 500'000);
      const std::vector<Picoseconds> expected = single_tlp_ends(links, bursts);
      Chain chain(links);
      for (std::size_t i = 0; i < bursts.size(); ++i) chain.send(bursts[i].time, i, TlpType::memory_write, bursts[i].tlps);
      chain.timeline.run();
      Bytes sent = 0;
      for (std::size_t i = 0; i < bursts.size(); ++i) {
        ASSERT_EQ(chain.end().ends[i], expected[i]) << "burst " << i << " of seed " << seed << " over " << links.size() << " links";
        sent += bursts[i].tlps.payload_bytes();
      }
      EXPECT_EQ(chain.end().bytes, sent);
      for (const auto& direction : chain.directions) EXPECT_EQ(direction->totals().payload_bytes, sent);
    }
  }
}

// After a faster link the single TLPs would already be under way on a slower one behind it: a burst comes later there, by less
// than its own time, and the rate stays the same.
TEST(LinkDirection, behind_a_faster_link_a_burst_is_late_by_less_than_itself) {
  const std::vector<LinkSpec> links = {exact_link(1, 2), exact_link(2, 8), exact_link(1, 2)};
  const std::vector<Offered> bursts = random_bursts(3, 60, 500'000);
  const std::vector<Picoseconds> expected = single_tlp_ends(links, bursts);
  Chain chain(links);
  for (std::size_t i = 0; i < bursts.size(); ++i) chain.send(bursts[i].time, i, TlpType::memory_write, bursts[i].tlps);
  chain.timeline.run();
  const Picoseconds one = LinkRate(links[2]).time(16 * 280 + 24 + 256);
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    EXPECT_GE(chain.end().ends[i], expected[i]);
    EXPECT_LE(chain.end().ends[i], expected[i] + one);
  }
}

// A burst waits to leave without gaps, so where credits bind it holds its buffers a little longer than single TLPs would.
TEST(LinkDirection, with_binding_credits_bursts_stay_close_to_single_tlps) {
  struct Row { int headers, data; };
  for (const Row& row : {Row{64, 320}, Row{16, 80}, Row{4, 64}, Row{1, 16}}) {
    std::vector<LinkSpec> links = {exact_link(1, 8), exact_link(1, 8)};
    for (LinkSpec& link : links) {
      link.posted_header_credits = row.headers;
      link.posted_data_credits = row.data;
    }
    const std::vector<Offered> bursts = random_bursts(7, 80, 400'000);
    const std::vector<Picoseconds> expected = single_tlp_ends(links, bursts);
    Chain chain(links);
    for (std::size_t i = 0; i < bursts.size(); ++i) chain.send(bursts[i].time, i, TlpType::memory_write, bursts[i].tlps);
    chain.timeline.run();
    EXPECT_TRUE(chain.credits_home());
    EXPECT_LE(chain.directions[0]->credits(CreditClass::posted).most_headers(), row.headers);
    const double ratio = static_cast<double>(chain.end().ends[bursts.size() - 1]) / static_cast<double>(expected.back());
    EXPECT_NEAR(ratio, 1.0, 0.01) << row.headers << " headers";
  }
}

TEST(LinkDirection, nothing_passes_an_earlier_posted_but_posted_passes_all) {
  LinkSpec link = exact_link(1, 1);
  link.propagation = 1'000'000;
  link.posted_header_credits = 1;
  link.posted_data_credits = 16;
  link.nonposted_header_credits = 1;
  Chain chain({link});
  chain.send(0, 1, TlpType::memory_write, write_tlps(kHigh, 256, 256));
  chain.send(1, 2, TlpType::memory_write, write_tlps(kHigh, 256, 256));   // waits for the credit of 1
  chain.send(2, 3, TlpType::memory_read, read_tlps(kHigh, 64, 512));      // behind 2
  chain.send(3, 4, TlpType::completion, completion_tlps(kHigh, 64, 512, 256, 64));  // behind 2
  chain.send(4, 5, TlpType::memory_read, read_tlps(kHigh, 64, 512));      // waits for the credit of 3
  chain.send(5, 6, TlpType::completion, completion_tlps(kHigh, 64, 512, 256, 64));  // passes 5
  chain.timeline.run();
  EXPECT_EQ(chain.end().order, (std::vector<std::uint64_t>{1, 2, 3, 4, 6, 5}));
}

TEST(LinkDirection, a_starved_class_does_not_hold_up_another) {
  LinkSpec link = exact_link(1, 1);
  link.nonposted_header_credits = 1;
  Chain chain({link});
  chain.relays[0]->next = nullptr;
  chain.send(0, 1, TlpType::memory_read, read_tlps(kHigh, 64, 512));
  chain.send(1, 2, TlpType::memory_read, read_tlps(kHigh, 64, 512));
  chain.send(2, 3, TlpType::memory_write, write_tlps(kHigh, 256, 256));
  chain.timeline.run();
  EXPECT_EQ(chain.end().order, (std::vector<std::uint64_t>{1, 3, 2}));
}

TEST(LinkDirection, ports_share_a_faster_uplink_without_gaps) {
  // Four x1 links into one x4: each burst occupies the uplink for its own time there only.
  PlainTimeline timeline;
  Relay end(timeline);
  LinkDirection uplink(timeline, exact_link(1, 4), "uplink", end);
  std::vector<std::unique_ptr<Relay>> relays;
  std::vector<std::unique_ptr<LinkDirection>> inputs;
  for (int i = 0; i < 4; ++i) {
    relays.push_back(std::make_unique<Relay>(timeline));
    relays.back()->next = &uplink;
    inputs.push_back(std::make_unique<LinkDirection>(timeline, exact_link(1, 1), "in" + std::to_string(i), *relays.back()));
  }
  for (std::uint64_t n = 0; n < 40; ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      auto burst = std::make_shared<Burst>();
      burst->tlps = write_tlps(kHigh, 4096, 256);
      burst->request = n * 4 + i;
      timeline.at(0, [&inputs, burst, i] { inputs[i]->send(burst); });
    }
  }
  timeline.run();
  const Picoseconds alone = LinkRate(exact_link(1, 1)).time(40 * 16 * 280);
  Picoseconds last = 0;
  for (const auto& [id, time] : end.ends) last = std::max(last, time);
  EXPECT_LT(last, alone * 104 / 100);  // the inputs stay the bottleneck, the last burst pays the second hop
}

}  // namespace
}  // namespace npulab::pcie
