// SPDX-License-Identifier: Apache-2.0
// Registers, doorbells, completion queues and interrupts through real TLPs: what is visible when, and in which order.
#include <gtest/gtest.h>

#include "firmware/host/enumerator.h"
#include "tests/unit/pcie/pcie_board.h"

namespace npulab::pcie {
namespace {

using namespace npulab::registers;

struct Listener : EndpointListener {
  void doorbell(int queue) override {
    doorbells.push_back(queue);
    if (on_doorbell) on_doorbell();
  }
  void completion_room(int queue) override { rooms.push_back(queue); }
  std::vector<int> doorbells, rooms;
  std::function<void()> on_doorbell;
};

constexpr std::uint32_t kDepth = 4;
constexpr int kTestVector = 5;

struct Rig {
  Rig() : machine(test::single_board()), access(machine.fabric->host(), machine.thread) {
    const auto functions = firmware::host::Enumerator(access).run();
    io = functions[1].bars[1].address;
    window = functions[1].bars[2].address;
    front().listen(listener);
    access.config_write({1, 0, 0}, 0x90, 0x80000000);  // MSI-X on
    machine.fabric->host().on_interrupt([this](std::uint32_t message) {
      interrupts.push_back(message);
      if (on_interrupt) on_interrupt();
    });
  }
  DeviceFront& front() { return machine.fabric->device(0); }
  void settle() { machine.timeline.run_until(machine.timeline.now() + 5'000'000); }
  void set_vector(int vector, std::uint32_t message, bool masked) {
    const std::uint64_t at = io + kMsixTable + static_cast<std::uint64_t>(vector) * 16;
    access.mmio_write(at, static_cast<std::uint32_t>(machine.fabric->host().interrupt_address()));
    access.mmio_write(at + 4, 0);
    access.mmio_write(at + 8, message);
    access.mmio_write(at + 12, masked ? 1 : 0);
  }
  void set_queue(std::uint32_t queue) {
    cq = machine.fabric->host().memory().allocate(kDepth * 16);
    const auto put = [&](std::uint32_t field, std::uint32_t value) { access.mmio_write(io + queue_register(queue, field), value); };
    put(kSqBaseLow, 0x10000);
    put(kSqDepth, kDepth);
    put(kCqBaseLow, static_cast<std::uint32_t>(cq));
    put(kCqBaseHigh, static_cast<std::uint32_t>(cq >> 32));
    put(kCqDepth, kDepth);
    put(registers::kVector, kTestVector);
    put(kControl, 1);
    settle();
  }
  CompletionEntry entry(std::uint32_t index) {
    EntryBytes bytes{};
    machine.fabric->host().memory().read(cq + index * 16, bytes.data(), 16);
    return decode_entry(bytes);
  }
  CompletionEntry made(std::uint32_t sequence) {
    CompletionEntry out;
    out.queue = 3;
    out.sequence = sequence;
    out.type = TaskType::kernel;
    return out;
  }
  test::PlainMachine machine;
  firmware::host::HostAccess access;
  Listener listener;
  std::uint64_t io = 0, window = 0, cq = 0;
  std::vector<std::uint32_t> interrupts;
  std::function<void()> on_interrupt;
};

TEST(DeviceFront, status_registers_are_read_by_the_host_and_not_written) {
  Rig rig;
  rig.front().write_register(kBootState, 6);
  EXPECT_EQ(rig.access.mmio_read(rig.io + kBootState), 6u);
  rig.access.mmio_write(rig.io + kBootState, 1);
  EXPECT_EQ(rig.access.mmio_read(rig.io + kBootState), 6u);
  EXPECT_EQ(rig.access.mmio_read(0xb0000000), 0xffffffffu);  // nobody
}

TEST(DeviceFront, a_doorbell_is_heard_after_the_descriptor_before_it_is_visible) {
  Rig rig;
  rig.set_queue(3);
  std::uint8_t seen = 0;
  rig.listener.on_doorbell = [&] { rig.machine.memories[0]->bytes().read(0x10000 + 63, &seen, 1); };
  rig.machine.fabric->host().mmio_write(rig.window + 0x10000, std::vector<std::uint8_t>(64, 0x5a));
  rig.access.mmio_write(rig.io + queue_register(3, kSqTail), 1);
  rig.settle();
  EXPECT_EQ(rig.listener.doorbells, std::vector<int>{3});
  EXPECT_EQ(seen, 0x5a);
  EXPECT_EQ(rig.front().queue(3).sq_tail, 1u);
}

TEST(DeviceFront, doorbells_out_of_range_repeated_or_of_closed_queues_are_ignored) {
  Rig rig;
  rig.set_queue(3);
  for (std::uint32_t tail : {kDepth, 99u, 0u}) rig.access.mmio_write(rig.io + queue_register(3, kSqTail), tail);
  rig.access.mmio_write(rig.io + queue_register(4, kSqTail), 1);
  rig.access.mmio_write(rig.io + queue_register(31, kSqTail) + 64, 1);
  rig.settle();
  EXPECT_TRUE(rig.listener.doorbells.empty());
  rig.access.mmio_write(rig.io + queue_register(3, kSqTail), 2);
  rig.access.mmio_write(rig.io + queue_register(3, kSqTail), 2);
  rig.settle();
  EXPECT_EQ(rig.listener.doorbells.size(), 1u);
}

TEST(DeviceFront, the_phase_flips_each_round) {
  Rig rig;
  rig.set_queue(3);
  for (std::uint32_t n = 0; n < 11; ++n) {
    ASSERT_TRUE(rig.front().post_completion(3, rig.made(n), nullptr));
    rig.settle();
    const CompletionEntry entry = rig.entry(n % kDepth);
    EXPECT_EQ(entry.sequence, n);
    EXPECT_EQ(entry.phase, n / kDepth % 2 == 0) << n;
    rig.access.mmio_write(rig.io + queue_register(3, kCqHead), (n + 1) % kDepth);
    rig.settle();
  }
}

TEST(DeviceFront, a_full_completion_queue_is_not_overwritten) {
  Rig rig;
  rig.set_queue(3);
  for (std::uint32_t n = 0; n + 1 < kDepth; ++n) ASSERT_TRUE(rig.front().post_completion(3, rig.made(n), nullptr));
  EXPECT_FALSE(rig.front().post_completion(3, rig.made(77), nullptr));
  rig.settle();
  EXPECT_EQ(rig.entry(0).sequence, 0u);
  EXPECT_TRUE(rig.listener.rooms.empty());
  rig.access.mmio_write(rig.io + queue_register(3, kCqHead), 1);
  rig.settle();
  EXPECT_EQ(rig.listener.rooms, std::vector<int>{3});
  EXPECT_TRUE(rig.front().post_completion(3, rig.made(77), nullptr));
}

TEST(DeviceFront, data_before_entry_before_interrupt) {
  Rig rig;
  rig.set_queue(3);
  rig.set_vector(kTestVector, 42, false);
  rig.settle();
  const std::uint64_t target = rig.machine.fabric->host().memory().allocate(65536);
  const Bytes bytes = 60'000;
  const std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes), 0x77);
  rig.machine.memories[0]->bytes().write(0, data.data(), bytes);
  bool data_first = false;
  Picoseconds delivered = 0, interrupted = 0;
  rig.front().copy(0, {true, target, 0, bytes, 1}, [&](CopyStatus) {
    rig.front().post_completion(3, rig.made(9), [&] {
      std::uint8_t last = 0;
      rig.machine.fabric->host().memory().read(target + static_cast<std::uint64_t>(bytes) - 1, &last, 1);
      data_first = last == 0x77;
      delivered = rig.machine.timeline.now();
    });
  });
  rig.on_interrupt = [&] {
    interrupted = rig.machine.timeline.now();
    EXPECT_EQ(rig.entry(0).sequence, 9u);
  };
  rig.machine.timeline.run();
  EXPECT_TRUE(data_first);
  EXPECT_EQ(rig.interrupts, std::vector<std::uint32_t>{42});
  // 28 bytes of message on the wire after the entry, then the way to the handler.
  const LinkRate rate(test::plain_link(3, 8));
  EXPECT_NEAR(static_cast<double>(interrupted - delivered), static_cast<double>(rate.time(24) + 2'000'000), 2);
}

