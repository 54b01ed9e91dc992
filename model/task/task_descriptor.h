// SPDX-License-Identifier: Apache-2.0
// The 64-byte descriptor in which a task lies in a stream's submission queue, and the 16-byte entry that answers it in the
// completion queue. Sizes, task type numbers and roles of the fields are the public ones of the task scheduler; the layout is
// our own. All fields are little-endian.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/base/units.h"

namespace npulab {

inline constexpr Bytes kTaskDescriptorBytes = 64;
inline constexpr Bytes kCompletionEntryBytes = 16;

enum class TaskType : std::uint8_t { kernel = 0, event_record = 4, event_wait = 5, pcie_copy = 17, invalid = 63 };

struct TaskDescriptor {
  TaskType type = TaskType::invalid;
  bool to_host = false;             // pcie_copy: device memory -> host memory
  std::uint16_t stream = 0;
  std::uint32_t sequence = 0;       // counts the stream's submissions, wraps
  std::uint64_t task = 0;           // tag for traces, unique in a run
  std::uint64_t code_address = 0;   // kernel: names it in the KernelStore
  std::uint64_t arena_base = 0;     // kernel: launch parameter 0
  std::uint64_t host_address = 0;   // pcie_copy
  std::uint64_t device_address = 0; // pcie_copy
  Bytes bytes = 0;                  // pcie_copy
  std::uint32_t blocks = 0;         // kernel
  std::uint32_t event = 0;          // event_record, event_wait
  std::uint64_t generation = 0;     // the how-manieth record of the event is made, or waited for
};

struct CompletionEntry {
  std::uint16_t queue = 0;
  std::uint16_t head = 0;        // submission slots before this one are free
  std::uint32_t sequence = 0;    // of the descriptor
  std::uint32_t code = 0;        // public error code, 0 is success
  TaskType type = TaskType::invalid;
  bool phase = false;            // flips each time round the queue
};

using DescriptorBytes = std::array<std::uint8_t, kTaskDescriptorBytes>;
using EntryBytes = std::array<std::uint8_t, kCompletionEntryBytes>;

/// The descriptor as it lies in memory.
DescriptorBytes encode(const TaskDescriptor& descriptor);
/// Nothing when the type is unknown or a reserved byte is not zero.
std::optional<TaskDescriptor> decode_descriptor(const DescriptorBytes& bytes);

/// The completion entry as it lies in memory.
EntryBytes encode(const CompletionEntry& entry);
/// Any 16 bytes are an entry; whether it is a fresh one, the phase says.
CompletionEntry decode_entry(const EntryBytes& bytes);

/// "kernel", "event_record", ...
const char* name_of(TaskType type);

}  // namespace npulab
