// SPDX-License-Identifier: Apache-2.0
// Index arithmetic of a queue of fixed depth, as both ends of it keep it. One entry stays free, so that full and empty differ.
#pragma once

#include <cstdint>

namespace npulab {

struct QueueRing {
  std::uint32_t depth = 0;
  std::uint32_t head = 0;  // next entry to take
  std::uint32_t tail = 0;  // next entry to fill

  bool empty() const { return head == tail; }
  bool full() const { return depth == 0 || after(tail) == head; }
  std::uint32_t used() const { return depth == 0 ? 0 : (tail + depth - head) % depth; }
  std::uint32_t after(std::uint32_t index) const { return index + 1 == depth ? 0 : index + 1; }
};

/// The consumer's view of a queue whose producer marks fresh entries by a phase bit that flips each time round.
struct PhaseCursor {
  std::uint32_t depth = 0;
  std::uint32_t index = 0;
  bool phase = true;  // memory starts as zeros, so the first round is marked with ones

  void advance() {
    if (++index == depth) {
      index = 0;
      phase = !phase;
    }
  }
};

}  // namespace npulab
