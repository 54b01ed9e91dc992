// SPDX-License-Identifier: Apache-2.0
// What all processes of one group share: the clock, waiting on it, and being stopped in the middle of a block.
#pragma once

#include <systemc>
#include <string>

#include "model/base/clock_domain.h"
#include "model/contract/compute_core.h"

namespace npulab::cores {

/// Thrown out of a wait when the block is over for this process.
struct BlockStopped {};

class GroupControl {
 public:
  explicit GroupControl(std::int64_t frequency_khz) : clock_(frequency_khz) {}

  const ClockDomain& clock() const { return clock_; }
  static Picoseconds now() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()) / ticks_per_ps(); }
  /// First cycle whose edge is not before now.
  Cycles cycle() const { return clock_.cycle_at_or_after(now()); }
  /// The last edge that has come.
  Cycles last_edge() const { return clock_.cycle_after(now()) - 1; }

  /// Throws BlockStopped when this block has been stopped.
  void check() const {
    if (stopped_) throw BlockStopped{};
  }
  /// Waits in the calling SC_THREAD for the edge of `cycle`; at once if it has passed.
  void wait_until(Cycles cycle) const;
  /// Waits for `event` or the edge of `deadline`, whichever is first.
  void wait_until(Cycles deadline, const sc_core::sc_event& event) const;
  void wait_for(const sc_core::sc_event& event) const;

  void start() { stopped_ = false; }
  void stop() {
    stopped_ = true;
    stop_event_.notify();
  }
  bool stopped() const { return stopped_; }

  static std::uint64_t ticks_per_ps();

 private:
  ClockDomain clock_;
  bool stopped_ = false;
  sc_core::sc_event stop_event_;
};

}  // namespace npulab::cores
