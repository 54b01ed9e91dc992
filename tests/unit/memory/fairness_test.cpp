// SPDX-License-Identifier: Apache-2.0
// Many clients at once: equal and unequal shares of HBM, and what a small read waits behind saturating streams, against a
// first-in first-out model of single bursts that shares no code with the engine.
#include <gtest/gtest.h>

#include <queue>
#include <random>

#include "tests/unit/memory/memory_bench.h"

namespace npulab::memory {
namespace {

/// Reads of 1 MiB back to back from `clients` streams, stream i from time i * stagger on.
class Streams {
 public:
  Streams(const MemorySpec& spec, const std::vector<MemoryClientSpec>& clients, Picoseconds stagger)
      : engine(spec), loop(engine), asked_(clients.size()) {
    for (const MemoryClientSpec& client : clients) engine.register_client(client);
    recorder.on_resolved = [this](RequestId id, const TransferResult& result) { answered(id, result); };
    for (std::size_t i = 0; i < clients.size(); ++i) {
      loop.at(static_cast<Picoseconds>(i) * stagger, [this, i] { ask(i); });
    }
  }
  /// A read of 64 bytes by client `id`, timed.
  void probe(MemoryClientId id, Picoseconds time, std::uint64_t address) {
    loop.at(time, [this, id, time, address] {
      probes_[engine.request(linear(id, MemoryAccess::read, address, 64), recorder, time)] = time;
    });
  }

  SettlingEngine engine;
  EventLoop loop;
  Recorder recorder;
  std::vector<Picoseconds> delays;

 private:
  void ask(std::size_t i) {
    const std::uint64_t address = (std::uint64_t{i} << 25) + (asked_[i]++ % 32 << 20);
    streams_[engine.request(linear(static_cast<MemoryClientId>(i), MemoryAccess::read, address, 1 << 20), recorder,
                            loop.now())] = i;
  }
  void answered(RequestId id, const TransferResult& result) {
    const auto probe = probes_.find(id);
    if (probe != probes_.end()) return delays.push_back(result.data_time - probe->second);
    const std::size_t i = streams_.at(id);
    loop.at(result.data_time, [this, i] { ask(i); });
  }

