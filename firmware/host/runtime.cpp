// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/runtime.h"

#include <algorithm>

namespace npulab::firmware::host {
namespace {

// Interrupt vectors of the task scheduler on the public parts: 80 to 119 of 128.
constexpr int kFirstVector = 80, kVectors = 40;
// Queues may take this part of a small device's memory.
constexpr Bytes kQueueShare = 16;

}  // namespace

Runtime::Runtime(Driver& driver, int logical, int device_index, TaskLedger& ledger, TraceSink* trace)
    : driver_(driver), device_(driver.logical(logical)), device_index_(device_index), ledger_(ledger), trace_(trace),
      queue_end_(static_cast<std::uint64_t>(std::min(device_.window_bytes, device_.memory_bytes / kQueueShare))),
      queue_memory_(0, queue_end_), memory_(queue_end_, static_cast<std::uint64_t>(device_.memory_bytes)),
      connected_(static_cast<std::size_t>(device_.vectors)) {
  if (trace_ != nullptr) track_ = trace_->add_track("board.host.runtime" + std::to_string(logical), "host");
}

void Runtime::spend(const char* name, Picoseconds duration) {
  const Picoseconds begin = driver_.access().thread().now();
  driver_.access().thread().spend(duration);
  if (trace_ != nullptr) trace_->span({track_, begin, driver_.access().thread().now(), name, 0, 0});
}

bool Runtime::in_memory(std::uint64_t address, Bytes bytes) const {
  const std::uint64_t memory = static_cast<std::uint64_t>(device_.memory_bytes);
  return bytes > 0 && address < memory && static_cast<std::uint64_t>(bytes) <= memory - address;
}

RuntimeCode Runtime::allocate(Bytes bytes, std::uint64_t& address) {
  spend("malloc", driver_.host().driver_call);
  if (bytes <= 0) return RuntimeCode::parameter;
  const auto found = memory_.allocate(bytes);
  if (!found) return RuntimeCode::memory_allocation;
  address = *found;
  return RuntimeCode::ok;
}

RuntimeCode Runtime::release(std::uint64_t address) {
  spend("free", driver_.host().driver_call);
  return memory_.release(address) ? RuntimeCode::ok : RuntimeCode::memory_free;
}

std::uint64_t Runtime::allocate_host(Bytes bytes) {
  spend("malloc_host", driver_.host().driver_call);
  return host_memory().allocate(bytes);
}

int Runtime::vector_of(int stream) const {
  const int first = std::min(kFirstVector, device_.vectors / 2);
  return first + stream % std::min(kVectors, device_.vectors - first);
}

RuntimeCode Runtime::create_stream(int& stream) {
  spend("create_stream", driver_.host().driver_call);
  const int index = static_cast<int>(streams_.size());
  if (index >= device_.max_streams) return RuntimeCode::no_stream;
  const auto sq = queue_memory_.allocate(device_.queue_depth * kTaskDescriptorBytes);
  if (!sq) return RuntimeCode::no_stream;
  const std::uint64_t cq = host_memory().allocate(device_.queue_depth * kCompletionEntryBytes);
  const int vector = vector_of(index);
  if (!connected_[static_cast<std::size_t>(vector)]) {
    connected_[static_cast<std::size_t>(vector)] = true;
    driver_.connect(device_.logical, vector, [this, vector] { interrupted(vector); });
  }
  streams_.push_back(std::make_unique<StreamQueue>(driver_, device_, index, vector, *sq, cq));
  stream = index;
  return RuntimeCode::ok;
}

RuntimeCode Runtime::create_event(int& event) {
  spend("create_event", driver_.host().driver_call);
  event = static_cast<int>(event_records_.size());
  event_records_.push_back(0);
  return RuntimeCode::ok;
}

void Runtime::interrupted(int vector) {
  int taken = 0;
  for (const auto& stream : streams_) {
    if (stream->vector() == vector) taken += stream->collect(ledger_);
  }
  if (taken > 0) driver_.access().thread().wake();
}

RuntimeCode Runtime::submit(int index, TaskDescriptor descriptor, const TaskLabel& label, const char* kind, std::uint64_t* task) {
  spend(kind, driver_.host().launch_call);
  StreamQueue& stream = *streams_[static_cast<std::size_t>(index)];
  HostThread& thread = driver_.access().thread();
  if (stream.full()) thread.wait_until([&stream] { return !stream.full(); });
  TaskRecord record;
  record.stream = index;
  record.device = device_index_;
  record.name = label.name;
  record.kind = kind;
  record.op_type = label.op_type;
  record.iteration = label.iteration;
  record.blocks = static_cast<int>(descriptor.blocks);
  record.submitted = thread.now();
  descriptor.task = ledger_.open(record);
  if (task != nullptr) *task = descriptor.task;
  stream.submit(descriptor);
  return RuntimeCode::ok;
}

RuntimeCode Runtime::launch_kernel(int stream, const KernelCall& call, const TaskLabel& label, std::uint64_t* task) {
  if (!known_stream(stream)) return RuntimeCode::stream_not_in_context;
  if (call.blocks == 0) return RuntimeCode::parameter;
  TaskDescriptor descriptor;
  descriptor.type = TaskType::kernel;
  descriptor.code_address = call.code_address;
  descriptor.arena_base = call.arena_base;
  descriptor.blocks = call.blocks;
  return submit(stream, descriptor, label, "kernel", task);
}

RuntimeCode Runtime::copy(int stream, bool to_host, std::uint64_t host_address, std::uint64_t device_address, Bytes bytes, const TaskLabel& label, std::uint64_t* task) {
  if (!known_stream(stream)) return RuntimeCode::stream_not_in_context;
  if (!in_memory(device_address, bytes)) return RuntimeCode::parameter;
  TaskDescriptor descriptor;
  descriptor.type = TaskType::pcie_copy;
  descriptor.to_host = to_host;
  descriptor.host_address = host_address;
  descriptor.device_address = device_address;
  descriptor.bytes = bytes;
  return submit(stream, descriptor, label, to_host ? "d2h" : "h2d", task);
}

RuntimeCode Runtime::copy_to_device(int stream, std::uint64_t device_address, std::uint64_t host_address, Bytes bytes, const TaskLabel& label, std::uint64_t* task) {
  return copy(stream, false, host_address, device_address, bytes, label, task);
}

RuntimeCode Runtime::copy_to_host(int stream, std::uint64_t host_address, std::uint64_t device_address, Bytes bytes, const TaskLabel& label, std::uint64_t* task) {
  return copy(stream, true, host_address, device_address, bytes, label, task);
}

RuntimeCode Runtime::record_event(int stream, int event, const TaskLabel& label) {
  if (!known_stream(stream)) return RuntimeCode::stream_not_in_context;
  if (event < 0 || event >= static_cast<int>(event_records_.size())) return RuntimeCode::parameter;
  TaskDescriptor descriptor;
  descriptor.type = TaskType::event_record;
  descriptor.event = static_cast<std::uint32_t>(event);
  descriptor.generation = ++event_records_[static_cast<std::size_t>(event)];
  return submit(stream, descriptor, label, "event_record", nullptr);
}

RuntimeCode Runtime::wait_event(int stream, int event, const TaskLabel& label) {
  if (!known_stream(stream)) return RuntimeCode::stream_not_in_context;
  if (event < 0 || event >= static_cast<int>(event_records_.size()) || event_records_[static_cast<std::size_t>(event)] == 0) return RuntimeCode::parameter;
  TaskDescriptor descriptor;
  descriptor.type = TaskType::event_wait;
  descriptor.event = static_cast<std::uint32_t>(event);
  descriptor.generation = event_records_[static_cast<std::size_t>(event)];
  return submit(stream, descriptor, label, "event_wait", nullptr);
}

RuntimeCode Runtime::synchronize(int index, Picoseconds timeout) {
  if (!known_stream(index)) return RuntimeCode::stream_not_in_context;
  spend("synchronize", driver_.host().driver_call);
  StreamQueue& stream = *streams_[static_cast<std::size_t>(index)];
  HostThread& thread = driver_.access().thread();
  const Picoseconds deadline = timeout == kNever ? kNever : thread.now() + timeout;
  if (!thread.wait_until([&stream] { return stream.idle(); }, deadline)) return RuntimeCode::stream_sync_timeout;
  const StreamQueue::Failure failure = stream.take_failure();
  if (failure.code != RuntimeCode::ok) error_text_ = failure.text;
  return failure.code;
}

RuntimeCode Runtime::synchronize_all(Picoseconds timeout) {
  RuntimeCode first = RuntimeCode::ok;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const RuntimeCode code = synchronize(static_cast<int>(i), timeout);
    if (first == RuntimeCode::ok) first = code;
  }
  return first;
}

std::string Runtime::outstanding() const {
  std::string text;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i]->idle()) continue;
    text += "host: device " + std::to_string(device_index_) + " stream " + std::to_string(i) + ": " + std::to_string(streams_[i]->pending()) + " tasks not completed\n";
  }
  return text;
}

}  // namespace npulab::firmware::host
