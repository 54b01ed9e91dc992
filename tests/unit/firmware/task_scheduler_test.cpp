// SPDX-License-Identifier: Apache-2.0
// Several streams on one device: order, events, fairness, limits.
#include <gtest/gtest.h>

#include <random>

#include "model/contract/device_registers.h"
#include "tests/unit/firmware/firmware_machine.h"

namespace npulab::firmware {
namespace {

using test::BlockKind;
using test::FirmwareMachine;
using test::plain_kernel;
using test::single_board;

struct Rig : FirmwareMachine {
  explicit Rig(int stream_count, int groups = 1, BoardSpec board = single_board()) : FirmwareMachine(std::move(board), groups) {
    start();
    for (int i = 0; i < stream_count; ++i) {
      int stream = -1;
      EXPECT_EQ(runtime().create_stream(stream), RuntimeCode::ok);
      EXPECT_EQ(stream, i);
    }
  }
  const TaskRecord& task(const std::string& name) const {
    for (const TaskRecord& record : records.tasks) {
      if (record.name == name) return record;
    }
    throw std::runtime_error("no task " + name);
  }
};

TEST(TaskScheduler, streams_take_turns) {
  BoardSpec board = single_board();
  board.socs[0].scheduler.dispatch_latency = 2'000'000;  // the dispatcher is what streams compete for
  Rig rig(5, 4, board);
  for (auto& core : rig.cores) core->duration = [](const BlockLaunch&) { return Picoseconds{100'000}; };
  const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
  const std::uint64_t code = rig.place(kernel);
  int event = -1;
  rig.runtime().create_event(event);
  // Everything is queued before anything may run: the streams wait for an event behind a long copy.
  rig.runtime().copy_to_device(4, 1 << 27, rig.runtime().allocate_host(1 << 20), 1 << 20, {"gate", "", 0});
  rig.runtime().record_event(4, event, {"open", "", 0});
  for (int stream = 0; stream < 4; ++stream) rig.runtime().wait_event(stream, event, {"wait", "", 0});
  for (int stream = 0; stream < 4; ++stream) {
    for (int n = 0; n < 20; ++n) rig.runtime().launch_kernel(stream, {code, 1, 0}, {std::to_string(stream), "", n});
  }
  ASSERT_EQ(rig.runtime().synchronize_all(), RuntimeCode::ok);
  std::vector<const TaskRecord*> tasks;
  for (const TaskRecord& record : rig.records.tasks) {
    if (record.kind == "kernel") tasks.push_back(&record);
  }
  ASSERT_EQ(tasks.size(), 80u);
  std::stable_sort(tasks.begin(), tasks.end(), [](auto a, auto b) { return a->started < b->started; });
  for (std::size_t i = 4; i < tasks.size(); ++i) EXPECT_EQ(tasks[i]->name, tasks[i - 4]->name) << i;
  EXPECT_EQ(tasks[79]->started - tasks[0]->started, 79 * 2'000'000);
}

TEST(TaskScheduler, a_stream_keeps_its_order_whatever_the_durations) {
  Rig rig(3, 4);
  std::mt19937 random(5);
  for (auto& core : rig.cores) core->duration = [&](const BlockLaunch&) { return static_cast<Picoseconds>(100'000 + random() % 3'000'000); };
  const Kernel one = plain_kernel("one", 1, BlockKind::cube), many = plain_kernel("many", 6, BlockKind::mixed);
  const std::uint64_t codes[] = {rig.place(one), rig.place(many)}, host = rig.runtime().allocate_host(65536);
  for (int n = 0; n < 60; ++n) {
    const int stream = static_cast<int>(random() % 3);
    const std::string name = std::to_string(stream);
    if (random() % 4 == 0) rig.runtime().copy_to_device(stream, 1 << 27, host, 1 + random() % 60000, {name, "", n});
    else rig.runtime().launch_kernel(stream, {codes[random() % 2], 1, 0}, {name, "", n});
  }
  ASSERT_EQ(rig.runtime().synchronize_all(), RuntimeCode::ok);
  ASSERT_EQ(rig.records.tasks.size(), 60u);
  std::map<std::string, TaskRecord> last;
  for (const TaskRecord& record : rig.records.tasks) {
    if (last.count(record.name) != 0) {
      EXPECT_GT(record.iteration, last[record.name].iteration);
      EXPECT_GE(record.started, last[record.name].ended);
    }
    last[record.name] = record;
  }
}

TEST(TaskScheduler, a_wait_holds_for_the_record_it_has_seen) {
  Rig rig(2, 4);
  for (auto& core : rig.cores) core->duration = [](const BlockLaunch& launch) { return launch.kernel->name == "slow" ? Picoseconds{50'000'000} : Picoseconds{1'000'000}; };
  const Kernel slow = plain_kernel("slow", 1, BlockKind::cube), quick = plain_kernel("quick", 1, BlockKind::cube);
  const std::uint64_t slow_code = rig.place(slow), quick_code = rig.place(quick);
  int event = -1;
  rig.runtime().create_event(event);
  rig.runtime().launch_kernel(0, {slow_code, 1, 0}, {"a", "", 0});
  rig.runtime().record_event(0, event, {"r1", "", 0});
  rig.runtime().wait_event(1, event, {"w1", "", 0});
  rig.runtime().launch_kernel(1, {quick_code, 1, 0}, {"b", "", 0});
  // A later record of the same event is not what stream 1 waits for.
  rig.runtime().launch_kernel(0, {slow_code, 1, 0}, {"c", "", 0});
  rig.runtime().record_event(0, event, {"r2", "", 0});
  ASSERT_EQ(rig.runtime().synchronize_all(), RuntimeCode::ok);
  EXPECT_GE(rig.task("b").started, rig.task("r1").ended);
  EXPECT_LT(rig.task("b").ended, rig.task("c").ended);
  EXPECT_GE(rig.task("w1").ready, rig.task("a").ended);
  EXPECT_GT(rig.task("w1").ready, rig.task("w1").fetched + 20'000'000);
  // Waiting now for the second record, which has been made, does not wait.
  rig.runtime().wait_event(1, event, {"w2", "", 0});
  ASSERT_EQ(rig.runtime().synchronize(1), RuntimeCode::ok);
  EXPECT_EQ(rig.task("w2").ready, rig.task("w2").fetched);
}

TEST(TaskScheduler, a_waiting_stream_does_not_hold_up_others) {
  Rig rig(3, 2);
  for (auto& core : rig.cores) core->duration = [](const BlockLaunch& launch) { return launch.kernel->name == "slow" ? Picoseconds{100'000'000} : Picoseconds{1'000'000}; };
  const Kernel slow = plain_kernel("slow", 1, BlockKind::cube), quick = plain_kernel("quick", 1, BlockKind::cube);
  const std::uint64_t slow_code = rig.place(slow), quick_code = rig.place(quick);
  int event = -1;
  rig.runtime().create_event(event);
  rig.runtime().launch_kernel(0, {slow_code, 1, 0}, {"slow", "", 0});
  rig.runtime().record_event(0, event, {"r", "", 0});
  rig.runtime().wait_event(1, event, {"w", "", 0});
  for (int i = 0; i < 5; ++i) rig.runtime().launch_kernel(2, {quick_code, 1, 0}, {"quick" + std::to_string(i), "", 0});
  ASSERT_EQ(rig.runtime().synchronize_all(), RuntimeCode::ok);
  EXPECT_LT(rig.task("quick4").ended, rig.task("slow").ended);
}

TEST(TaskScheduler, queues_beyond_the_active_ones_wait_their_turn) {
  BoardSpec board = single_board();
  board.socs[0].scheduler.active_queues = 2;
  Rig rig(6, 4, board);
  const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
  const std::uint64_t code = rig.place(kernel);
  for (int stream = 0; stream < 6; ++stream) {
    for (int n = 0; n < 3; ++n) rig.runtime().launch_kernel(stream, {code, 1, 0}, {std::to_string(stream), "", n});
  }
  ASSERT_EQ(rig.runtime().synchronize_all(), RuntimeCode::ok);
  EXPECT_EQ(rig.records.tasks.size(), 18u);
  int open = 0, most = 0;
  std::map<Picoseconds, int> edges;
  for (const TaskRecord& record : rig.records.tasks) {
    ++edges[record.started];
    --edges[record.ended];
  }
  for (const auto& [time, change] : edges) most = std::max(most, open += change);
  EXPECT_LE(most, 2);
}

TEST(TaskScheduler, more_copies_than_channels_wait) {
  BoardSpec board = single_board();
  board.socs[0].endpoint.dma_channels = 2;
  Rig rig(5, 1, board);
  const std::uint64_t host = rig.runtime().allocate_host(1 << 20);
  for (int stream = 0; stream < 5; ++stream) rig.runtime().copy_to_device(stream, 1 << 27, host, 1 << 18, {std::to_string(stream), "", 0});
  ASSERT_EQ(rig.runtime().synchronize_all(), RuntimeCode::ok);
  EXPECT_GE(rig.task("2").started, std::min(rig.task("0").ended, rig.task("1").ended));
  EXPECT_GE(rig.task("4").started, std::min(rig.task("2").ended, rig.task("3").ended));
}

TEST(TaskScheduler, a_descriptor_not_understood_ends_alone) {
  Rig rig(1);
  const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
  const std::uint64_t code = rig.place(kernel);
  for (auto& core : rig.cores) core->duration = [](const BlockLaunch&) { return Picoseconds{20'000'000}; };
  rig.runtime().launch_kernel(0, {code, 1, 0}, {"first", "", 0});
  rig.runtime().launch_kernel(0, {code, 1, 0}, {"prefetched", "", 0});
  rig.runtime().launch_kernel(0, {code, 1, 0}, {"spoilt", "", 0});
  rig.runtime().launch_kernel(0, {code, 1, 0}, {"last", "", 0});
  const std::uint8_t rubbish = 0x77;
  rig.plain.memories[0]->bytes().write(2 * 64, &rubbish, 1);  // slot 2 of the first queue, before it is fetched
  rig.plain.timeline.run_until(rig.plain.timeline.now() + 5'000'000);
  rig.plain.memories[0]->bytes().write(2 * 64, &rubbish, 1);
  EXPECT_EQ(static_cast<int>(rig.runtime().synchronize(0)), 507009);
  EXPECT_EQ(rig.task("spoilt").status, 507009);
  EXPECT_EQ(rig.task("last").status, 0);
  EXPECT_EQ(rig.plain.fabric->device(0).read_register(registers::kErrorCount), 1u);
}

TEST(TaskScheduler, four_chips_work_at_the_same_time) {
  FirmwareMachine machine(test::card_board(4, test::plain_link(3, 16), test::plain_link(3, 4)));
  machine.start();
  const Kernel kernel = plain_kernel("k", 2, BlockKind::cube);
  const std::uint64_t code = machine.place(kernel);
  const Bytes bytes = 1 << 20;
  for (int d = 0; d < 4; ++d) {
    int stream = -1;
    machine.runtime(d).create_stream(stream);
    machine.runtime(d).copy_to_device(stream, 1 << 27, machine.runtime(d).allocate_host(bytes), bytes, {"in", "", 0});
    machine.runtime(d).launch_kernel(stream, {code, 2, 0}, {"k", "", 0});
  }
  for (int d = 0; d < 4; ++d) EXPECT_EQ(machine.runtime(d).synchronize(0), RuntimeCode::ok);
  // Four x4 links fill a x16 uplink; each copy takes what it takes alone.
  const double alone = static_cast<double>(bytes) / (3.938e9 * 0.95 * 256 / 276) * 1e12;
  for (const TaskRecord& record : machine.records.tasks) {
    if (record.kind != "h2d") continue;
    EXPECT_NEAR(static_cast<double>(record.ended - record.started), alone, alone * 0.03) << record.device;
  }
  machine.plain.timeline.run();
  EXPECT_EQ(machine.plain.fabric->outstanding(), "");
}

}  // namespace
}  // namespace npulab::firmware
