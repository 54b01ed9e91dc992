// SPDX-License-Identifier: Apache-2.0
// Rule 8: ports. Between two changes of the set of users everyone moves at a constant speed.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

bool Scoreboard::uses_shared_port(const CoreState& core, const timing::InstructionCost& cost) const {
  for (const timing::PortUse& use : cost.ports) {
    if (use.space != isa::Space::gm && core.spec->buffers[static_cast<int>(use.space)].port_rate.milli_per_cycle > 0) return true;
  }
  return false;
}

void Scoreboard::settle_ports(int index, Cycles cycle) {
  for (PipeState& pipe : cores_[index].pipes) {
    if (pipe.phase != Phase::executing || !pipe.port_user) continue;
    pipe.remaining -= pipe.speed * (cycle - pipe.settled);
    pipe.settled = cycle;
  }
}

void Scoreboard::set_speeds(int index, Cycles cycle) {
  CoreState& core = cores_[index];
  std::int64_t demand[isa::kSpaceCount] = {};
  for (const PipeState& pipe : core.pipes) {
    if (!pipe.port_user) continue;
    for (const timing::PortUse& use : pipe.cost->ports) demand[static_cast<int>(use.space)] += use.milli_bytes_per_cycle;
  }
  for (int which = 1; which < isa::kPipeCount; ++which) {
    PipeState& pipe = core.pipes[which];
    if (pipe.phase != Phase::executing || !pipe.port_user) continue;
    std::int64_t speed = timing::kFullSpeed;
    for (const timing::PortUse& use : pipe.cost->ports) {
      if (use.space == isa::Space::gm) continue;
      const int space = static_cast<int>(use.space);
      speed = std::min(speed, timing::port_speed(core.spec->buffers[space].port_rate.milli_per_cycle, demand[space]));
    }
    pipe.speed = speed;
    next(index, static_cast<isa::Pipe>(which)) = cycle + ceil_div(std::max<std::int64_t>(pipe.remaining, 0), speed);
  }
}

}  // namespace npulab::cores::scoreboard
