// SPDX-License-Identifier: Apache-2.0
// The ports of one core's buffers (rule 8): who uses them, how fast everyone moves, and when that changes. Users tell it
// when they come and go; it tells them when to look again.
#pragma once

#include <systemc>
#include <array>

#include "cores/process/group_control.h"
#include "model/timing/instruction_cost.h"

namespace npulab::cores {

class PortBoard : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(PortBoard);
  PortBoard(sc_core::sc_module_name name, const GroupControl& control, const CoreSpec& spec);

  /// The calling SC_THREAD executes `cost` on `pipe` from cycle `start` (now) and returns the cycle of its end.
  Cycles execute(isa::Pipe pipe, const timing::InstructionCost& cost, Cycles start);
  /// A GM move becomes (or ceases to be) a user at cycle `cycle` (now); it is not slowed itself.
  void enter(isa::Pipe pipe, const timing::InstructionCost& cost, Cycles cycle);
  void leave(isa::Pipe pipe, Cycles cycle);
  void clear();

 private:
  struct User {
    const timing::InstructionCost* cost = nullptr;
    std::int64_t remaining = 0;  // 1/256 cycles
    std::int64_t speed = 0;
    Cycles settled = 0;          // remaining is right at this cycle
  };

  void account(Cycles cycle);
  void settle();
  std::int64_t speed_of(const User& user) const;

  const GroupControl& control_;
  const CoreSpec& spec_;
  std::array<User, isa::kPipeCount> users_;
  sc_core::sc_event changed_;  // the set of users has changed in this cycle
  sc_core::sc_event settled_;  // speeds are right again
};

}  // namespace npulab::cores
