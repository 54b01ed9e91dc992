// SPDX-License-Identifier: Apache-2.0
// The task scheduler of a device: fetches descriptors of many streams, waits for events, dispatches kernels and copies, and
// completes them. A stream runs one task at a time, in order; its next descriptor is fetched meanwhile. One dispatcher serves
// ready streams round robin by queue number, TaskSchedulerSpec::dispatch_latency for a kernel or copy, none for events. At
// most active_queues queues are served at once, others wait in order of their doorbells. Leaves out priorities and timeouts.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firmware/device/block_scheduler.h"
#include "firmware/device/device_context.h"
#include "model/task/queue_ring.h"
#include "model/task/task_descriptor.h"

namespace npulab::firmware::device {

class TaskScheduler : public TransferClient {
 public:
  explicit TaskScheduler(const DeviceContext& context);
  TaskScheduler(const TaskScheduler&) = delete;
  TaskScheduler& operator=(const TaskScheduler&) = delete;

  void doorbell(int queue);
  void completion_room(int queue);
  void transfer_bounded(RequestId, Picoseconds) override {}
  void transfer_resolved(RequestId request, const TransferResult& result) override;

  std::int64_t completed_tasks() const { return completed_; }
  std::string outstanding() const;

 private:
  struct Fetched {
    std::optional<TaskDescriptor> descriptor;  // none: not understood
    Picoseconds time = 0;
  };
  struct Stream {
    bool active = false;
    bool waiting_for_slot = false;
    bool fetching = false;
    bool running = false;
    std::uint32_t head = 0;                    // next slot to fetch
    Picoseconds free_time = 0;                 // when the last task ended
    std::optional<Fetched> next;
    std::deque<CompletionEntry> entries;       // not yet posted
    std::deque<std::uint64_t> entry_tasks;
  };
  struct Copy {
    int queue = 0;
    TaskDescriptor task;
  };

  void activate(int queue);
  void retire(int queue);
  void try_fetch(int queue);
  void request_descriptor(int queue);
  void descriptor_read(int queue, MemoryStatus status);
  void dispatch();
  bool ready(const Stream& stream) const;
  int next_ready() const;
  void take(int queue);
  void event_task(int queue, const TaskDescriptor& task);
  void start_kernel(int queue, const TaskDescriptor& task);
  void start_copy(int queue, const TaskDescriptor& task);
  void run_copies();
  void copy_done(int channel, const Copy& copy, CopyStatus status);
  void end_task(int queue, const TaskDescriptor& task, RuntimeCode code, const std::string& error, Picoseconds ended);
  void post(int queue);
  void report_error(RuntimeCode code);
  void span(const char* name, Picoseconds from, Picoseconds to, std::uint64_t task);

  DeviceContext context_;
  TaskSchedulerSpec spec_;
  MemoryClientId client_;
  BlockScheduler blocks_;
  std::vector<Stream> streams_;
  int active_ = 0;
  std::deque<int> slot_waiters_;
  std::map<RequestId, int> fetches_;
  std::map<std::uint32_t, std::uint64_t> events_;  // event -> records made
  bool dispatching_ = false;
  std::set<int> fetched_;                          // queues with a descriptor at hand
  int turn_ = -1;                                  // the queue served last
  std::vector<bool> channel_busy_;
  std::deque<Copy> copies_;
  std::int64_t completed_ = 0;
  std::uint32_t errors_ = 0;
  std::uint32_t track_ = 0;
};

}  // namespace npulab::firmware::device
