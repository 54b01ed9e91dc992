// SPDX-License-Identifier: Apache-2.0
// The edges on which requests are settled. Remembers the period it was last asked about, so that the many requests of one
// period cost no division.
#pragma once

#include "model/base/clock_domain.h"

namespace npulab::memory {

struct MemoryEdge {
  Cycles number = 0;
  Picoseconds time = 0;
};

class MemoryClock {
 public:
  explicit MemoryClock(std::int64_t clock_khz) : domain_(clock_khz) { look_up(0); }

  /// The first edge strictly after `time`.
  MemoryEdge after(Picoseconds time) {
    if (time < before_.time || time >= after_.time) look_up(time);
    return after_;
  }
  /// First edge strictly after `time`, without touching what is remembered.
  Picoseconds edge_after(Picoseconds time) const {
    if (time >= before_.time && time < after_.time) return after_.time;
    return domain_.edge(domain_.cycle_after(time));
  }

 private:
  void look_up(Picoseconds time) {
    const Cycles next = domain_.cycle_after(time);
    after_ = {next, domain_.edge(next)};
    before_ = {next - 1, domain_.edge(next - 1)};
  }

  ClockDomain domain_;
  MemoryEdge before_;
  MemoryEdge after_;
};

}  // namespace npulab::memory
