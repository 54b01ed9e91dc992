// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "firmware/host/enumerator.h"
#include "model/base/errors.h"
#include "tests/unit/pcie/pcie_board.h"

namespace npulab::pcie {
namespace {

struct Rig {
  explicit Rig(BoardSpec board = test::single_board(), bool functional = true) : machine(std::move(board), functional) {
    firmware::host::HostAccess access(machine.fabric->host(), machine.thread);
    firmware::host::Enumerator(access).run();
  }
  /// Runs the jobs, each on its own channel, and returns when each was done.
  std::vector<Picoseconds> run(const std::vector<CopyJob>& jobs) {
    std::vector<Picoseconds> done(jobs.size(), -1);
    status.assign(jobs.size(), CopyStatus::ok);
    const Picoseconds begin = machine.timeline.now();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      front().copy(static_cast<int>(i), jobs[i], [&, i](CopyStatus result) {
        done[i] = machine.timeline.now() - begin;
        status[i] = result;
      });
    }
    machine.timeline.run();
    return done;
  }
  DeviceFront& front() { return machine.fabric->device(0); }
  HostMemory& host() { return machine.fabric->host().memory(); }
  test::PlainMachine machine;
  std::vector<CopyStatus> status;
};

std::vector<std::uint8_t> counting(Bytes bytes, int step) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * static_cast<std::size_t>(step) + i / 251);
  return out;
}

