// SPDX-License-Identifier: Apache-2.0
// The host's end of one stream: the submission ring in device memory, written through the window BAR, and the completion ring
// in host memory, read by phase.
#pragma once

#include <deque>
#include <vector>

#include "firmware/host/driver.h"
#include "model/contract/task_ledger.h"
#include "model/task/queue_ring.h"
#include "model/task/runtime_code.h"
#include "model/task/task_descriptor.h"

namespace npulab::firmware::host {

class StreamQueue {
 public:
  /// Sets up queue `index` of the device: submission entries at `sq_base` in device memory, completion entries at `cq_base`.
  StreamQueue(Driver& driver, const DeviceEntry& device, int index, int vector, std::uint64_t sq_base, std::uint64_t cq_base);

  bool full() const { return sq_.full(); }
  bool idle() const { return pending_.empty(); }
  int vector() const { return vector_; }
  std::size_t pending() const { return pending_.size(); }
  /// Writes the descriptor and rings the doorbell; the queue must not be full. Returns its sequence number.
  std::uint32_t submit(TaskDescriptor descriptor);
  /// Takes all fresh completion entries, closing their tasks; returns how many.
  int collect(TaskLedger& ledger);

  /// The first error since the last call, and its task.
  struct Failure {
    RuntimeCode code = RuntimeCode::ok;
    std::uint64_t task = 0;
    std::string text;
  };
  Failure take_failure();

 private:
  struct Pending {
    std::uint64_t task;
    std::uint32_t sequence;
  };
  void retire(const CompletionEntry& entry, TaskLedger& ledger);

  Driver& driver_;
  std::uint64_t registers_;   // host address of the queue's register block
  std::uint64_t slots_;       // host address of the first submission entry
  std::uint64_t entries_;     // host address of the first completion entry
  int index_;
  int vector_;
  QueueRing sq_;
  PhaseCursor cq_;
  std::uint32_t next_sequence_ = 0;
  std::deque<Pending> pending_;
  Failure failure_;
};

}  // namespace npulab::firmware::host
