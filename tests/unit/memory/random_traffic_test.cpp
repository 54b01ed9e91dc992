// SPDX-License-Identifier: Apache-2.0
// What must hold of any traffic: no resource above its peak in any bucket, waits and service add up, bounds only grow, every
// request is answered once and in time, and the order of calls made at one instant changes nothing.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/memory/memory_bench.h"

namespace npulab::memory {
namespace {

struct Asked {
  Picoseconds time = 0;
  TransferRequest request;
  Picoseconds cancel_at = kNever;
};

std::vector<Asked> random_traffic(unsigned seed, std::size_t count, MemoryClientId clients) {
  std::mt19937 random(seed);
  std::vector<Asked> traffic;
  Picoseconds time = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 3 != 0) time += random() % 60'000;
    Asked asked;
    asked.time = time;
    TransferRequest& r = asked.request;
    r.client = random() % clients;
    r.access = random() % 3 == 0 ? MemoryAccess::write : MemoryAccess::read;
    r.bypass_l2 = random() % 8 == 0;
    r.lane = static_cast<std::uint8_t>(i % 251);  // makes requests of one instant and client distinguishable
    r.address = random() % (1 << 21);
    r.rows = random() % 4 == 0 ? random() % 40 : 1;
    r.row_bytes = r.rows > 1 ? random() % 2000 : random() % 90'000;
    r.row_pitch = random() % 4096;
    r.rate_cap_milli_bytes_per_ns = random() % 2 * (20'000 + random() % 300'000);
    if (random() % 10 == 0) asked.cancel_at = time + random() % 400'000;
    traffic.push_back(asked);
  }
  return traffic;
}

MemorySpec crowded_spec() {
  MemorySpec spec = round_spec();
  spec.clock_khz = 1'850'000;  // no whole number of picoseconds
  spec.l2.capacity = Bytes{1} << 20;
  spec.l2.read_bytes_per_s = 700'000'000'000;
  spec.l2.write_bytes_per_s = 300'000'000'000;
  spec.hbm.sustained_bytes_per_s = 400'000'000'000;
  return spec;
}

class Traffic {
 public:
  explicit Traffic(MemoryClientId clients) : engine(crowded_spec()), loop(engine), clients_(clients) {
    for (MemoryClientId i = 0; i < clients; ++i) {
      MemoryClientSpec spec = round_client();
      spec.read_rate_milli_bytes_per_ns += i * 10'007;
      spec.outstanding_read_bytes = i % 3 == 0 ? 0 : 4096 << i % 5;
      engine.register_client(spec);
    }
  }
  void play(const std::vector<Asked>& traffic) {
    ids.resize(traffic.size());
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      loop.at(traffic[i].time, [this, &traffic, i] {
        ids[i] = engine.request(traffic[i].request, recorder, loop.now());
        if (traffic[i].cancel_at == kNever) return;
        loop.at(traffic[i].cancel_at, [this, i] { engine.cancel(ids[i], loop.now()); });
      });
    }
    loop.run();
  }
  void expect_no_peak_exceeded() {
    const BandwidthCalendar& calendar = engine.calendar();
    const auto check = [this](const BucketRing& ring, const char* what) {
      for (std::int64_t bucket = loop.now() / 20'000; bucket < ring.end(); ++bucket) {
        ASSERT_GE(ring.used(bucket), 0) << what << " bucket " << bucket;
        ASSERT_LE(ring.used(bucket), ring.capacity()) << what << " bucket " << bucket;
      }
    };
    check(calendar.hbm(), "hbm");
    for (const MemoryAccess access : {MemoryAccess::read, MemoryAccess::write}) {
      check(calendar.l2(access), "l2");
      for (MemoryClientId i = 0; i < clients_; ++i) check(calendar.port(i, access), "port");
    }
  }

  SettlingEngine engine;
  EventLoop loop;
  Recorder recorder;
  std::vector<RequestId> ids;

 private:
  MemoryClientId clients_;
};

