// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/task_scheduler.h"

#include <algorithm>
#include <utility>

#include "model/base/errors.h"
#include "model/contract/device_registers.h"

namespace npulab::firmware::device {
namespace {

RuntimeCode code_of(CopyStatus status) {
  if (status == CopyStatus::ok) return RuntimeCode::ok;
  return status == CopyStatus::memory_error ? RuntimeCode::device_memory : RuntimeCode::dma;
}

constexpr std::int64_t kBytesPerSecondPerMilliByteNs = 1'000'000;

}  // namespace

TaskScheduler::TaskScheduler(const DeviceContext& context)
    : context_(context), spec_(context.soc->scheduler), blocks_(*context.timeline, context.cores, context.soc->scheduler.per_block_latency),
      streams_(static_cast<std::size_t>(context.soc->scheduler.max_streams)), channel_busy_(static_cast<std::size_t>(context.port->channels())) {
  MemoryClientSpec client;
  client.name = context.device->path + ".scheduler";
  // Its own port is no narrower than what L2 can give: 64-byte descriptors are bound by latency.
  client.read_rate_milli_bytes_per_ns = context.soc->memory.l2.read_bytes_per_s / kBytesPerSecondPerMilliByteNs;
  client.write_rate_milli_bytes_per_ns = context.soc->memory.l2.write_bytes_per_s / kBytesPerSecondPerMilliByteNs;
  client_ = context.memory->register_client(client);
  if (context.trace != nullptr) track_ = context.trace->add_track(context.device->path + ".scheduler", "task scheduler");
}

void TaskScheduler::span(const char* name, Picoseconds from, Picoseconds to, std::uint64_t task) {
  if (context_.trace != nullptr) context_.trace->span({track_, from, to, name, task, 0});
}

void TaskScheduler::doorbell(int queue) {
  activate(queue);
  try_fetch(queue);
}

void TaskScheduler::completion_room(int queue) {
  post(queue);
  dispatch();
}

void TaskScheduler::activate(int queue) {
  Stream& stream = streams_.at(static_cast<std::size_t>(queue));
  if (stream.active || stream.waiting_for_slot) return;
  if (active_ == spec_.active_queues) {
    stream.waiting_for_slot = true;
    return slot_waiters_.push_back(queue);
  }
  stream.active = true;
  ++active_;
}

void TaskScheduler::retire(int queue) {
  Stream& stream = streams_[static_cast<std::size_t>(queue)];
  const bool work = stream.fetching || stream.running || stream.next || !stream.entries.empty() || stream.head != context_.port->queue(queue).sq_tail;
  if (work || !stream.active) return;
  stream.active = false;
  --active_;
  if (slot_waiters_.empty()) return;
  const int next = slot_waiters_.front();
  slot_waiters_.pop_front();
  streams_[static_cast<std::size_t>(next)].waiting_for_slot = false;
  activate(next);
  try_fetch(next);
}

void TaskScheduler::try_fetch(int queue) {
  Stream& stream = streams_[static_cast<std::size_t>(queue)];
  if (!stream.active || stream.fetching || stream.next || stream.head == context_.port->queue(queue).sq_tail) return;
  stream.fetching = true;
  context_.timeline->after(spec_.fetch_latency, [this, queue] { request_descriptor(queue); });
}

void TaskScheduler::request_descriptor(int queue) {
  const QueueSetup setup = context_.port->queue(queue);
  TransferRequest request;
  request.client = client_;
  request.address = setup.sq_base + static_cast<std::uint64_t>(streams_[static_cast<std::size_t>(queue)].head) * kTaskDescriptorBytes;
  request.row_bytes = request.row_pitch = kTaskDescriptorBytes;
  fetches_[context_.memory->request(request, *this)] = queue;
}

void TaskScheduler::transfer_resolved(RequestId request, const TransferResult& result) {
  const auto found = fetches_.find(request);
  if (found == fetches_.end()) throw InternalError("the task scheduler has not asked for this");
  const int queue = found->second;
  fetches_.erase(found);
  const MemoryStatus status = result.status;
  context_.timeline->at(std::max(result.visible_time, context_.timeline->now()), [this, queue, status] { descriptor_read(queue, status); });
}

void TaskScheduler::descriptor_read(int queue, MemoryStatus status) {
  Stream& stream = streams_[static_cast<std::size_t>(queue)];
  const QueueSetup setup = context_.port->queue(queue);
  Fetched fetched;
  fetched.time = context_.timeline->now();
  if (status == MemoryStatus::ok) {
    DescriptorBytes bytes{};
    context_.memory->bytes().read(setup.sq_base + static_cast<std::uint64_t>(stream.head) * kTaskDescriptorBytes, bytes.data(), kTaskDescriptorBytes);
    fetched.descriptor = decode_descriptor(bytes);
  }
  QueueRing ring{setup.sq_depth, stream.head, setup.sq_tail};
  stream.head = ring.after(stream.head);
  context_.port->set_queue_head(queue, stream.head);
  stream.fetching = false;
  if (fetched.descriptor && context_.ledger != nullptr) {
    if (TaskRecord* record = context_.ledger->find(fetched.descriptor->task)) record->fetched = fetched.time;
  }
  stream.next = std::move(fetched);
  fetched_.insert(queue);
  dispatch();
}

bool TaskScheduler::ready(const Stream& stream) const {
  if (!stream.next || stream.running || !stream.entries.empty()) return false;
  const std::optional<TaskDescriptor>& task = stream.next->descriptor;
  if (!task || task->type != TaskType::event_wait) return true;
  const auto event = events_.find(task->event);
  return (event == events_.end() ? 0 : event->second) >= task->generation;
}

int TaskScheduler::next_ready() const {
  auto at = fetched_.upper_bound(turn_);
  for (std::size_t looked_at = 0; looked_at < fetched_.size(); ++looked_at, ++at) {
    if (at == fetched_.end()) at = fetched_.begin();
    if (ready(streams_[static_cast<std::size_t>(*at)])) return *at;
  }
  return -1;
}

void TaskScheduler::dispatch() {
  while (!dispatching_) {
    const int queue = next_ready();
    if (queue < 0) return;
    turn_ = queue;
    take(queue);
  }
}

void TaskScheduler::take(int queue) {
  Stream& stream = streams_[static_cast<std::size_t>(queue)];
  const Fetched fetched = std::move(*stream.next);
  stream.next.reset();
  fetched_.erase(queue);
  stream.running = true;
  try_fetch(queue);
  const Picoseconds now = context_.timeline->now();
  if (!fetched.descriptor) return end_task(queue, TaskDescriptor{}, RuntimeCode::task_type, "descriptor not understood", now);
  const TaskDescriptor task = *fetched.descriptor;
  const bool event = task.type == TaskType::event_record || task.type == TaskType::event_wait;
  if (TaskRecord* record = context_.ledger == nullptr ? nullptr : context_.ledger->find(task.task)) {
    record->ready = task.type == TaskType::event_wait ? now : std::max(fetched.time, stream.free_time);
    record->started = now;
  }
  if (event) return event_task(queue, task);
  dispatching_ = true;
  span("dispatch", now, now + spec_.dispatch_latency, task.task);
  context_.timeline->after(spec_.dispatch_latency, [this, queue, task] {
    dispatching_ = false;
    if (task.type == TaskType::kernel) start_kernel(queue, task);
    else start_copy(queue, task);
    dispatch();
  });
}

void TaskScheduler::event_task(int queue, const TaskDescriptor& task) {
  if (task.type == TaskType::event_record) {
    std::uint64_t& records = events_[task.event];
    records = std::max(records, task.generation);
  }
  end_task(queue, task, RuntimeCode::ok, "", context_.timeline->now());
}

void TaskScheduler::start_kernel(int queue, const TaskDescriptor& task) {
  KernelLaunch launch;
  launch.kernel = context_.kernels->find(task.code_address);
  if (launch.kernel == nullptr) return end_task(queue, task, RuntimeCode::aicore_exception, "no kernel at the code address", context_.timeline->now());
  launch.blocks = task.blocks;
  launch.arena_base = task.arena_base;
  launch.task = task.task;
  launch.done = [this, queue, task](const KernelOutcome& outcome) {
    TaskRecord* record = context_.ledger == nullptr ? nullptr : context_.ledger->find(task.task);
    if (record != nullptr) record->started = outcome.started;
    end_task(queue, task, outcome.code, outcome.error, outcome.ended);
    dispatch();
  };
  blocks_.launch(std::move(launch));
}

void TaskScheduler::start_copy(int queue, const TaskDescriptor& task) {
  copies_.push_back({queue, task});
  run_copies();
}

void TaskScheduler::run_copies() {
  while (!copies_.empty()) {
    const auto free = std::find(channel_busy_.begin(), channel_busy_.end(), false);
    if (free == channel_busy_.end()) return;
    *free = true;
    const int channel = static_cast<int>(free - channel_busy_.begin());
    const Copy copy = copies_.front();
    copies_.pop_front();
    const TaskDescriptor& task = copy.task;
    if (TaskRecord* record = context_.ledger == nullptr ? nullptr : context_.ledger->find(task.task)) record->started = context_.timeline->now();
    const CopyJob job{task.to_host, task.host_address, task.device_address, task.bytes, task.task};
    context_.port->copy(channel, job, [this, channel, copy](CopyStatus status) { copy_done(channel, copy, status); });
  }
}

void TaskScheduler::copy_done(int channel, const Copy& copy, CopyStatus status) {
  channel_busy_[static_cast<std::size_t>(channel)] = false;
  end_task(copy.queue, copy.task, code_of(status), status == CopyStatus::ok ? "" : "copy failed", context_.timeline->now());
  run_copies();
  dispatch();
}

void TaskScheduler::end_task(int queue, const TaskDescriptor& task, RuntimeCode code, const std::string& error, Picoseconds ended) {
  Stream& stream = streams_[static_cast<std::size_t>(queue)];
  stream.running = false;
  stream.free_time = context_.timeline->now();
  ++completed_;
  if (code != RuntimeCode::ok) report_error(code);
  if (TaskRecord* record = context_.ledger == nullptr ? nullptr : context_.ledger->find(task.task)) {
    record->ended = ended;
    record->status = static_cast<int>(code);
  }
  if (!error.empty() && context_.ledger != nullptr) context_.ledger->note_error(task.task, error);
  CompletionEntry entry;
  entry.queue = static_cast<std::uint16_t>(queue);
  entry.sequence = task.sequence;
  entry.code = static_cast<std::uint32_t>(code);
  entry.type = task.type;
  const std::uint64_t tag = task.task;
  span("complete", stream.free_time, stream.free_time + spec_.completion_latency, tag);
  context_.timeline->after(spec_.completion_latency, [this, queue, entry, tag] {
    streams_[static_cast<std::size_t>(queue)].entries.push_back(entry);
    streams_[static_cast<std::size_t>(queue)].entry_tasks.push_back(tag);
    post(queue);
    retire(queue);
  });
}

void TaskScheduler::post(int queue) {
  Stream& stream = streams_[static_cast<std::size_t>(queue)];
  while (!stream.entries.empty()) {
    CompletionEntry entry = stream.entries.front();
    entry.head = static_cast<std::uint16_t>(stream.head);
    const std::uint64_t tag = stream.entry_tasks.front();
    const bool posted = context_.port->post_completion(queue, entry, [this, tag] {
      TaskRecord* record = context_.ledger == nullptr ? nullptr : context_.ledger->find(tag);
      if (record != nullptr) record->completed = context_.timeline->now();
    });
    if (!posted) return;
    stream.entries.pop_front();
    stream.entry_tasks.pop_front();
  }
}

void TaskScheduler::report_error(RuntimeCode code) {
  context_.port->write_register(registers::kErrorCode, static_cast<std::uint32_t>(code));
  context_.port->write_register(registers::kErrorCount, ++errors_);
}

std::string TaskScheduler::outstanding() const {
  std::string text;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = streams_[i];
    const std::string name = context_.device->path + " stream " + std::to_string(i) + ": ";
    if (stream.next && stream.next->descriptor && !stream.running) {
      const TaskDescriptor& task = *stream.next->descriptor;
      text += name + name_of(task.type) + (task.type == TaskType::event_wait ? " waits for event " + std::to_string(task.event) : " waits to be dispatched") + "\n";
    }
    if (!stream.entries.empty()) text += name + "completion queue full\n";
    if (stream.waiting_for_slot) text += name + "waits for a place among the active queues\n";
  }
  return text + blocks_.outstanding();
}

}  // namespace npulab::firmware::device
