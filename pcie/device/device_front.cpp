// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/device_front.h"

#include <utility>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

using namespace npulab::registers;

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t get(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i) value |= static_cast<std::uint32_t>(bytes[at + i]) << (8 * i);
  return value;
}

}  // namespace

DeviceFront::DeviceFront(Timeline& timeline, Endpoint& endpoint, MemorySystem& memory, const SocSpec& soc, const std::string& path,
                         TraceSink* trace, bool functional)
    : endpoint_(endpoint), path_(path), msix_(soc.endpoint.msix_vectors), queues_(soc.scheduler.max_streams),
      window_(timeline, memory, soc.endpoint, path), dma_(timeline, endpoint, memory, soc.endpoint, path, trace, functional) {
  endpoint.serve(*this);
}

void DeviceFront::write_register(std::uint32_t offset, std::uint32_t value) {
  if (offset % 4 != 0 || offset >= kStatusBytes) throw InternalError(path_ + ": no register at " + std::to_string(offset));
  status_[offset / 4] = value;
}

std::uint32_t DeviceFront::read_register(std::uint32_t offset) const {
  if (offset < kStatusBytes) return status_[offset / 4];
  if (offset >= kMsixTable && offset < kMsixPending) return msix_.read(offset - kMsixTable);
  if (offset >= kMsixPending && offset < kQueues) return msix_.read_pending(offset - kMsixPending);
  return offset >= kQueues ? queues_.read(offset - kQueues) : 0;
}

QueueSetup DeviceFront::queue(int index) const {
  const QueueRegisters::Queue& queue = queues_.queue(index);
  return {queue.enabled, queue.sq_base, queue.sq.depth, queue.sq.tail};
}

void DeviceFront::register_written(std::uint32_t offset, std::uint32_t value) {
  if (offset >= kMsixTable && offset < kMsixPending) {
    msix_.write(offset - kMsixTable, value);
    return fire_pending();
  }
  if (offset < kQueues) return;  // status registers belong to firmware, pending bits to hardware
  const int queue = static_cast<int>((offset - kQueues) / kQueueStride);
  const QueueRegisters::Effect effect = queues_.write(offset - kQueues, value);
  if (listener_ == nullptr) return;
  if (effect == QueueRegisters::Effect::doorbell) listener_->doorbell(queue);
  if (effect == QueueRegisters::Effect::completion_room) listener_->completion_room(queue);
}

void DeviceFront::bar_write(const std::string& role, std::uint64_t offset, const std::vector<std::uint8_t>& bytes, std::function<void()> done) {
  if (role == "memory") return window_.write(offset, bytes, std::move(done));
  if (role == "io") {
    for (std::size_t at = 0; at < bytes.size(); at += 4) register_written(static_cast<std::uint32_t>(offset + at), get(bytes, at));
  }
  done();
}

void DeviceFront::bar_read(const std::string& role, std::uint64_t offset, Bytes bytes, std::function<void(std::vector<std::uint8_t>)> done) {
  if (role == "memory") return window_.read(offset, bytes, std::move(done));
  std::vector<std::uint8_t> out(static_cast<std::size_t>(bytes));
  if (role == "io") {
    for (std::size_t at = 0; at < out.size(); at += 4) put(out, at, read_register(static_cast<std::uint32_t>(offset + at)));
  }
  done(std::move(out));
}

bool DeviceFront::post_completion(int index, const CompletionEntry& entry, std::function<void()> delivered) {
  QueueRegisters::Queue& queue = queues_.queue(index);
  if (!queue.enabled || queue.cq.full()) {
    queue.wanted_room = true;
    return false;
  }
  CompletionEntry marked = entry;
  marked.phase = queue.phase;
  const EntryBytes bytes = encode(marked);
  const std::uint64_t address = queue.cq_base + static_cast<std::uint64_t>(queue.cq.tail) * kCompletionEntryBytes;
  auto data = std::make_shared<const std::vector<std::uint8_t>>(bytes.begin(), bytes.end());
  endpoint_.write(address, kCompletionEntryBytes, std::move(data), nullptr, std::move(delivered));
  queue.cq.tail = queue.cq.after(queue.cq.tail);
  if (queue.cq.tail == 0) queue.phase = !queue.phase;
  interrupt(static_cast<int>(queue.vector));
  return true;
}

void DeviceFront::interrupt(int vector) {
  if (vector < 0 || vector >= msix_.vectors() || !endpoint_.config().msix_enabled()) return;
  const MsixTable::Entry& entry = msix_.entry(vector);
  if (entry.masked || endpoint_.config().msix_masked()) return msix_.set_pending(vector, true);
  std::vector<std::uint8_t> message(4);
  put(message, 0, entry.data);
  endpoint_.write(entry.address, 4, std::make_shared<const std::vector<std::uint8_t>>(std::move(message)), nullptr, nullptr);
}

void DeviceFront::fire_pending() {
  if (!endpoint_.config().msix_enabled() || endpoint_.config().msix_masked()) return;
  for (int vector = 0; vector < msix_.vectors(); ++vector) {
    if (!msix_.pending(vector) || msix_.entry(vector).masked) continue;
    msix_.set_pending(vector, false);
    interrupt(vector);
  }
}

std::string DeviceFront::outstanding() const { return endpoint_.outstanding() + dma_.outstanding(); }

}  // namespace npulab::pcie
