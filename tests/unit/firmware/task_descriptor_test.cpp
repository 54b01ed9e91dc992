// SPDX-License-Identifier: Apache-2.0
#include "model/task/task_descriptor.h"

#include <gtest/gtest.h>

#include "model/task/queue_ring.h"

namespace npulab {
namespace {

TEST(TaskDescriptor, what_is_written_is_read) {
  for (TaskType type : {TaskType::kernel, TaskType::event_record, TaskType::event_wait, TaskType::pcie_copy}) {
    TaskDescriptor task;
    task.type = type;
    task.stream = 0x1234;
    task.sequence = 0x89abcdef;
    task.task = 0x0123456789abcdef;
    task.blocks = 24;
    task.event = 65535;
    task.generation = std::uint64_t{1} << 40;
    if (type == TaskType::pcie_copy) {
      task.to_host = true;
      task.host_address = std::uint64_t{5} << 33;
      task.device_address = 0x1000;
      task.bytes = std::int64_t{1} << 34;
    } else {
      task.code_address = 0xfedcba9876543210;
      task.arena_base = 0x40000000;
    }
    const auto back = decode_descriptor(encode(task));
    ASSERT_TRUE(back);
    EXPECT_EQ(encode(*back), encode(task));
    EXPECT_EQ(back->type, type);
    EXPECT_EQ(back->task, task.task);
    EXPECT_EQ(back->host_address, task.host_address);
    EXPECT_EQ(back->code_address, task.code_address);
    EXPECT_EQ(back->bytes, task.bytes);
    EXPECT_EQ(back->generation, task.generation);
    EXPECT_EQ(back->blocks, task.blocks);
  }
}

TEST(TaskDescriptor, public_type_numbers_lie_in_the_first_byte) {
  TaskDescriptor task;
  task.type = TaskType::pcie_copy;
  EXPECT_EQ(encode(task)[0], 17);
  task.type = TaskType::event_wait;
  EXPECT_EQ(encode(task)[0], 5);
}

TEST(TaskDescriptor, rubbish_is_not_understood) {
  DescriptorBytes bytes = encode(TaskDescriptor{});
  EXPECT_FALSE(decode_descriptor(bytes));  // type 63
  bytes[0] = 0;
  EXPECT_TRUE(decode_descriptor(bytes));
  for (std::size_t reserved : {1, 56, 63}) {
    DescriptorBytes dirty = bytes;
    dirty[reserved] = 0x80;
    EXPECT_FALSE(decode_descriptor(dirty)) << reserved;
  }
}

TEST(CompletionEntry, phase_and_code_survive) {
  CompletionEntry entry;
  entry.queue = 991;
  entry.head = 4095;
  entry.sequence = 77;
  entry.code = 507015;
  entry.type = TaskType::kernel;
  entry.phase = true;
  const CompletionEntry back = decode_entry(encode(entry));
  EXPECT_EQ(back.queue, 991);
  EXPECT_EQ(back.head, 4095);
  EXPECT_EQ(back.code, 507015u);
  EXPECT_TRUE(back.phase);
  EXPECT_EQ(encode(entry)[14], 3);  // phase and error bits
}

TEST(QueueRing, one_slot_stays_free) {
  QueueRing ring{4, 0, 0};
  int filled = 0;
  for (; !ring.full(); ++filled) ring.tail = ring.after(ring.tail);
  EXPECT_EQ(filled, 3);
  EXPECT_EQ(ring.used(), 3u);
  ring.head = ring.after(ring.head);
  ring.tail = ring.after(ring.tail);
  EXPECT_EQ(ring.tail, 0u);
  EXPECT_EQ(ring.used(), 3u);
}

}  // namespace
}  // namespace npulab
