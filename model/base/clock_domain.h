// SPDX-License-Identifier: Apache-2.0
// A clock whose period need not be a whole number of picoseconds (1850 MHz is 540.54 ps). Conversion is exact rational
// arithmetic from an anchor; changing the frequency re-anchors at an edge.
#pragma once

#include "model/base/units.h"

namespace npulab {

class ClockDomain {
 public:
  explicit ClockDomain(std::int64_t frequency_khz, Picoseconds anchor_time = 0, Cycles anchor_cycle = 0);

  /// First picosecond not before edge number `cycle`.
  Picoseconds edge(Cycles cycle) const;
  /// Number of the first edge at or after `time`.
  Cycles cycle_at_or_after(Picoseconds time) const;
  /// Number of the first edge strictly after `time`.
  Cycles cycle_after(Picoseconds time) const { return cycle_at_or_after(time + 1); }
  /// From the first edge at or after `time` on, the clock runs at `frequency_khz`.
  void change_frequency(std::int64_t frequency_khz, Picoseconds time);

  std::int64_t frequency_khz() const { return frequency_khz_; }

 private:
  std::int64_t frequency_khz_;
  Picoseconds anchor_time_;
  Cycles anchor_cycle_;
};

}  // namespace npulab