  std::vector<std::uint64_t> asked_;
  std::map<RequestId, std::size_t> streams_;
  std::map<RequestId, Picoseconds> probes_;
};

TEST(Fairness, EqualClientsGetEqualSharesOfEveryBucket) {
  for (const std::size_t clients : {8u, 32u, 72u}) {
    Streams streams(round_spec(), std::vector<MemoryClientSpec>(clients, round_client()), 0);
    MicroBytes total = 0;
    std::int64_t buckets = 0;
    streams.loop.after_edge = [&] {
      // What lies behind the bucket of now is forgotten soon; look at each bucket once, when it is about to pass.
      const BandwidthCalendar& calendar = streams.engine.calendar();
      for (; (buckets + 1) * 20'000 <= streams.loop.now() + 1000; ++buckets) {
        if (buckets == 0) continue;  // begins inside
        const MicroBytes used = calendar.hbm().used(buckets);
        if (used == 0) continue;  // forgotten already
        total += used;
        EXPECT_GE(used, calendar.hbm().capacity() * 95 / 100) << buckets;
        for (MemoryClientId id = 0; id < clients; ++id) {
          const MicroBytes share = calendar.port(id, MemoryAccess::read).used(buckets);
          if (share == 0) continue;
          EXPECT_LE(share, calendar.hbm().capacity() / static_cast<MicroBytes>(clients) + 1) << buckets;
        }
      }
    };
    streams.loop.run(20'000'000);
    const MemoryStatistics statistics = streams.engine.statistics();
    EXPECT_GT(total, 0);
    EXPECT_GE(statistics.hbm_busy, 19'000'000);  // 95 % of 20 us
    Bytes least = statistics.clients[0].read_bytes, most = least;
    for (const ClientStatistics& client : statistics.clients) {
      least = std::min(least, client.read_bytes);
      most = std::max(most, client.read_bytes);
    }
    EXPECT_LE(most - least, 8192) << clients;  // a quarter window
  }
}

TEST(Fairness, UnequalPortsShareByWaterFilling) {
  std::vector<MemoryClientSpec> clients(4, round_client());
  const std::int64_t ports[] = {50'000, 200'000, 2'000'000, 3'000'000};
  for (int i = 0; i < 4; ++i) {
    clients[static_cast<std::size_t>(i)].read_rate_milli_bytes_per_ns = ports[i];
    // Windows in proportion to the shares, so that the windows and not the credit decide.
    clients[static_cast<std::size_t>(i)].outstanding_read_bytes = 0;
  }
  Streams streams(round_spec(), clients, 0);
  streams.loop.run(1000);  // one settlement
  // Of 1500 B/ns: 50, 200 and twice 625, in each full bucket.
  const Bytes expected[] = {1000, 4000, 12'500, 12'500};
  for (MemoryClientId id = 0; id < 4; ++id) {
    const BucketRing& port = streams.engine.calendar().port(id, MemoryAccess::read);
    for (std::int64_t bucket = 1; bucket < 50; ++bucket) {
      EXPECT_NEAR(port.used(bucket), expected[id] * kMicroBytesPerByte, 4) << id << " " << bucket;
    }
  }
}

/// Mean delay of probes behind `streams` streams that keep `window` bytes outstanding in bursts of 512 B: one queue at HBM,
/// first in first out, each stream's bursts also no faster than its port.
Picoseconds burst_model(int streams, Bytes window, const std::vector<Picoseconds>& probes, Picoseconds stagger) {
  constexpr Picoseconds kHbmBurst = 512'000 / 1500, kHbmProbe = 128'000 / 1500, kPortBurst = 512'000 / 200;
  using Event = std::pair<Picoseconds, int>;  // stream -1: a probe
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (int i = 0; i < streams; ++i) {
    for (Bytes burst = 0; burst < window / 512; ++burst) events.push({i * stagger + burst * kPortBurst, i});
  }
  for (const Picoseconds probe : probes) events.push({probe, -1});
  std::vector<Picoseconds> port(static_cast<std::size_t>(streams));
  Picoseconds hbm = 0, sum = 0;
  for (std::size_t left = probes.size(); left > 0;) {
    const auto [time, stream] = events.top();
    events.pop();
    hbm = std::max(hbm, time) + (stream < 0 ? kHbmProbe : kHbmBurst);
    if (stream < 0) {
      sum += hbm - time;
      --left;
      continue;
    }
    Picoseconds& arrives = port[static_cast<std::size_t>(stream)];
    arrives = std::max(hbm, arrives + kPortBurst);
    events.push({arrives, stream});  // the credit comes back with the data
  }
  return sum / static_cast<Picoseconds>(probes.size());
}

struct DelayCase {
  Bytes window;
  Picoseconds stagger;
};

class Delay : public testing::TestWithParam<DelayCase> {};

TEST_P(Delay, OfASmallReadBehind32StreamsIsWithinAFifthOfTheBurstModel) {
  constexpr int kStreams = 32;
  const DelayCase& c = GetParam();
  MemorySpec spec = round_spec();
  spec.l2.capacity = Bytes{1} << 20;  // nothing is met twice
  std::vector<MemoryClientSpec> clients(kStreams, round_client());
  for (MemoryClientSpec& client : clients) client.outstanding_read_bytes = c.window;
  Streams streams(spec, clients, c.stagger);
  const MemoryClientId reader = streams.engine.register_client(round_client());
  std::mt19937 random(41);
  std::vector<Picoseconds> probes;
  for (int i = 0; i < 200; ++i) {
    probes.push_back(10'000'000 + i * 200'000 + random() % 200'000);
    streams.probe(reader, probes.back(), (std::uint64_t{3} << 30) + static_cast<std::uint64_t>(i) * 4096);
  }
  streams.loop.run(52'000'000);
  ASSERT_EQ(streams.delays.size(), probes.size());
  Picoseconds mean = 0;
  for (const Picoseconds delay : streams.delays) mean += delay / 200;
  const Picoseconds expected = burst_model(kStreams, c.window, probes, c.stagger);
  RecordProperty("engine_ps", static_cast<int>(mean));
  RecordProperty("burst_model_ps", static_cast<int>(expected));
  EXPECT_GE(mean, expected * 8 / 10);
  EXPECT_LE(mean, expected * 12 / 10);
}

INSTANTIATE_TEST_SUITE_P(Fairness, Delay,
                         testing::Values(DelayCase{8 * 1024, 0}, DelayCase{32 * 1024, 0}, DelayCase{64 * 1024, 0},
                                         DelayCase{8 * 1024, 37'717}, DelayCase{32 * 1024, 37'717},
                                         DelayCase{64 * 1024, 37'717}));

}  // namespace
}  // namespace npulab::memory
