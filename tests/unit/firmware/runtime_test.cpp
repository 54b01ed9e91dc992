// SPDX-License-Identifier: Apache-2.0
// One task's whole way, from the call over the link to the cores and back.
#include "firmware/host/runtime.h"

#include <gtest/gtest.h>

#include "tests/unit/firmware/firmware_machine.h"

namespace npulab::firmware::host {
namespace {

using test::BlockKind;
using test::FirmwareMachine;
using test::plain_kernel;
using test::single_board;

struct Rig : FirmwareMachine {
  explicit Rig(BoardSpec board = single_board(), int groups = 2) : FirmwareMachine(std::move(board), groups) {
    start();
    EXPECT_EQ(runtime().create_stream(stream), RuntimeCode::ok);
  }
  int stream = -1;
};

TEST(Runtime, data_goes_in_and_comes_out) {
  Rig rig;
  const Bytes bytes = 10'000;
  std::uint64_t device = 0;
  ASSERT_EQ(rig.runtime().allocate(bytes, device), RuntimeCode::ok);
  const std::uint64_t in = rig.runtime().allocate_host(bytes), out = rig.runtime().allocate_host(bytes);
  std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes)), found(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 13 + i / 256);
  rig.runtime().host_memory().write(in, data.data(), bytes);
  const Kernel kernel = plain_kernel("k", 2, BlockKind::cube);
  const std::uint64_t code = rig.place(kernel);
  EXPECT_EQ(rig.runtime().copy_to_device(rig.stream, device, in, bytes, {"in", "", 0}), RuntimeCode::ok);
  EXPECT_EQ(rig.runtime().launch_kernel(rig.stream, {code, 2, device}, {"k", "Test", 3}), RuntimeCode::ok);
  EXPECT_EQ(rig.runtime().copy_to_host(rig.stream, out, device, bytes, {"out", "", 0}), RuntimeCode::ok);
  EXPECT_EQ(rig.runtime().synchronize(rig.stream), RuntimeCode::ok);
  rig.runtime().host_memory().read(out, found.data(), bytes);
  EXPECT_EQ(found, data);
  ASSERT_EQ(rig.starts.size(), 2u);
  EXPECT_EQ(rig.starts[0].arena_base, device);
  EXPECT_EQ(rig.runtime().outstanding(), "");
  EXPECT_EQ(rig.devices[0]->outstanding(), "");
}

TEST(Runtime, every_instant_of_a_task_is_filled_and_in_order) {
  Rig rig;
  const Kernel kernel = plain_kernel("k", 4, BlockKind::cube);
  const std::uint64_t code = rig.place(kernel), host = rig.runtime().allocate_host(4096);
  int event = -1;
  rig.runtime().create_event(event);
  rig.runtime().copy_to_device(rig.stream, 1 << 27, host, 4096, {"in", "", 0});
  rig.runtime().launch_kernel(rig.stream, {code, 4, 0}, {"k", "Test", 3});
  rig.runtime().record_event(rig.stream, event, {"e", "", 0});
  rig.runtime().wait_event(rig.stream, event, {"w", "", 0});
  rig.runtime().copy_to_host(rig.stream, host, 1 << 27, 4096, {"out", "", 0});
  ASSERT_EQ(rig.runtime().synchronize(rig.stream), RuntimeCode::ok);
  const std::vector<TaskRecord>& tasks = rig.records.tasks;
  ASSERT_EQ(tasks.size(), 5u);
  const char* const kinds[] = {"h2d", "kernel", "event_record", "event_wait", "d2h"};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskRecord& t = tasks[i];
    EXPECT_EQ(t.kind, kinds[i]);
    EXPECT_GT(t.submitted, 0);
    EXPECT_GT(t.fetched, t.submitted);
    EXPECT_GE(t.ready, t.fetched);
    EXPECT_GE(t.started, t.ready);
    EXPECT_GE(t.ended, t.started);
    EXPECT_GT(t.completed, t.ended);
    EXPECT_GT(t.retired, t.completed);
    if (i == 0) continue;
    EXPECT_GE(t.ready, tasks[i - 1].ended);
    EXPECT_GT(t.completed, tasks[i - 1].completed);
  }
  EXPECT_EQ(tasks[1].started - tasks[1].ready, 500'000);       // dispatch
  // Four blocks of 1 us on two groups: the second one is sent 0.2 us after the first, and so is every other.
  EXPECT_NEAR(static_cast<double>(tasks[1].ended - tasks[1].started), 2'200'000, 1);
  EXPECT_EQ(tasks[1].blocks, 4);
  EXPECT_EQ(tasks[1].iteration, 3);
  EXPECT_GE(tasks[1].retired - tasks[1].completed, 2'000'000); // the interrupt's way to its handler
  EXPECT_EQ(rig.ledger.open_tasks(), 0u);
}

