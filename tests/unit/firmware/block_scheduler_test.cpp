// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/block_scheduler.h"

#include <gtest/gtest.h>

#include "tests/unit/firmware/plain_core.h"

namespace npulab::firmware::device {
namespace {

using test::BlockKind;
using test::plain_kernel;
using test::PlainCore;
using test::PlainTimeline;

constexpr Picoseconds kPerBlock = 200'000, kRun = 1'000'000;
constexpr Picoseconds kTaken = 1;  // from the end of a block to its being taken up

struct GroupShape { int cubes, vectors; bool fused; };

struct Rig {
  explicit Rig(const std::vector<GroupShape>& shapes) {
    std::vector<ComputeCore*> pointers;
    for (const GroupShape& shape : shapes) {
      cores.push_back(std::make_unique<PlainCore>(timeline, static_cast<int>(cores.size()), shape.cubes, shape.vectors, shape.fused, starts));
      pointers.push_back(cores.back().get());
    }
    scheduler = std::make_unique<BlockScheduler>(timeline, pointers, kPerBlock);
  }
  void launch(const Kernel& kernel, std::uint64_t task, std::uint32_t blocks = 0) {
    KernelLaunch launch;
    launch.kernel = &kernel;
    launch.blocks = blocks == 0 ? static_cast<std::uint32_t>(kernel.blocks.size()) : blocks;
    launch.task = task;
    launch.done = [this, task](const KernelOutcome& outcome) { outcomes[task] = outcome; };
    scheduler->launch(std::move(launch));
  }
  PlainTimeline timeline;
  std::vector<PlainCore::Start> starts;
  std::vector<std::unique_ptr<PlainCore>> cores;
  std::unique_ptr<BlockScheduler> scheduler;
  std::map<std::uint64_t, KernelOutcome> outcomes;
};

const std::vector<GroupShape> kTwoEqual = {{1, 2, false}, {1, 2, false}};

TEST(BlockScheduler, blocks_are_sent_one_after_another_to_idle_groups) {
  Rig rig(kTwoEqual);
  const Kernel kernel = plain_kernel("k", 5, BlockKind::cube);
  rig.launch(kernel, 1);
  rig.timeline.run();
  ASSERT_EQ(rig.starts.size(), 5u);
  const std::vector<Picoseconds> expected = {0, kPerBlock, kRun + kTaken, kRun + kTaken + kPerBlock, 2 * (kRun + kTaken)};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.starts[i].time, expected[i]) << i;
    EXPECT_EQ(rig.starts[i].block, i);
    EXPECT_EQ(rig.starts[i].group, static_cast<int>(i % 2));
  }
  EXPECT_EQ(rig.outcomes[1].started, 0);
  EXPECT_EQ(rig.outcomes[1].ended, 3 * kRun + 2 * kTaken);
  EXPECT_EQ(rig.outcomes[1].code, RuntimeCode::ok);
}

TEST(BlockScheduler, blocks_go_only_where_they_fit) {
  struct Row { BlockKind kind; std::vector<int> groups; };
  // A fused core, a vector core, a cube with two vectors.
  for (const Row& row : {Row{BlockKind::cube, {0, 2}}, Row{BlockKind::vector, {1, 2}}, Row{BlockKind::mixed, {0, 2}}}) {
    Rig rig({{1, 1, true}, {0, 1, false}, {1, 2, false}});
    const Kernel kernel = plain_kernel("k", 2, row.kind);
    rig.launch(kernel, 1);
    rig.timeline.run();
    ASSERT_EQ(rig.starts.size(), 2u);
    EXPECT_EQ((std::vector<int>{rig.starts[0].group, rig.starts[1].group}), row.groups);
  }
}

TEST(BlockScheduler, vector_blocks_leave_cubes_free) {
  Rig rig({{1, 2, false}, {0, 1, false}});
  const Kernel vector = plain_kernel("v", 1, BlockKind::vector), cube = plain_kernel("c", 1, BlockKind::cube);
  rig.launch(vector, 1);
  rig.launch(cube, 2);
  rig.timeline.run();
  EXPECT_EQ(rig.starts[0].group, 1);
  EXPECT_EQ(rig.starts[1].group, 0);
  EXPECT_EQ(rig.starts[1].time, kPerBlock);
}

TEST(BlockScheduler, a_later_kernel_takes_what_the_first_cannot_use) {
  Rig rig({{1, 0, false}, {0, 1, false}});
  const Kernel cube = plain_kernel("c", 3, BlockKind::cube), vector = plain_kernel("v", 1, BlockKind::vector);
  rig.launch(cube, 1);
  rig.launch(vector, 2);
  rig.timeline.run();
  EXPECT_LT(rig.outcomes[2].ended, rig.outcomes[1].ended);
}

TEST(BlockScheduler, blocks_that_wait_for_each_other_start_together) {
  Rig rig({{1, 2, false}, {1, 2, false}, {1, 2, false}});
  const Kernel first = plain_kernel("a", 1, BlockKind::cube), gang = plain_kernel("g", 3, BlockKind::cube, true), late = plain_kernel("b", 1, BlockKind::cube);
  rig.launch(first, 1);
  rig.launch(gang, 2);
  rig.launch(late, 3);  // must not take a group that the gang waits for
  rig.timeline.run();
  ASSERT_EQ(rig.starts.size(), 5u);
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(rig.starts[i].task, 2u);
    EXPECT_EQ(rig.starts[i].time, kRun + kTaken + 2 * kPerBlock);
  }
  EXPECT_EQ(rig.starts[4].task, 3u);
}

