// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/queue_registers.h"

#include "model/contract/device_registers.h"

namespace npulab::pcie {
namespace {

using namespace npulab::registers;

void set_low(std::uint64_t& word, std::uint32_t value) { word = (word & ~std::uint64_t{0xffffffff}) | value; }
void set_high(std::uint64_t& word, std::uint32_t value) { word = (word & 0xffffffff) | static_cast<std::uint64_t>(value) << 32; }

}  // namespace

std::uint32_t QueueRegisters::read(std::uint32_t offset) const {
  const std::size_t index = offset / kQueueStride;
  if (index >= queues_.size()) return 0;
  const Queue& queue = queues_[index];
  switch (offset % kQueueStride) {
    case kSqTail: return queue.sq.tail;
    case kSqHead: return queue.sq.head;
    case kSqBaseLow: return static_cast<std::uint32_t>(queue.sq_base);
    case kSqBaseHigh: return static_cast<std::uint32_t>(queue.sq_base >> 32);
    case kSqDepth: return queue.sq.depth;
    case kCqBaseLow: return static_cast<std::uint32_t>(queue.cq_base);
    case kCqBaseHigh: return static_cast<std::uint32_t>(queue.cq_base >> 32);
    case kCqDepth: return queue.cq.depth;
    case kCqHead: return queue.cq.head;
    case kVector: return queue.vector;
    case kControl: return queue.enabled ? 1 : 0;
    default: return 0;
  }
}

void QueueRegisters::enable(Queue& queue, bool on) {
  queue.enabled = on && queue.sq.depth > 1 && queue.cq.depth > 1;
  queue.sq.head = queue.sq.tail = queue.cq.head = queue.cq.tail = 0;
  queue.phase = true;
  queue.wanted_room = false;
}

QueueRegisters::Effect QueueRegisters::ring(Queue& queue, std::uint32_t field, std::uint32_t value) {
  if (!queue.enabled) return Effect::none;
  if (field == kSqTail) {
    if (value >= queue.sq.depth || value == queue.sq.tail) return Effect::none;
    queue.sq.tail = value;
    return Effect::doorbell;
  }
  if (value >= queue.cq.depth) return Effect::none;
  queue.cq.head = value;
  if (!queue.wanted_room || queue.cq.full()) return Effect::none;
  queue.wanted_room = false;
  return Effect::completion_room;
}

QueueRegisters::Effect QueueRegisters::write(std::uint32_t offset, std::uint32_t value) {
  const std::size_t index = offset / kQueueStride;
  if (index >= queues_.size()) return Effect::none;
  Queue& queue = queues_[index];
  const std::uint32_t field = offset % kQueueStride;
  switch (field) {
    case kSqTail: case kCqHead: return ring(queue, field, value);
    case kSqBaseLow: set_low(queue.sq_base, value); break;
    case kSqBaseHigh: set_high(queue.sq_base, value); break;
    case kSqDepth: queue.sq.depth = value; break;
    case kCqBaseLow: set_low(queue.cq_base, value); break;
    case kCqBaseHigh: set_high(queue.cq_base, value); break;
    case kCqDepth: queue.cq.depth = value; break;
    case kVector: queue.vector = value; break;
    case kControl: enable(queue, (value & 1) != 0); break;
    default: break;
  }
  return Effect::none;
}

}  // namespace npulab::pcie
