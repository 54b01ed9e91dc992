// SPDX-License-Identifier: Apache-2.0
// Cross-core flags inside one group (rule 7): counters of every core, and who must set before whom a flag is delivered.
#pragma once

#include <systemc>
#include <array>
#include <deque>
#include <vector>

#include "cores/process/group_control.h"
#include "model/spec/soc_spec.h"

namespace npulab::cores {

class CrossFlagBoard {
 public:
  static constexpr int kMaxCores = 3;   // cube, vector 0, vector 1
  static constexpr int kMaxFlags = 16;

  CrossFlagBoard(const GroupControl& control, const CrossFlagSpec& spec) : control_(control), spec_(spec) {}

  /// Begins a block: which cores take part, and which of them is the cube core (-1: none).
  void begin(const std::vector<bool>& takes_part, int cube);
  /// Core `core` sets `flag` in mode 1 or 2 with effect at cycle `effect` (now). False: a counter overran.
  bool set(int core, int mode, int flag, Cycles effect);
  /// One more count of `flag` for core `core`, usable from `usable_from`. False: the counter overran.
  bool deliver(int core, int flag, Cycles usable_from);
  /// The calling SC_THREAD waits from cycle `from` for a count of core `core`'s flag, takes it and returns that cycle.
  Cycles wait(int core, int flag, Cycles from);

 private:
  /// Senders of one kind of flag: mode 1, mode 2 from the cube, mode 2 from the vectors.
  struct Round {
    std::array<std::int64_t, kMaxCores> sets{};
    std::int64_t delivered = 0;
  };

  const GroupControl& control_;
  const CrossFlagSpec& spec_;
  std::vector<bool> takes_part_;
  int cube_ = -1;
  std::array<std::array<Round, kMaxFlags>, 3> rounds_;
  std::array<std::array<std::deque<Cycles>, kMaxFlags>, kMaxCores> counts_;
  sc_core::sc_event delivered_;
};

}  // namespace npulab::cores