TEST(DeviceFront, a_masked_vector_is_delivered_once_when_unmasked) {
  Rig rig;
  rig.set_vector(kTestVector, 42, true);
  rig.settle();
  rig.front().interrupt(kTestVector);
  rig.front().interrupt(kTestVector);
  rig.settle();
  EXPECT_TRUE(rig.interrupts.empty());
  EXPECT_EQ(rig.access.mmio_read(rig.io + kMsixPending), 1u << kTestVector);
  rig.set_vector(kTestVector, 42, false);
  rig.settle();
  EXPECT_EQ(rig.interrupts, std::vector<std::uint32_t>{42});
  EXPECT_EQ(rig.access.mmio_read(rig.io + kMsixPending), 0u);
}

TEST(DeviceFront, the_function_mask_holds_all_vectors) {
  Rig rig;
  rig.set_vector(1, 11, false);
  rig.set_vector(2, 12, false);
  rig.access.config_write({1, 0, 0}, 0x90, 0xc0000000);
  rig.front().interrupt(2);
  rig.front().interrupt(1);
  rig.settle();
  EXPECT_TRUE(rig.interrupts.empty());
  rig.access.config_write({1, 0, 0}, 0x90, 0x80000000);
  rig.settle();
  EXPECT_EQ(rig.interrupts, (std::vector<std::uint32_t>{11, 12}));
}

}  // namespace
}  // namespace npulab::pcie
