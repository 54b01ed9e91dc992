// SPDX-License-Identifier: Apache-2.0
// Cross-core flags between core groups (mode 0: all cube cores, or all vector cores, of a task). Flags within one group
// never come here. Deliveries arrive as kernel events a fixed latency (above zero) after the last participant's set.
#pragma once

#include <cstdint>

#include "model/base/units.h"

namespace npulab {

enum class CrossFlagSide : std::uint8_t { cube, vector };

class CrossFlagListener {
 public:
  virtual ~CrossFlagListener() = default;
  /// Kernel time now: every core of `side` in this group counts flag `flag` up by one; usable from the first clock edge
  /// strictly after now.
  virtual void cross_flag_arrived(CrossFlagSide side, int flag) = 0;
};

class CrossFlagFabric {
 public:
  virtual ~CrossFlagFabric() = default;
  /// A group takes part in `task` with so many cores a side. The flag completes when all `task_groups` groups have joined and
  /// every core of the side has set it once more than it has completed.
  virtual void join(std::uint64_t task, std::uint32_t task_groups, int cube_cores, int vector_cores,
                    CrossFlagListener& listener) = 0;
  virtual void leave(std::uint64_t task, CrossFlagListener& listener) = 0;
  /// One core of `side` sets `flag` at kernel time now.
  virtual void set(std::uint64_t task, CrossFlagSide side, int flag) = 0;
  /// No delivery, under way or yet to be caused, can come before this time.
  virtual Picoseconds earliest_delivery(Picoseconds now) const = 0;
};

}  // namespace npulab
