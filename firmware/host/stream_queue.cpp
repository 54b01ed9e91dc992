// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/stream_queue.h"

#include "model/contract/device_registers.h"

namespace npulab::firmware::host {
namespace {

using namespace npulab::registers;

}  // namespace

StreamQueue::StreamQueue(Driver& driver, const DeviceEntry& device, int index, int vector, std::uint64_t sq_base, std::uint64_t cq_base)
    : driver_(driver), registers_(device.io + queue_register(static_cast<std::uint32_t>(index), 0)), slots_(device.window + sq_base),
      entries_(cq_base), index_(index), vector_(vector) {
  sq_.depth = cq_.depth = static_cast<std::uint32_t>(device.queue_depth);
  HostAccess& access = driver.access();
  access.mmio_write(registers_ + kSqBaseLow, static_cast<std::uint32_t>(sq_base));
  access.mmio_write(registers_ + kSqBaseHigh, static_cast<std::uint32_t>(sq_base >> 32));
  access.mmio_write(registers_ + kSqDepth, sq_.depth);
  access.mmio_write(registers_ + kCqBaseLow, static_cast<std::uint32_t>(cq_base));
  access.mmio_write(registers_ + kCqBaseHigh, static_cast<std::uint32_t>(cq_base >> 32));
  access.mmio_write(registers_ + kCqDepth, cq_.depth);
  access.mmio_write(registers_ + kVector, static_cast<std::uint32_t>(vector));
  access.mmio_write(registers_ + kControl, 1);
}

std::uint32_t StreamQueue::submit(TaskDescriptor descriptor) {
  descriptor.stream = static_cast<std::uint16_t>(index_);
  descriptor.sequence = next_sequence_++;
  const DescriptorBytes bytes = encode(descriptor);
  driver_.access().link().mmio_write(slots_ + static_cast<std::uint64_t>(sq_.tail) * kTaskDescriptorBytes, {bytes.begin(), bytes.end()});
  sq_.tail = sq_.after(sq_.tail);
  pending_.push_back({descriptor.task, descriptor.sequence});
  driver_.access().mmio_write(registers_ + kSqTail, sq_.tail);
  return descriptor.sequence;
}

int StreamQueue::collect(TaskLedger& ledger) {
  int taken = 0;
  while (true) {
    EntryBytes bytes{};
    driver_.access().link().memory().read(entries_ + static_cast<std::uint64_t>(cq_.index) * kCompletionEntryBytes, bytes.data(), kCompletionEntryBytes);
    const CompletionEntry entry = decode_entry(bytes);
    if (entry.phase != cq_.phase || pending_.empty()) break;
    cq_.advance();
    ++taken;
    retire(entry, ledger);
  }
  if (taken > 0) driver_.access().mmio_write(registers_ + kCqHead, cq_.index);
  return taken;
}

void StreamQueue::retire(const CompletionEntry& entry, TaskLedger& ledger) {
  const Pending task = pending_.front();
  pending_.pop_front();
  sq_.head = entry.head;
  RuntimeCode code = static_cast<RuntimeCode>(entry.code);
  // A descriptor that was not understood has no sequence number to give back.
  const bool ours = entry.queue == index_ && (entry.sequence == task.sequence || code == RuntimeCode::task_type);
  if (!ours) code = RuntimeCode::driver_internal;
  if (code != RuntimeCode::ok && failure_.code == RuntimeCode::ok) failure_ = {code, task.task, ledger.error_of(task.task)};
  if (TaskRecord* record = ledger.find(task.task)) {
    record->retired = driver_.access().thread().now();
    record->status = static_cast<int>(code);
  }
  ledger.close(task.task);
}

StreamQueue::Failure StreamQueue::take_failure() {
  const Failure failure = failure_;
  failure_ = {};
  return failure;
}

}  // namespace npulab::firmware::host
