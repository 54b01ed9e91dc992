// SPDX-License-Identifier: Apache-2.0
// One or two transfers at a time: edges, rates, latencies, windows, coalescing, victims, cancellation, errors.
#include "memory/shared/settling_engine.h"

#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tests/unit/memory/memory_bench.h"

namespace npulab::memory {
namespace {

constexpr auto kRead = MemoryAccess::read;
constexpr auto kWrite = MemoryAccess::write;

struct Bench {
  explicit Bench(MemorySpec spec = round_spec(), int clients = 2) : engine(spec), loop(engine) {
    for (int i = 0; i < clients; ++i) engine.register_client(round_client());
  }
  void ask(Picoseconds time, const TransferRequest& request) {
    loop.at(time, [this, request] { ids.push_back(engine.request(request, recorder, loop.now())); });
  }
  const TransferResult& result(std::size_t index) { return recorder.answers.at(ids.at(index)).result; }

  SettlingEngine engine;
  EventLoop loop;
  Recorder recorder;
  std::vector<RequestId> ids;
};

Picoseconds waits(const TransferResult& r) { return r.wait_edge + r.wait_port + r.wait_l2 + r.wait_hbm; }

TEST(SettlingEngine, SettlesAtTheEdgeStrictlyAfterTheRequest) {
  for (const Picoseconds time : {0, 1, 999, 1000, 1001, 123'456}) {
    Bench bench;
    bench.ask(time, linear(0, kRead, 0, 20'480));
    bench.loop.run();
    const TransferResult& result = bench.result(0);
    const Picoseconds edge = (time / 1000 + 1) * 1000;
    EXPECT_EQ(result.wait_edge, edge - time);
    EXPECT_EQ(result.data_time, edge + 102'400);             // 20 480 B at 200 B/ns
    EXPECT_EQ(result.visible_time, edge + 102'400 + 200'000);  // cold: miss latency
    EXPECT_EQ(waits(result), result.wait_edge);
    EXPECT_EQ(result.miss_bytes, 20'480);
    EXPECT_EQ(bench.engine.earliest_data_time(time), edge);
  }
}

TEST(SettlingEngine, ALoneStreamReachesThePortRateOrItsCapAcrossWindows) {
  for (const std::int64_t cap : {std::int64_t{0}, std::int64_t{50'000}, std::int64_t{500'000}}) {
    Bench bench;
    TransferRequest request = linear(0, kRead, 4096, Bytes{4} << 20);
    request.rate_cap_milli_bytes_per_ns = cap;
    bench.ask(0, request);
    bench.loop.run();
    const Picoseconds exact = (Bytes{4} << 20) * 1'000'000 / (cap == 50'000 ? 50'000 : 200'000);
    const TransferResult& result = bench.result(0);
    EXPECT_EQ(result.data_time - 1000, exact);
    EXPECT_EQ(waits(result), 1000);
    // The first window and then quarters: 1 + (4 MiB - 32 KiB) / 8 KiB settlements, the last one firm.
    const auto& bounds = bench.recorder.answers.at(bench.ids[0]).bounds;
    EXPECT_EQ(bounds.size(), 1u + (4096 - 32) / 8 - 1);
    for (const Picoseconds bound : bounds) EXPECT_EQ(bound, 1000 + exact);  // the rest at full rate: here it comes true
  }
}

TEST(SettlingEngine, HitsShowTheHitLatencyAndWritesTheirOwn) {
  Bench bench;
  bench.ask(0, linear(0, kRead, 0, 2048));
  bench.ask(1'000'000, linear(1, kRead, 0, 2048));
  bench.ask(2'000'000, linear(1, kRead, 0, 4096));  // half of it is there
  bench.ask(3'000'000, linear(0, kWrite, 0, 2048));
  bench.loop.run();
  EXPECT_EQ(bench.result(1).hit_bytes, 2048);
  EXPECT_EQ(bench.result(1).visible_time - bench.result(1).data_time, 100'000);
  EXPECT_EQ(bench.result(2).hit_bytes, 2048);
  EXPECT_EQ(bench.result(2).miss_bytes, 2048);
  EXPECT_EQ(bench.result(2).visible_time - bench.result(2).data_time, 200'000);
  EXPECT_EQ(bench.result(3).visible_time - bench.result(3).data_time, 50'000);
  EXPECT_EQ(bench.result(3).data_time, 3'001'000 + 20'480);  // 100 B/ns to write
}

TEST(SettlingEngine, AMissInFlightIsAHitThatWaitsForTheFill) {
  MemorySpec spec = round_spec();
  spec.hbm.sustained_bytes_per_s = 50'000'000'000;  // 50 B/ns: the fill is slower than any port
  Bench bench(spec);
  bench.ask(0, linear(0, kRead, 0, 32'768));
  bench.ask(10'000, linear(1, kRead, 4096, 512));
  bench.ask(9'000'000, linear(1, kRead, 4096, 512));
  bench.loop.run();
  const TransferResult& first = bench.result(0);
  const TransferResult& second = bench.result(1);
  EXPECT_EQ(first.data_time, 1000 + 655'360);
  EXPECT_EQ(second.hit_bytes, 512);
  EXPECT_EQ(second.data_time, first.data_time);
  EXPECT_EQ(second.visible_time, first.visible_time);
  EXPECT_EQ(second.data_time - 10'000, 2560 + waits(second));  // 512 B at 200 B/ns
  EXPECT_EQ(second.wait_hbm, first.data_time - 11'000 - 2560);
  EXPECT_EQ(bench.result(2).wait_hbm, 0);
  EXPECT_EQ(bench.engine.statistics().fill_bytes, 32'768);  // fetched once
}

TEST(SettlingEngine, TwoMissesOfOneEdgeFetchALineOnce) {
  MemorySpec spec = round_spec();
  spec.hbm.sustained_bytes_per_s = 50'000'000'000;
  Bench bench(spec);
  bench.ask(0, linear(0, kRead, 0, 512));
  bench.ask(0, linear(1, kRead, 0, 32'768));
  bench.loop.run();
  EXPECT_EQ(bench.engine.statistics().fill_bytes, 32'768);
  // Edge 1 of two clients: client 1 comes first, so it fetches and client 0 waits for it.
  EXPECT_EQ(bench.result(1).miss_bytes, 32'768);
  EXPECT_EQ(bench.result(1).data_time, 1000 + 655'360);
  EXPECT_EQ(bench.result(0).hit_bytes, 512);
  EXPECT_EQ(bench.result(0).data_time, bench.result(1).data_time);
  EXPECT_EQ(bench.result(0).wait_hbm, 655'360 - 2560);
}

TEST(SettlingEngine, WritesAreAbsorbedUntilTheirVictimsTakeHbm) {
  MemorySpec spec = round_spec();
  spec.l2.capacity = 512 * 16 * 64;  // 512 KiB
  spec.hbm.sustained_bytes_per_s = 50'000'000'000;
  Bench bench(spec, 1);
  bench.ask(0, linear(0, kWrite, 0, 512 * 1024));
  bench.ask(100'000'000, linear(0, kWrite, Bytes{1} << 20, 512 * 1024));
  bench.ask(200'000'000, linear(0, kRead, Bytes{2} << 20, 512 * 1024));
  bench.loop.run();
  const Picoseconds at_port = 524'288 * 10;           // 100 B/ns
  const Picoseconds at_hbm = Picoseconds{524'288} * 20;  // 50 B/ns
  EXPECT_EQ(bench.result(0).data_time, 1000 + at_port);
  EXPECT_EQ(bench.result(1).data_time, 100'001'000 + at_hbm);
  EXPECT_EQ(waits(bench.result(1)), 1000);  // the victims are its own service
  // Each fill has a victim of its own size; the weight rounds by a few ps.
  EXPECT_NEAR(bench.result(2).data_time, 200'001'000 + 2 * at_hbm, 500);
  const MemoryStatistics statistics = bench.engine.statistics();
  EXPECT_EQ(statistics.victim_lines, 2 * 1024);
  EXPECT_EQ(statistics.victim_bytes, 2 * 512 * 1024);
  EXPECT_EQ(statistics.fill_bytes, 512 * 1024);
  EXPECT_EQ(statistics.hbm_busy, 3 * at_hbm);
}

TEST(SettlingEngine, OnlyDirtySectorsAreWrittenBack) {
  MemorySpec spec = round_spec();
  spec.l2.capacity = 512;
  spec.l2.ways = 1;
  Bench bench(spec, 1);
  bench.ask(0, linear(0, kWrite, 130, 4));  // dirties one sector of the only line
  bench.ask(1'000'000, linear(0, kRead, 4096, 128));
  bench.ask(2'000'000, linear(0, kRead, 8192, 128));  // clean victim
  bench.loop.run();
  EXPECT_EQ(bench.engine.statistics().victim_bytes, 128);
  EXPECT_EQ(bench.engine.statistics().fill_bytes, 256);
}

TEST(SettlingEngine, BypassLeavesNoTrace) {
  Bench bench;
  TransferRequest read = linear(0, kRead, 0, 4096), write = linear(0, kWrite, 8192, 4096);
  read.bypass_l2 = write.bypass_l2 = true;
  bench.ask(0, read);
  bench.ask(1'000'000, write);
  bench.ask(2'000'000, linear(0, kRead, 0, 4096));
  bench.ask(3'000'000, linear(0, kRead, 8192, 4096));
  bench.ask(4'000'000, read);  // coherent: what is in the L2 comes from there
  bench.loop.run();
  EXPECT_EQ(bench.result(2).miss_bytes, 4096);
  EXPECT_EQ(bench.result(3).miss_bytes, 4096);
  EXPECT_EQ(bench.result(4).hit_bytes, 4096);
  EXPECT_EQ(bench.engine.statistics().hbm_busy, Picoseconds{4} * 4096 * 1000 / 1500);
}

TEST(SettlingEngine, OnePortIsSharedByTheLanesOfAClient) {
  Bench bench;
  TransferRequest one = linear(0, kRead, 0, 20'000), two = linear(0, kRead, Bytes{1} << 20, 20'000);
  two.lane = 1;
  bench.ask(0, one);
  bench.ask(0, two);
  bench.loop.run();
  // 20 096 B each in whole sectors, both over 200 B/ns.
  EXPECT_EQ(std::max(bench.result(0).data_time, bench.result(1).data_time), 1000 + 2 * 100'480);
  for (const int i : {0, 1}) {
    EXPECT_GT(bench.result(static_cast<std::size_t>(i)).wait_port, 90'000);
    EXPECT_EQ(bench.result(static_cast<std::size_t>(i)).wait_hbm, 0);
    EXPECT_EQ(bench.result(static_cast<std::size_t>(i)).wait_l2, 0);
  }
}

TEST(SettlingEngine, CancelReleasesWhatLiesAheadAndSilencesTheRequest) {
  MemorySpec spec = round_spec();
  spec.hbm.sustained_bytes_per_s = 200'000'000'000;
  Bench bench(spec);
  bench.ask(0, linear(0, kRead, 0, 1 << 20));
  bench.loop.at(50'000, [&] { bench.engine.cancel(bench.ids[0], 50'000); });
  bench.ask(50'000, linear(1, kRead, 1 << 24, 4096));
  bench.loop.run();
  EXPECT_EQ(bench.recorder.answers.at(bench.ids[0]).resolved, 0);
  // HBM is free again but for the booked-up rest of nothing: 4096 B at 200 B/ns from the edge on.
  EXPECT_EQ(bench.result(1).data_time, 51'000 + 20'480);
  EXPECT_EQ(bench.result(1).wait_hbm, 0);
  EXPECT_EQ(bench.engine.next_edge(), kNever);
  bench.engine.cancel(bench.ids[0], 90'000);  // names nothing any more
  bench.engine.cancel(bench.ids[1], 90'000);
}

TEST(SettlingEngine, CancelBeforeTheEdgeLeavesNoTrace) {
  Bench bench;
  bench.ask(100, linear(0, kRead, 0, 4096));
  bench.loop.at(200, [&] { bench.engine.cancel(bench.ids[0], 200); });
  bench.loop.run();
  EXPECT_EQ(bench.engine.next_edge(), kNever);
  EXPECT_TRUE(bench.recorder.answers.empty());
  EXPECT_EQ(bench.engine.statistics().fill_bytes, 0);
}

TEST(SettlingEngine, CancelAtTheEdgeItselfDoesNotDependOnWhoComesFirst) {
  MemoryStatistics statistics[2];
  Picoseconds other[2];
  for (const bool cancel_first : {false, true}) {
    Bench bench;
    bench.ask(0, linear(0, kRead, 0, 1 << 20));
    bench.loop.at(1000, [&] { bench.engine.cancel(bench.ids[0], 1000); });
    bench.ask(30'000, linear(1, kRead, 0, 65'536));
    bench.loop.run(1000, cancel_first);
    bench.loop.run();
    EXPECT_EQ(bench.recorder.answers[bench.ids[0]].resolved, 0);
    statistics[cancel_first] = bench.engine.statistics();
    other[cancel_first] = bench.result(1).data_time;
  }
  EXPECT_EQ(statistics[0].fill_bytes, statistics[1].fill_bytes);
  EXPECT_EQ(statistics[0].hbm_busy, statistics[1].hbm_busy);
  EXPECT_EQ(other[0], other[1]);
}

TEST(SettlingEngine, AnAnswerMayCancelAndAskAgain) {
  Bench bench;
  RequestId doomed = 0;
  int answers = 0;
  bench.recorder.on_resolved = [&](RequestId, const TransferResult&) {
    if (answers++ > 0) return;
    bench.engine.cancel(doomed, bench.loop.now());  // resolved at this very edge, not yet told
    for (int i = 0; i < 100; ++i) bench.engine.request(linear(1, kRead, 0, 128), bench.recorder, bench.loop.now());
  };
  bench.ask(0, linear(1, kRead, 0, 128));  // edge 1: client 1 first
  bench.loop.at(0, [&] { doomed = bench.engine.request(linear(0, kRead, 512, 128), bench.recorder, 0); });
  bench.loop.run();
  EXPECT_EQ(answers, 101);
  EXPECT_EQ(bench.recorder.answers.count(doomed), 0u);
}

TEST(SettlingEngine, WrongAddressesAndEmptyTransfersAnswerAtTheEdge) {
  Bench bench;
  bench.ask(100, linear(0, kRead, (Bytes{4} << 30) - 64, 128));
  bench.ask(100, linear(0, kRead, 0, 0));
  bench.loop.run();
  EXPECT_EQ(bench.result(0).status, MemoryStatus::address_error);
  EXPECT_EQ(bench.result(1).status, MemoryStatus::ok);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(bench.result(i).data_time, 1000);
    EXPECT_EQ(bench.result(i).visible_time, 1000);
    EXPECT_EQ(waits(bench.result(i)), 900);
  }
  EXPECT_EQ(bench.engine.statistics().read_bytes, 0);
}

TEST(SettlingEngine, AnUncorrectableErrorMeetsReadsThatCoverIt) {
  Bench bench;
  bench.engine.uncorrectable().parameter = 5000;
  bench.engine.uncorrectable().armed = true;
  TransferRequest rows = linear(0, kRead, 0, 100);
  rows.rows = 10;
  rows.row_pitch = 1000;
  bench.ask(0, rows);                          // row 5 starts at 5000
  bench.ask(0, linear(0, kRead, 5001, 100));
  bench.ask(0, linear(0, kWrite, 5000, 100));
  bench.loop.run();
  EXPECT_EQ(bench.result(0).status, MemoryStatus::uncorrectable_error);
  EXPECT_EQ(bench.result(1).status, MemoryStatus::ok);
  EXPECT_EQ(bench.result(2).status, MemoryStatus::ok);
  EXPECT_EQ(bench.engine.uncorrectable().triggered, 1u);
}

TEST(SettlingEngine, OurOwnMistakesAreInternalErrors) {
  Bench bench;
  Recorder recorder;
  EXPECT_THROW(bench.engine.request(linear(9, kRead, 0, 64), recorder, 0), InternalError);
  EXPECT_THROW(bench.engine.request(linear(0, kRead, 0, -1), recorder, 0), InternalError);
  EXPECT_THROW(bench.engine.settle(1000), InternalError);
  MemoryClientSpec mute = round_client();
  mute.write_rate_milli_bytes_per_ns = 0;
  const MemoryClientId id = bench.engine.register_client(mute);
  EXPECT_THROW(bench.engine.request(linear(id, kWrite, 0, 64), recorder, 0), InternalError);
  EXPECT_NO_THROW(bench.engine.request(linear(id, kRead, 0, 64), recorder, 0));
}

}  // namespace
}  // namespace npulab::memory