TEST(DmaEngine, bytes_arrive_whatever_the_alignment) {
  for (Bytes bytes : {1, 63, 64, 300, 4096, 10'000}) {
    for (std::uint64_t shift : {0, 1, 100, 4095}) {
      Rig rig;
      const std::uint64_t from = rig.host().allocate(32768) + shift, back = rig.host().allocate(32768) + shift;
      const std::vector<std::uint8_t> data = counting(bytes, 7);
      rig.host().write(from, data.data(), bytes);
      rig.run({{false, from, 0x1234, bytes, 1}});
      EXPECT_EQ(rig.status[0], CopyStatus::ok);
      rig.run({{true, back, 0x1234, bytes, 2}});
      std::vector<std::uint8_t> found(data.size());
      rig.machine.timeline.run_until(rig.machine.timeline.now() + 1'000'000);
      rig.host().read(back, found.data(), bytes);
      EXPECT_EQ(found, data) << bytes << " bytes at " << shift;
      EXPECT_TRUE(rig.machine.fabric->quiet());
    }
  }
}

TEST(DmaEngine, split_by_credits_the_bytes_are_still_right) {
  LinkSpec link = test::plain_link(3, 8);
  link.posted_header_credits = 3;
  link.posted_data_credits = 40;
  link.nonposted_header_credits = 2;
  link.completion_header_credits = 3;
  link.completion_data_credits = 50;
  Rig rig(test::single_board(link));
  const Bytes bytes = 50'000;
  const std::uint64_t from = rig.host().allocate(65536) + 40, back = rig.host().allocate(65536) + 24;
  const std::vector<std::uint8_t> data = counting(bytes, 3);
  rig.host().write(from, data.data(), bytes);
  rig.run({{false, from, 512, bytes, 1}});
  rig.run({{true, back, 512, bytes, 2}});
  rig.machine.timeline.run_until(rig.machine.timeline.now() + 2'000'000);
  std::vector<std::uint8_t> found(data.size());
  rig.host().read(back, found.data(), bytes);
  EXPECT_EQ(found, data);
  EXPECT_TRUE(rig.machine.fabric->quiet());
}

TEST(DmaEngine, a_timing_run_takes_the_same_time_and_touches_no_payload) {
  std::vector<Picoseconds> times[2];
  for (bool functional : {false, true}) {
    Rig rig(test::single_board(), functional);
    const std::uint64_t from = rig.host().allocate(1 << 20);
    const std::vector<std::uint8_t> data = counting(4096, 1);
    rig.host().write(from, data.data(), 4096);
    times[functional] = rig.run({{false, from, 0, 200'000, 1}, {true, from + 300'000, 1 << 20, 100'000, 2}});
    std::uint8_t byte = 0;
    rig.machine.memories[0]->bytes().read(5, &byte, 1);
    EXPECT_EQ(byte, functional ? data[5] : 0);
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST(DmaEngine, large_copies_run_at_the_slower_of_link_and_engine) {
  struct Row { std::int64_t engine; double expected; };
  const double link = 7.877e9 * 0.95 * 256 / 276;
  for (const Row& row : {Row{20'000'000'000, link}, Row{2'000'000'000, 2e9}}) {
    BoardSpec board = test::single_board();
    board.socs[0].endpoint.dma_bytes_per_s = row.engine;
    Rig rig(board, false);
    const Bytes bytes = 8 << 20;
    const std::uint64_t from = rig.host().allocate(bytes);
    const Picoseconds time = rig.run({{false, from, 0, bytes, 1}})[0];
    const double rate = static_cast<double>(bytes) / static_cast<double>(time) * 1e12;
    EXPECT_NEAR(rate, row.expected, row.expected * 0.01);
  }
}

TEST(DmaEngine, channels_take_turns) {
  BoardSpec board = test::single_board();
  Rig rig(board, false);
  const std::uint64_t from = rig.host().allocate(4 << 20);
  const std::vector<Picoseconds> times = rig.run({{false, from, 0, 1 << 20, 1}, {false, from + (1 << 20), 1 << 20, 1 << 20, 2}, {false, from, 2 << 20, 1 << 18, 3}});
  EXPECT_LT(times[2], times[0] / 2);   // a quarter of the work, a third of the rate
  EXPECT_GT(times[2], times[0] / 4);
  // The first channel to start has filled the window alone: 64 KiB of 1 MiB ahead.
  EXPECT_NEAR(static_cast<double>(times[0]), static_cast<double>(times[1]), 0.04 * static_cast<double>(times[0]));
}

TEST(DmaEngine, bytes_under_way_stay_below_the_limit) {
  BoardSpec board = test::single_board();
  board.socs[0].endpoint.dma_outstanding_bytes = 8192;
  board.host.memory_latency = 4'000'000;
  Rig rig(board, false);
  const std::uint64_t from = rig.host().allocate(1 << 20);
  Bytes most = 0;
  for (Picoseconds t = 0; t < 400'000'000; t += 500'000) rig.machine.timeline.after(t, [&] { most = std::max(most, rig.front().dma().under_way()); });
  const Picoseconds time = rig.run({{false, from, 0, 1 << 18, 1}})[0];
  EXPECT_EQ(most, 8192);
  // Little's law: the window each round trip of a little over 4 us.
  const double rate = static_cast<double>(1 << 18) / static_cast<double>(time) * 1e6;
  EXPECT_LT(rate, 8192 / 4.2);
  EXPECT_GT(rate, 8192 / 6.0);
}

TEST(DmaEngine, failures_are_reported_and_the_channel_goes_on) {
  Rig rig;
  const std::uint64_t host = rig.host().allocate(65536);
  rig.machine.memories[0]->broken_at = 9000;
  rig.run({{true, host, 4096, 16384, 1}, {false, 0x10, 0, 4096, 2}});  // broken device memory; no host memory there
  EXPECT_EQ(rig.status[0], CopyStatus::memory_error);
  EXPECT_EQ(rig.status[1], CopyStatus::link_error);
  rig.run({{true, host, 65536, 8192, 3}, {false, host, 0, 4096, 4}});
  EXPECT_EQ(rig.status[0], CopyStatus::ok);
  EXPECT_EQ(rig.status[1], CopyStatus::ok);
  EXPECT_EQ(rig.front().endpoint().free_tags(), 256);
  EXPECT_EQ(rig.front().dma().under_way(), 0);
}

TEST(DmaEngine, without_mastering_nothing_leaves_the_device) {
  Rig rig;
  rig.front().endpoint().config().write(0x04, 0x2);
  const std::uint64_t host = rig.host().allocate(65536);
  rig.run({{false, host, 0, 4096, 1}, {true, host, 0, 4096, 2}});
  EXPECT_EQ(rig.status[0], CopyStatus::link_error);
  EXPECT_EQ(rig.status[1], CopyStatus::link_error);
  EXPECT_EQ(rig.machine.fabric->root().written_bytes(), 0);
}

TEST(DmaEngine, a_bridge_without_mastering_refuses) {
  Rig rig;
  rig.machine.fabric->node(0).config().write(0x04, 0x2);
  const std::uint64_t host = rig.host().allocate(65536);
  rig.run({{false, host, 0, 4096, 1}});
  EXPECT_EQ(rig.status[0], CopyStatus::link_error);
  EXPECT_EQ(rig.machine.fabric->node(0).config().read(0x104), 0x100000u);  // unsupported request, for AER
  EXPECT_EQ(rig.front().endpoint().free_tags(), 256);
}

TEST(DmaEngine, a_busy_channel_refuses_in_words) {
  Rig rig;
  rig.front().copy(0, {false, rig.host().allocate(64), 0, 64, 1}, nullptr);
  EXPECT_THROW(rig.front().copy(0, {false, 0, 0, 64, 1}, nullptr), InternalError);
}

}  // namespace
}  // namespace npulab::pcie
