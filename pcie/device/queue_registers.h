// SPDX-License-Identifier: Apache-2.0
// The register blocks of a device's submission and completion queues: bases, depths, doorbells. A submission queue lies in
// device memory, a completion queue in host memory. Indices outside a queue and doorbells of a disabled one are ignored.
#pragma once

#include <cstdint>
#include <vector>

#include "model/task/queue_ring.h"

namespace npulab::pcie {

class QueueRegisters {
 public:
  struct Queue {
    bool enabled = false;
    std::uint64_t sq_base = 0, cq_base = 0;
    QueueRing sq, cq;
    bool phase = true;         // of the next completion entry
    std::uint32_t vector = 0;
    bool wanted_room = false;  // a completion has found the queue full
  };
  enum class Effect { none, doorbell, completion_room };

  explicit QueueRegisters(int queues) : queues_(static_cast<std::size_t>(queues)) {}

  /// `offset` counts from the first queue's block.
  std::uint32_t read(std::uint32_t offset) const;
  /// Returns what the device has to hear of.
  Effect write(std::uint32_t offset, std::uint32_t value);

  int count() const { return static_cast<int>(queues_.size()); }
  Queue& queue(int index) { return queues_.at(static_cast<std::size_t>(index)); }
  const Queue& queue(int index) const { return queues_.at(static_cast<std::size_t>(index)); }

 private:
  static void enable(Queue& queue, bool on);
  Effect ring(Queue& queue, std::uint32_t field, std::uint32_t value);

  std::vector<Queue> queues_;
};

}  // namespace npulab::pcie
