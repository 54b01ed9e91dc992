// SPDX-License-Identifier: Apache-2.0
// The set/wait flags of one core (rules 5 and 6): one place per ordered pair of pipes and event.
#pragma once

#include <systemc>
#include <array>

#include "cores/process/group_control.h"
#include "model/isa/instruction.h"

namespace npulab::cores {

class FlagBoard {
 public:
  explicit FlagBoard(const GroupControl& control) : control_(control) {}

  /// False when the flag is still pending at `start`: an overrun.
  bool set(isa::Pipe source, isa::Pipe target, int event, Cycles start, Cycles seen_from);
  /// The calling SC_THREAD waits from cycle `from` until the flag can be seen, consumes it and returns that cycle.
  Cycles wait(isa::Pipe source, isa::Pipe target, int event, Cycles from);
  void clear();

 private:
  static constexpr int kEvents = 16;
  struct Flag {
    bool pending = false;
    Cycles seen_from = 0;
    Cycles consumed = -1;
  };
  Flag& flag(isa::Pipe source, isa::Pipe target, int event) {
    return flags_[(static_cast<int>(source) * isa::kPipeCount + static_cast<int>(target)) * kEvents + event];
  }

  const GroupControl& control_;
  std::array<Flag, isa::kPipeCount * isa::kPipeCount * kEvents> flags_;
  sc_core::sc_event set_;
};

}  // namespace npulab::cores
