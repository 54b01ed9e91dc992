// SPDX-License-Identifier: Apache-2.0
// From power-on to the driver's list: durations, self-test, devices that do not come up.
#include <gtest/gtest.h>

#include "model/contract/device_registers.h"
#include "tests/unit/firmware/firmware_machine.h"

namespace npulab {
namespace {

using test::card_board;
using test::FirmwareMachine;
using test::plain_link;
using test::single_board;

TEST(Boot, fast_and_full_profiles_take_their_time) {
  for (bool full : {false, true}) {
    BoardSpec board = single_board();
    board.full_boot = full;
    board.host.ready_timeout = 300'000'000'000'000;
    FirmwareMachine machine(board);
    machine.start();
    const Picoseconds expected = full ? 2'000'000'000'000 : 200'000'000;  // the parts of BootSpec, or fast_total
    EXPECT_NEAR(static_cast<double>(machine.devices[0]->ready_time()), static_cast<double>(expected), static_cast<double>(expected) * 0.001);
    EXPECT_EQ(machine.driver.logical_count(), 1);
    // The driver polls: it knows soon after, and never before.
    const Picoseconds seen = machine.driver.logical(0).ready_time - machine.devices[0]->ready_time();
    EXPECT_GT(seen, 0);
    EXPECT_LT(seen, std::max<Picoseconds>(2 * board.host.poll_period, expected / 8));
    EXPECT_EQ(machine.driver.logical(0).memory_bytes, Bytes{1} << 30);
    EXPECT_EQ(machine.driver.logical(0).queue_depth, 64);
    EXPECT_EQ(machine.driver.logical(0).max_streams, 32);
  }
}

TEST(Boot, states_follow_each_other) {
  FirmwareMachine machine(single_board());
  std::vector<BootState> states;
  machine.devices[0]->power_on();
  while (machine.plain.timeline.foreground() > 0) {
    const BootState state = static_cast<BootState>(machine.plain.fabric->device(0).read_register(registers::kBootState));
    if (states.empty() || states.back() != state) states.push_back(state);
    machine.plain.timeline.step();
  }
  states.push_back(machine.devices[0]->state());
  EXPECT_EQ(states, (std::vector<BootState>{BootState::rom, BootState::firmware_load, BootState::os, BootState::self_test, BootState::services, BootState::ready}));
}

TEST(Boot, a_device_that_fails_is_listed_with_its_reason_and_left_out) {
  BoardSpec board = card_board(4, plain_link(3, 16), plain_link(3, 4));
  board.devices[1].fails_boot = true;
  board.devices[1].boot_failure = "firmware image corrupt";
  FirmwareMachine machine(board);
  machine.start();
  ASSERT_EQ(machine.driver.devices().size(), 4u);
  EXPECT_EQ(machine.driver.devices()[1].reason, "boot failed: firmware image corrupt");
  EXPECT_EQ(machine.driver.devices()[1].health, HealthLevel::critical);
  EXPECT_EQ(machine.driver.devices()[1].logical, -1);
  EXPECT_EQ(machine.driver.logical_count(), 3);
  std::vector<int> physical;
  for (int i = 0; i < 3; ++i) physical.push_back(machine.plain.fabric->device_at(machine.driver.logical(i).address));
  EXPECT_EQ(physical, (std::vector<int>{0, 2, 3}));
  EXPECT_NE(machine.driver.describe().find("04:00.0 19e5:d100 Critical left out: boot failed: firmware image corrupt"), std::string::npos) << machine.driver.describe();
}

TEST(Boot, a_device_that_hangs_is_given_up_after_the_time_out_with_few_polls) {
  BoardSpec board = card_board(2, plain_link(3, 16), plain_link(3, 4));
  board.devices[0].fails_boot = true;  // and says nothing
  board.host.ready_timeout = 300'000'000'000'000;
  board.host.poll_period = 50'000'000;
  FirmwareMachine machine(board);
  machine.start();
  EXPECT_EQ(machine.driver.devices()[0].reason, "not ready after 300000.000 ms: boot is at self_test");
  EXPECT_EQ(machine.driver.devices()[0].health, HealthLevel::unknown);
  EXPECT_EQ(machine.driver.logical_count(), 1);
  EXPECT_GE(machine.plain.timeline.now(), 300'000'000'000'000);
  EXPECT_LT(machine.plain.timeline.now(), 300'100'000'000'000);
  EXPECT_LT(machine.plain.timeline.steps(), 20'000);
  EXPECT_NE(machine.devices[0]->outstanding().find("boot is at self_test"), std::string::npos);
  // The other one works.
  int stream = -1;
  EXPECT_EQ(machine.runtime().create_stream(stream), RuntimeCode::ok);
}

TEST(Boot, a_wrong_bit_in_memory_fails_the_self_test) {
  FirmwareMachine machine(single_board());
  machine.plain.memories[0]->corrupt = true;
  machine.start();
  EXPECT_EQ(machine.driver.logical_count(), 0);
  EXPECT_EQ(machine.driver.devices()[0].reason, "boot failed: self-test: memory at 0: pattern not read back");
}

TEST(Boot, an_uncorrectable_word_fails_the_self_test) {
  FirmwareMachine machine(single_board());
  machine.plain.memories[0]->broken_at = (std::uint64_t{1} << 30) - 5;
  machine.start();
  EXPECT_EQ(machine.driver.devices()[0].reason, "boot failed: self-test: memory at " + std::to_string((1 << 30) - 4096) + ": access failed");
}

struct CoreTest {
  explicit CoreTest(const Kernel& kernel) : machine(single_board(), 0) {
    context.timeline = &machine.plain.timeline;
    context.port = &machine.plain.fabric->device(0);
    context.memory = machine.plain.memories[0].get();
    for (int g = 0; g < 3; ++g) {
      cores.push_back(std::make_unique<test::PlainCore>(machine.plain.timeline, g, g == 2 ? 0 : 1, 2, false, starts));
      context.cores.push_back(cores.back().get());
    }
    context.kernels = &machine.kernels;
    context.soc = &machine.plain.board.socs[0];
    context.device = &machine.plain.board.devices[0];
    context.self_test = &kernel;
  }
  FirmwareMachine machine;
  std::vector<test::PlainCore::Start> starts;
  std::vector<std::unique_ptr<test::PlainCore>> cores;
  firmware::device::DeviceContext context;
};

TEST(Boot, the_self_test_runs_a_block_on_every_group_that_fits) {
  const Kernel kernel = test::plain_kernel("check", 1, test::BlockKind::cube);
  CoreTest rig(kernel);
  firmware::device::Device device(rig.context);
  device.power_on();
  rig.machine.plain.timeline.run();
  EXPECT_EQ(device.state(), BootState::ready);
  EXPECT_EQ(rig.starts.size(), 2u);  // the vector group has no cube
}

TEST(Boot, a_broken_group_fails_the_self_test) {
  const Kernel kernel = test::plain_kernel("check", 1, test::BlockKind::vector);
  CoreTest rig(kernel);
  rig.cores[1]->status = [](const BlockLaunch&) { return BlockStatus::core_fault; };
  firmware::device::Device device(rig.context);
  device.power_on();
  rig.machine.plain.timeline.run();
  EXPECT_EQ(device.state(), BootState::failed);
  EXPECT_EQ(rig.starts.size(), 3u);
}

TEST(Boot, the_heartbeat_counts_without_keeping_the_run_alive) {
  BoardSpec board = single_board();
  FirmwareMachine machine(board);
  machine.start();
  const std::uint32_t before = machine.plain.fabric->device(0).read_register(registers::kHeartbeat);
  machine.plain.timeline.run();
  EXPECT_EQ(machine.plain.timeline.foreground(), 0);
  machine.plain.timeline.run_until(machine.plain.timeline.now() + 10 * board.socs[0].boot.heartbeat_period);
  EXPECT_EQ(machine.plain.fabric->device(0).read_register(registers::kHeartbeat) - before, 10u);
}

}  // namespace
}  // namespace npulab
