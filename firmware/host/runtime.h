// SPDX-License-Identifier: Apache-2.0
// The runtime of one logical device, with the calls and error codes of the public one: memory, streams, events, asynchronous
// copies and launches, synchronisation. Calls cost HostSpec::driver_call or launch_call on the host thread; a full queue makes
// a call wait. Leaves out contexts, callbacks, capture, priorities and notifies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/host/device_allocator.h"
#include "firmware/host/stream_queue.h"

namespace npulab::firmware::host {

/// How a task is called in traces.
struct TaskLabel {
  std::string name;
  std::string op_type;
  int iteration = 0;
};

struct KernelCall {
  std::uint64_t code_address = 0;
  std::uint32_t blocks = 0;
  std::uint64_t arena_base = 0;
};

class Runtime {
 public:
  /// `device_index` is what traces call the device; `trace` may be null.
  Runtime(Driver& driver, int logical, int device_index, TaskLedger& ledger, TraceSink* trace);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Device memory; memory_allocation when there is no room, parameter for a size of zero.
  RuntimeCode allocate(Bytes bytes, std::uint64_t& address);
  /// memory_free for an address that was not allocated.
  RuntimeCode release(std::uint64_t address);
  /// Host memory that the device can reach.
  std::uint64_t allocate_host(Bytes bytes);
  HostMemory& host_memory() { return driver_.access().link().memory(); }

  /// no_stream when the device has no more queues, or no room for them.
  RuntimeCode create_stream(int& stream);
  RuntimeCode create_event(int& event);

  /// Tasks. Errors of the call itself come back at once, errors of the task from synchronize(). `task`, if given, is its tag.
  RuntimeCode launch_kernel(int stream, const KernelCall& call, const TaskLabel& label, std::uint64_t* task = nullptr);
  RuntimeCode copy_to_device(int stream, std::uint64_t device_address, std::uint64_t host_address, Bytes bytes, const TaskLabel& label, std::uint64_t* task = nullptr);
  RuntimeCode copy_to_host(int stream, std::uint64_t host_address, std::uint64_t device_address, Bytes bytes, const TaskLabel& label, std::uint64_t* task = nullptr);
  /// Captures what the stream has been given so far.
  RuntimeCode record_event(int stream, int event, const TaskLabel& label);
  /// What the stream is given later waits for the latest record of the event; parameter when there was none yet.
  RuntimeCode wait_event(int stream, int event, const TaskLabel& label);

  /// Waits until the stream is empty; its first error since the last call, or stream_sync_timeout.
  RuntimeCode synchronize(int stream, Picoseconds timeout = kNever);
  /// Every stream; the first error by stream number.
  RuntimeCode synchronize_all(Picoseconds timeout = kNever);
  /// What went wrong with the task whose error synchronize() returned last.
  const std::string& last_error_text() const { return error_text_; }

  const DeviceEntry& device() const { return device_; }
  /// Streams with tasks that have not come back; empty when none.
  std::string outstanding() const;

 private:
  RuntimeCode submit(int stream, TaskDescriptor descriptor, const TaskLabel& label, const char* kind, std::uint64_t* task);
  RuntimeCode copy(int stream, bool to_host, std::uint64_t host_address, std::uint64_t device_address, Bytes bytes, const TaskLabel& label, std::uint64_t* task);
  int vector_of(int stream) const;
  void interrupted(int vector);
  void spend(const char* name, Picoseconds duration);
  bool known_stream(int stream) const { return stream >= 0 && stream < static_cast<int>(streams_.size()); }
  bool in_memory(std::uint64_t address, Bytes bytes) const;

  Driver& driver_;
  const DeviceEntry& device_;
  int device_index_;
  TaskLedger& ledger_;
  TraceSink* trace_;
  std::uint32_t track_ = 0;
  std::uint64_t queue_end_;        // queues lie below, everything else above
  DeviceAllocator queue_memory_;
  DeviceAllocator memory_;
  std::vector<std::unique_ptr<StreamQueue>> streams_;
  std::vector<bool> connected_;    // by vector
  std::vector<std::uint64_t> event_records_;
  std::string error_text_;
};

}  // namespace npulab::firmware::host