TEST(BlockScheduler, what_cannot_run_ends_with_a_code) {
  struct Row { Kernel kernel; std::uint32_t blocks; RuntimeCode code; };
  const Row rows[] = {{plain_kernel("gang", 3, BlockKind::cube, true), 3, RuntimeCode::resource},
                      {plain_kernel("short", 2, BlockKind::cube), 3, RuntimeCode::parameter}};
  for (const Row& row : rows) {
    Rig rig(kTwoEqual);
    rig.launch(row.kernel, 1, row.blocks);
    EXPECT_TRUE(rig.outcomes.empty());
    rig.timeline.run();
    EXPECT_EQ(rig.outcomes[1].code, row.code);
    EXPECT_EQ(rig.scheduler->outstanding(), "");
  }
  Rig rig({{0, 1, false}});
  const Kernel cube = plain_kernel("c", 1, BlockKind::cube);
  rig.launch(cube, 1);
  rig.timeline.run();
  EXPECT_EQ(rig.outcomes[1].code, RuntimeCode::soc_version);
}

TEST(BlockScheduler, a_failing_block_stops_its_kernel_and_no_other) {
  struct Row { BlockStatus status; RuntimeCode code; };
  for (const Row& row : {Row{BlockStatus::core_fault, RuntimeCode::aicore_exception}, Row{BlockStatus::illegal_instruction, RuntimeCode::aicore_exception},
                         Row{BlockStatus::flag_overrun, RuntimeCode::aicore_exception}, Row{BlockStatus::memory_error, RuntimeCode::device_memory}}) {
    Rig rig({{1, 2, false}, {1, 2, false}, {1, 2, false}});
    rig.cores[1]->duration = [](const BlockLaunch&) { return Picoseconds{300'000}; };
    rig.cores[1]->status = [&](const BlockLaunch& launch) { return launch.task == 1 ? row.status : BlockStatus::ok; };
    const Kernel bad = plain_kernel("bad", 2, BlockKind::cube), good = plain_kernel("good", 2, BlockKind::cube);
    rig.launch(bad, 1);
    rig.launch(good, 2);
    rig.timeline.run();
    EXPECT_EQ(rig.outcomes[1].code, row.code);
    EXPECT_EQ(rig.outcomes[1].ended, kPerBlock + 300'000);
    EXPECT_EQ(rig.outcomes[1].error, "kernel bad: group1 block 1 broke");
    EXPECT_EQ(rig.cores[0]->aborts, 1);
    EXPECT_EQ(rig.cores[2]->aborts, 0);
    EXPECT_EQ(rig.outcomes[2].code, RuntimeCode::ok);
    EXPECT_EQ(rig.scheduler->outstanding(), "");
  }
}

/// Ends when it is told to.
class HandCore : public ComputeCore {
 public:
  explicit HandCore(int index) : index_(index) { info_.cube_cores = 1; }
  const CoreGroupInfo& info() const override { return info_; }
  void start(const BlockLaunch& launch, BlockObserver& observer) override {
    observer_ = &observer;
    tasks.push_back(launch.task);
  }
  void abort() override { observer_ = nullptr; }
  bool idle() const override { return observer_ == nullptr; }
  std::string blocked_on() const override { return ""; }
  void end() {
    BlockObserver* const observer = observer_;
    observer_ = nullptr;
    observer->block_finished(index_, {});
  }
  std::vector<std::uint64_t> tasks;

 private:
  int index_;
  CoreGroupInfo info_;
  BlockObserver* observer_ = nullptr;
};

TEST(BlockScheduler, within_one_instant_the_order_of_reports_does_not_matter) {
  for (bool reversed : {false, true}) {
    PlainTimeline timeline;
    HandCore first(0), second(1);
    BlockScheduler scheduler(timeline, {&first, &second}, kPerBlock);
    const Kernel kernel = plain_kernel("k", 1, BlockKind::cube);
    std::vector<std::uint64_t> ended;
    for (std::uint64_t task = 1; task <= 4; ++task) {
      scheduler.launch({&kernel, 1, 0, task, [&ended, task](const KernelOutcome& outcome) {
                          ended.push_back(task);
                          EXPECT_EQ(outcome.ended, kRun);
                        }});
    }
    timeline.at(kRun, [&] {
      (reversed ? second : first).end();
      (reversed ? first : second).end();
    });
    timeline.run();
    EXPECT_EQ(ended, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(first.tasks, (std::vector<std::uint64_t>{1, 3}));
    EXPECT_EQ(second.tasks, (std::vector<std::uint64_t>{2, 4}));
  }
}

TEST(BlockScheduler, says_what_is_outstanding) {
  Rig rig(kTwoEqual);
  const Kernel kernel = plain_kernel("k", 5, BlockKind::cube);
  rig.launch(kernel, 7);
  rig.timeline.run_until(kRun + 2);
  EXPECT_EQ(rig.scheduler->outstanding(), "kernel k (task 7): 1 of 5 blocks finished, 3 sent\ngroup0: busy\ngroup1: busy\n");
}

}  // namespace
}  // namespace npulab::firmware::device
