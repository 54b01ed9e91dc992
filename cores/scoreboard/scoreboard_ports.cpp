// SPDX-License-Identifier: Apache-2.0
// Rule 8: ports. Between two changes of the set of users everyone moves at a constant speed.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

/// The pipe's instruction begins (sign 1) or ceases (-1) to load its ports. True if that changes anybody's speed: if one of
/// them carries more than it can, with the instruction.
bool Scoreboard::load_ports(CoreState& core, const timing::InstructionCost& cost, int sign) {
  bool crowded = false;
  for (const timing::PortUse& use : cost.ports) {
    if (use.space == isa::Space::gm) break;  // uses stand in front
    std::int64_t& demand = core.demand[static_cast<int>(use.space)];
    const std::int64_t with = sign > 0 ? demand + use.milli_bytes_per_cycle : demand;
    crowded |= with > core.spec->buffers[static_cast<int>(use.space)].port_rate.milli_per_cycle;
    demand += sign * use.milli_bytes_per_cycle;
  }
  return crowded;
}

/// Would some port carry more than it can with this instruction?
bool Scoreboard::overloads(const CoreState& core, const timing::InstructionCost& cost) {
  for (const timing::PortUse& use : cost.ports) {
    if (use.space == isa::Space::gm) break;
    const int space = static_cast<int>(use.space);
    if (core.demand[space] + use.milli_bytes_per_cycle > core.spec->buffers[space].port_rate.milli_per_cycle) return true;
  }
  return false;
}

/// Until when nobody but `which` can begin or end anything: with nothing left to look at, the dispatcher waiting for others and
/// the next event known. Not beyond now if that cannot be said, as with flags of other groups, which come at any time.
Cycles Scoreboard::quiet_until(const CoreState& core, isa::Pipe which) const {
  if (dirty_ != 0 || dispatching_ || horizon_changed_ || inter_group_flags_ || (core.wakers >> static_cast<int>(which) & 1) != 0) return time_;
  return std::min({limit_, next_slot_time(), next_set_time()});
}

void Scoreboard::join_ports(CoreState& core, int index, isa::Pipe which, Cycles cycle) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.port_user = true;
  if (!load_ports(core, *pipe.cost, 1)) {
    pipe.speed = timing::kFullSpeed;
    if (pipe.phase == Phase::executing) set_next(index, which, cycle + pipe.cost->work_cycles);
    return;
  }
  settle_ports(core, cycle);
  set_speeds(core, index, cycle);
}

void Scoreboard::leave_ports(CoreState& core, int index, isa::Pipe which, Cycles cycle) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.port_user = false;
  if (!load_ports(core, *pipe.cost, -1)) return;
  settle_ports(core, cycle);
  set_speeds(core, index, cycle);
}

void Scoreboard::settle_ports(CoreState& core, Cycles cycle) {
  for (PipeState& pipe : core.pipes) {
    if (pipe.phase != Phase::executing || !pipe.port_user) continue;
    pipe.remaining -= pipe.speed * (cycle - pipe.settled);
    pipe.settled = cycle;
  }
}

void Scoreboard::set_speeds(CoreState& core, int index, Cycles cycle) {
  for (int which = 1; which < isa::kPipeCount; ++which) {
    PipeState& pipe = core.pipes[which];
    if (pipe.phase != Phase::executing || !pipe.port_user) continue;
    std::int64_t speed = timing::kFullSpeed;
    for (const timing::PortUse& use : pipe.cost->ports) {
      if (use.space == isa::Space::gm) break;
      const int space = static_cast<int>(use.space);
      speed = std::min(speed, timing::port_speed(core.spec->buffers[space].port_rate.milli_per_cycle, core.demand[space]));
    }
    pipe.speed = speed;
    set_next(index, static_cast<isa::Pipe>(which), cycle + ceil_div(std::max<std::int64_t>(pipe.remaining, 0), speed));
  }
}

}  // namespace npulab::cores::scoreboard