class RandomTraffic : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTraffic, NeverExceedsAPeak) {
  Traffic traffic(12);
  traffic.loop.after_edge = [&traffic] { traffic.expect_no_peak_exceeded(); };
  traffic.play(random_traffic(GetParam(), 1500, 12));
  EXPECT_EQ(traffic.engine.next_edge(), kNever);
}

TEST_P(RandomTraffic, AnswersOnceInTimeWithWaitsThatAddUp) {
  Traffic traffic(12);
  const std::vector<Asked> asked = random_traffic(GetParam(), 3000, 12);
  traffic.recorder.on_resolved = [&traffic](RequestId, const TransferResult& result) {
    ASSERT_LE(traffic.loop.now(), result.data_time);
  };
  traffic.play(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Recorder::Answer& answer = traffic.recorder.answers[traffic.ids[i]];
    ASSERT_TRUE(answer.resolved == 1 || (answer.resolved == 0 && asked[i].cancel_at != kNever)) << i;
    for (std::size_t b = 1; b < answer.bounds.size(); ++b) ASSERT_LE(answer.bounds[b - 1], answer.bounds[b]);
    if (answer.resolved == 0) continue;
    const TransferResult& result = answer.result;
    ASSERT_TRUE(answer.bounds.empty() || answer.bounds.back() <= result.data_time);
    for (const Picoseconds wait : {result.wait_edge, result.wait_port, result.wait_l2, result.wait_hbm}) ASSERT_GE(wait, 0);
    const Picoseconds service = result.data_time - asked[i].time - result.wait_edge - result.wait_port - result.wait_l2 -
                                result.wait_hbm;
    const TransferRequest& request = asked[i].request;
    std::int64_t rate = request.access == MemoryAccess::write ? 100'000 : 200'000 + request.client * 10'007;
    if (request.rate_cap_milli_bytes_per_ns > 0) rate = std::min(rate, request.rate_cap_milli_bytes_per_ns);
    const Bytes moved = result.hit_bytes + result.miss_bytes;
    ASSERT_GE(service, ceil_div(moved * kMicroBytesPerByte, rate)) << i;
    if (request.access == MemoryAccess::read) {
      ASSERT_GE(service, ceil_div(result.miss_bytes * kMicroBytesPerByte, 400'000)) << i;
    }
    // Without victims the slower of both is all there is; victims can only add their own HBM time.
    if (result.miss_bytes == 0 && answer.bounds.empty()) {
      ASSERT_EQ(service, ceil_div(moved * kMicroBytesPerByte, rate)) << i;
    }
    ASSERT_GE(result.visible_time, result.data_time);
  }
}

TEST_P(RandomTraffic, IsIndependentOfTheOrderOfCallsAtOneInstant) {
  std::vector<Asked> asked = random_traffic(GetParam(), 2000, 12);
  for (Asked& a : asked) a.time = a.time / 50'000 * 50'000;  // many at a time
  Traffic first(12), second(12);
  first.play(asked);
  std::vector<Asked> shuffled = asked;
  std::mt19937 random(GetParam());
  for (std::size_t begin = 0, end = 0; begin < shuffled.size(); begin = end) {
    while (end < shuffled.size() && shuffled[end].time == shuffled[begin].time) ++end;
    std::shuffle(shuffled.begin() + static_cast<std::ptrdiff_t>(begin), shuffled.begin() + static_cast<std::ptrdiff_t>(end),
                 random);
  }
  second.play(shuffled);
  const auto key = [](const Asked& a) { return std::make_tuple(a.time, a.request.client, a.request.lane, a.request.address); };
  std::map<decltype(key(asked[0])), RequestId> ids;
  for (std::size_t i = 0; i < shuffled.size(); ++i) ids[key(shuffled[i])] = second.ids[i];
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const TransferResult& a = first.recorder.answers[first.ids[i]].result;
    const TransferResult& b = second.recorder.answers[ids.at(key(asked[i]))].result;
    ASSERT_EQ(a.data_time, b.data_time) << i;
    ASSERT_EQ(a.visible_time, b.visible_time) << i;
    ASSERT_EQ(a.hit_bytes, b.hit_bytes) << i;
    ASSERT_EQ(a.wait_hbm, b.wait_hbm) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, RandomTraffic, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace npulab::memory