TEST(Runtime, the_first_task_takes_the_sum_of_its_way) {
  Rig rig;
  const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
  rig.runtime().launch_kernel(rig.stream, {rig.place(kernel), 1, 0}, {"k", "", 0});
  rig.runtime().synchronize(rig.stream);
  const TaskRecord& t = rig.records.tasks[0];
  const pcie::LinkRate rate(test::plain_link(3, 8));
  // Store, two TLPs with 64 and 4 bytes on the wire, the window write becoming visible (64 bytes at 20 B/ns and 100 ns), fetch
  // latency, descriptor read (64 bytes at 500 B/ns, 100 ns).
  const Picoseconds arrival = 400'000 + 50'000 + rate.time(88);
  const Picoseconds visible = 3'200 + 100'000;
  EXPECT_NEAR(static_cast<double>(t.fetched - t.submitted), static_cast<double>(arrival + visible + 200'000 + 128 + 100'000), 2.0);
  EXPECT_EQ(t.completed - t.ended, 1 + 300'000 + rate.time(40) + 50'000);  // taken up after a picosecond
  EXPECT_EQ(t.retired - t.completed, rate.time(24) + 2'000'000);
}

TEST(Runtime, a_full_queue_makes_the_call_wait_and_wraps) {
  Rig rig;
  const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
  const std::uint64_t code = rig.place(kernel);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(rig.runtime().launch_kernel(rig.stream, {code, 1, 0}, {"k" + std::to_string(i), "", 0}), RuntimeCode::ok);  // depth 64
  ASSERT_EQ(rig.runtime().synchronize(rig.stream), RuntimeCode::ok);
  ASSERT_EQ(rig.records.tasks.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(rig.records.tasks[static_cast<std::size_t>(i)].name, "k" + std::to_string(i));
  EXPECT_EQ(rig.starts.size(), 300u);
  EXPECT_EQ(rig.devices[0]->completed_tasks(), 300);
}

TEST(Runtime, errors_of_tasks_come_with_the_next_synchronisation_and_the_stream_goes_on) {
  Rig rig;
  const Kernel bad = plain_kernel("bad", 1, BlockKind::cube), good = plain_kernel("good", 1, BlockKind::cube);
  for (auto& core : rig.cores) core->status = [](const BlockLaunch& launch) { return launch.kernel->name == "bad" ? BlockStatus::core_fault : BlockStatus::ok; };
  const std::uint64_t bad_code = rig.place(bad), good_code = rig.place(good);
  EXPECT_EQ(rig.runtime().launch_kernel(rig.stream, {bad_code, 1, 0}, {"bad", "", 0}), RuntimeCode::ok);
  EXPECT_EQ(rig.runtime().launch_kernel(rig.stream, {good_code, 1, 0}, {"good", "", 0}), RuntimeCode::ok);
  EXPECT_EQ(rig.runtime().synchronize(rig.stream), RuntimeCode::aicore_exception);
  EXPECT_EQ(static_cast<int>(RuntimeCode::aicore_exception), 507015);
  EXPECT_NE(rig.runtime().last_error_text().find("block 0 broke"), std::string::npos);
  EXPECT_EQ(rig.runtime().synchronize(rig.stream), RuntimeCode::ok);
  EXPECT_EQ(rig.records.tasks[0].status, 507015);
  EXPECT_EQ(rig.records.tasks[1].status, 0);
}

TEST(Runtime, wrong_calls_come_back_at_once_with_public_numbers) {
  Rig rig;
  std::uint64_t address = 0;
  int stream = -1;
  EXPECT_EQ(static_cast<int>(rig.runtime().allocate(0, address)), 107000);
  EXPECT_EQ(static_cast<int>(rig.runtime().allocate(Bytes{1} << 40, address)), 207001);
  EXPECT_EQ(static_cast<int>(rig.runtime().release(12345)), 207002);
  EXPECT_EQ(static_cast<int>(rig.runtime().launch_kernel(7, {}, {})), 107003);
  EXPECT_EQ(static_cast<int>(rig.runtime().synchronize(-1)), 107003);
  EXPECT_EQ(static_cast<int>(rig.runtime().launch_kernel(rig.stream, {0, 0, 0}, {})), 107000);
  EXPECT_EQ(static_cast<int>(rig.runtime().copy_to_device(rig.stream, std::uint64_t{1} << 30, 0, 1, {})), 107000);
  EXPECT_EQ(static_cast<int>(rig.runtime().wait_event(rig.stream, 0, {})), 107000);
  int event = -1;
  rig.runtime().create_event(event);
  EXPECT_EQ(static_cast<int>(rig.runtime().wait_event(rig.stream, event, {})), 107000);  // never recorded
  for (int i = 1; i < 32; ++i) ASSERT_EQ(rig.runtime().create_stream(stream), RuntimeCode::ok);
  EXPECT_EQ(static_cast<int>(rig.runtime().create_stream(stream)), 207008);
}

TEST(Runtime, synchronisation_times_out_and_the_stream_keeps_running) {
  Rig rig;
  for (auto& core : rig.cores) core->duration = [](const BlockLaunch&) { return Picoseconds{1'000'000'000}; };
  const Kernel kernel = plain_kernel("slow", 1, BlockKind::cube);
  rig.runtime().launch_kernel(rig.stream, {rig.place(kernel), 1, 0}, {"slow", "", 0});
  const Picoseconds before = rig.plain.timeline.now();
  EXPECT_EQ(static_cast<int>(rig.runtime().synchronize(rig.stream, 100'000'000)), 507046);
  EXPECT_EQ(rig.plain.timeline.now() - before, 101'000'000);  // the call itself costs 1 us
  EXPECT_NE(rig.runtime().outstanding().find("1 tasks not completed"), std::string::npos);
  EXPECT_NE(rig.devices[0]->outstanding().find("kernel slow"), std::string::npos);
  EXPECT_EQ(rig.runtime().synchronize(rig.stream), RuntimeCode::ok);
}

TEST(Runtime, unknown_kernels_and_unreachable_memory_end_in_errors) {
  Rig rig;
  rig.runtime().launch_kernel(rig.stream, {0xdead000, 1, 0}, {"lost", "", 0});
  EXPECT_EQ(static_cast<int>(rig.runtime().synchronize(rig.stream)), 507015);
  rig.runtime().copy_to_device(rig.stream, 1 << 27, 0x1000, 64, {"nowhere", "", 0});
  EXPECT_EQ(static_cast<int>(rig.runtime().synchronize(rig.stream)), 507013);
  rig.plain.memories[0]->broken_at = (1 << 27) + 5;
  rig.runtime().copy_to_host(rig.stream, rig.runtime().allocate_host(64), 1 << 27, 64, {"broken", "", 0});
  EXPECT_EQ(static_cast<int>(rig.runtime().synchronize(rig.stream)), 507053);
}

TEST(Runtime, tracks_and_spans_tell_the_story) {
  Rig rig;
  const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
  rig.runtime().launch_kernel(rig.stream, {rig.place(kernel), 1, 0}, {"k", "", 0});
  rig.runtime().synchronize(rig.stream);
  std::map<std::string, int> spans;
  for (const SpanRecord& span : rig.records.spans) {
    EXPECT_LE(span.start_time, span.end_time);
    ++spans[rig.records.tracks[span.track]];
  }
  for (const char* track : {"board.host.driver", "board.host.runtime0", "board.npu0.scheduler"}) EXPECT_GT(spans[track], 0) << track;
}

}  // namespace
}  // namespace npulab::firmware::host
