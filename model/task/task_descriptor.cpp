// SPDX-License-Identifier: Apache-2.0
#include "model/task/task_descriptor.h"

#include <algorithm>

namespace npulab {
namespace {

// Byte offsets. A kernel and a copy use the same two address words.
constexpr std::size_t kType = 0, kFlags = 1, kStream = 2, kSequence = 4, kTask = 8, kFirst = 16, kSecond = 24, kBytes = 32;
constexpr std::size_t kBlocks = 40, kEvent = 44, kGeneration = 48, kReserved = 56;
constexpr std::uint8_t kToHost = 1;

template <std::size_t N>
void put(std::array<std::uint8_t, N>& out, std::size_t at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

template <std::size_t N>
std::uint64_t get(const std::array<std::uint8_t, N>& in, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= static_cast<std::uint64_t>(in[at + i]) << (8 * i);
  return value;
}

bool known(std::uint8_t type) {
  switch (static_cast<TaskType>(type)) {
    case TaskType::kernel: case TaskType::event_record: case TaskType::event_wait: case TaskType::pcie_copy: return true;
    default: return false;
  }
}

}  // namespace

DescriptorBytes encode(const TaskDescriptor& descriptor) {
  DescriptorBytes out{};
  const bool copy = descriptor.type == TaskType::pcie_copy;
  put(out, kType, static_cast<std::uint8_t>(descriptor.type), 1);
  put(out, kFlags, descriptor.to_host ? kToHost : 0, 1);
  put(out, kStream, descriptor.stream, 2);
  put(out, kSequence, descriptor.sequence, 4);
  put(out, kTask, descriptor.task, 8);
  put(out, kFirst, copy ? descriptor.host_address : descriptor.code_address, 8);
  put(out, kSecond, copy ? descriptor.device_address : descriptor.arena_base, 8);
  put(out, kBytes, static_cast<std::uint64_t>(descriptor.bytes), 8);
  put(out, kBlocks, descriptor.blocks, 4);
  put(out, kEvent, descriptor.event, 4);
  put(out, kGeneration, descriptor.generation, 8);
  return out;
}

std::optional<TaskDescriptor> decode_descriptor(const DescriptorBytes& bytes) {
  const bool clean = std::all_of(bytes.begin() + kReserved, bytes.end(), [](std::uint8_t b) { return b == 0; });
  if (!known(bytes[kType]) || (bytes[kFlags] & ~kToHost) != 0 || !clean) return std::nullopt;
  TaskDescriptor out;
  out.type = static_cast<TaskType>(bytes[kType]);
  out.to_host = (bytes[kFlags] & kToHost) != 0;
  out.stream = static_cast<std::uint16_t>(get(bytes, kStream, 2));
  out.sequence = static_cast<std::uint32_t>(get(bytes, kSequence, 4));
  out.task = get(bytes, kTask, 8);
  const bool copy = out.type == TaskType::pcie_copy;
  (copy ? out.host_address : out.code_address) = get(bytes, kFirst, 8);
  (copy ? out.device_address : out.arena_base) = get(bytes, kSecond, 8);
  out.bytes = static_cast<Bytes>(get(bytes, kBytes, 8));
  out.blocks = static_cast<std::uint32_t>(get(bytes, kBlocks, 4));
  out.event = static_cast<std::uint32_t>(get(bytes, kEvent, 4));
  out.generation = get(bytes, kGeneration, 8);
  return out;
}

EntryBytes encode(const CompletionEntry& entry) {
  EntryBytes out{};
  put(out, 0, entry.queue, 2);
  put(out, 2, entry.head, 2);
  put(out, 4, entry.sequence, 4);
  put(out, 8, entry.code, 4);
  put(out, 12, static_cast<std::uint8_t>(entry.type), 2);
  put(out, 14, (entry.phase ? 1U : 0U) | (entry.code != 0 ? 2U : 0U), 2);
  return out;
}

CompletionEntry decode_entry(const EntryBytes& bytes) {
  CompletionEntry out;
  out.queue = static_cast<std::uint16_t>(get(bytes, 0, 2));
  out.head = static_cast<std::uint16_t>(get(bytes, 2, 2));
  out.sequence = static_cast<std::uint32_t>(get(bytes, 4, 4));
  out.code = static_cast<std::uint32_t>(get(bytes, 8, 4));
  out.type = static_cast<TaskType>(bytes[12]);
  out.phase = (bytes[14] & 1) != 0;
  return out;
}

const char* name_of(TaskType type) {
  switch (type) {
    case TaskType::kernel: return "kernel";
    case TaskType::event_record: return "event_record";
    case TaskType::event_wait: return "event_wait";
    case TaskType::pcie_copy: return "pcie_copy";
    default: return "invalid";
  }
}

}  // namespace npulab
