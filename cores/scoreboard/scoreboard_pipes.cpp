// SPDX-License-Identifier: Apache-2.0
// Rules 3, 4 and 6: the pipes.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

void Scoreboard::leave(CoreState& core, PipeState& pipe, int index, isa::Pipe which, Cycles cycle) {
  pipe.pop(cycle);
  wake_dispatcher(core, index, which);
}

void Scoreboard::advance_pipe(int index, isa::Pipe which) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  while (pipe.phase == Phase::ready && !pipe.empty() && !failed()) {
    if (!advance_one(core, index, which, pipe.front(), pipe.front_addresses())) return;
  }
}

/// Decides the oldest instruction of a ready pipe as far as it can be; true if it has left the queue.
bool Scoreboard::advance_one(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const Cycles start = std::max(entry.arrival, pipe.free);
  if (entry.opcode() <= isa::Opcode::cross_wait) {
    const bool sets = entry.opcode() == isa::Opcode::set_flag || entry.opcode() == isa::Opcode::cross_set;
    return sets ? try_set(core, index, which, entry, start) : try_wait(core, index, which, entry, start);
  }
  const timing::InstructionCost& cost = core.costs[entry.operands()];
  const bool local = cost.gm == isa::GmAccess::none;
  if (local && cost.ports[0].space == isa::Space::gm) {
    execute(core, index, which, entry, addresses, start);
    return true;
  }
  if (local && start + cost.work_cycles <= quiet_until(core, which) && !overloads(core, cost)) {
    execute(core, index, which, entry, addresses, start);
    return true;
  }
  if (start <= time_) {
    local ? start_local(core, index, which, entry, addresses, start) : start_gm(core, index, which, entry, addresses, start);
    return true;
  }
  pipe.phase = local ? Phase::starting : Phase::gm_starting;
  set_next(index, which, start);
  return false;
}

/// A local instruction that nobody can slow: its end is known at its start.
void Scoreboard::execute(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses,
                         Cycles start) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const timing::InstructionCost& cost = core.costs[entry.operands()];
  const Cycles end = start + cost.work_cycles;
  account_gap(pipe, entry.arrival, start, StallCause::flag);
  pipe.totals.busy += cost.work_cycles;
  pipe.accounted = pipe.free = end;
  pipe.visible = std::max(pipe.visible, end + cost.latency_cycles);
  ++core.executed[entry.operands()];
  if (functional_) publisher_.add(PendingEffect{start, index, instruction_of(entry, addresses)});
  record(index, which, entry, start, end, pipe.visible);
  leave(core, pipe, index, which, start);
}

/// The instruction begins to execute.
void Scoreboard::take(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses, Cycles start) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.current.arrival = entry.arrival;
  pipe.current.code = entry.code;
  pipe.current.position = entry.position;
  pipe.cost = &core.costs[entry.operands()];
  pipe.start = start;
  account_gap(pipe, entry.arrival, start, StallCause::flag);
  const bool gm = pipe.cost->gm != isa::GmAccess::none;
  if (gm) pipe.current_addresses = addresses;
  else if (functional_) publisher_.add(PendingEffect{start, index, instruction_of(entry, addresses)});
  leave(core, pipe, index, which, start);
}

bool Scoreboard::try_set(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, Cycles start) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const FlagSpec& spec = core.spec->flags;
  const Cycles end = start + spec.set_cycles;
  const Cycles effect = std::max(end, pipe.visible);
  Cycles seen = effect;
  if (entry.opcode() == isa::Opcode::cross_set) {
    cross_set(index, entry, effect);
  } else {
    seen = effect + spec.propagation_cycles;
    bool fine = true;
    if (!set_flag(index, which, entry, start, seen, fine)) return false;
    if (!fine) return false;
  }
  account_gap(pipe, entry.arrival, start, StallCause::flag);
  account_executed(pipe, start, end, spec.set_cycles);
  pipe.free = end;
  record(index, which, entry, start, end, seen);
  leave(core, pipe, index, which, start);
  return true;
}

bool Scoreboard::try_wait(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, Cycles start) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const FlagSpec& spec = core.spec->flags;
  Cycles over = start, occupancy = spec.wait_cycles;
  StallCause cause = StallCause::flag;
  if (entry.opcode() == isa::Opcode::wait_flag) {
    if (!take_flag(index, which, entry, start, over)) return false;
  } else if (entry.opcode() == isa::Opcode::cross_wait) {
    const bool taken = take_count(index, entry, start, over);
    pipe.blocked_on_cross_flag = !taken;
    if (!taken) return false;
    cause = StallCause::cross_core;
  } else {
    over = std::max(start, pipe.visible);
    occupancy = spec.barrier_cycles;
    cause = StallCause::barrier;
  }
  account_gap(pipe, entry.arrival, over, cause);
  account_executed(pipe, over, over + occupancy, occupancy);
  pipe.free = over + occupancy;
  record(index, which, entry, start, pipe.free, pipe.free);
  leave(core, pipe, index, which, over);
  return true;
}

void Scoreboard::start_local(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses,
                             Cycles start) {
  take(core, index, which, entry, addresses, start);
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.phase = Phase::executing;
  pipe.settled = start;
  pipe.remaining = pipe.cost->work_cycles * timing::kFullSpeed;
  join_ports(core, index, which, start);
}

void Scoreboard::end_local(CoreState& core, int index, isa::Pipe which, Cycles end) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const timing::InstructionCost& cost = *pipe.cost;
  account_executed(pipe, pipe.start, end, cost.work_cycles);
  pipe.free = end;
  pipe.visible = std::max(pipe.visible, end + cost.latency_cycles);
  ++core.executed[pipe.current.operands()];
  record(index, which, pipe.current, pipe.start, end, pipe.visible);
}

void Scoreboard::start_gm(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses,
                          Cycles start) {
  take(core, index, which, entry, addresses, start);
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.phase = Phase::gm_waiting;
  horizon_changed_ = true;
  pipe.issued = false;
  // A request is never answered before the next edge of the memory's clock, which lies after this edge.
  pipe.earliest_end = start + std::max<Cycles>(pipe.cost->work_cycles, 1);
  join_ports(core, index, which, start);
  acts_.push_back({OutsideAct::Kind::gm_request, static_cast<std::uint8_t>(index), which, 0, start});
}

void Scoreboard::end_gm(CoreState& core, int index, isa::Pipe which, Cycles end) {
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.free = end;
  if (pipe.result.status != MemoryStatus::ok) {
    fail(BlockStatus::memory_error, end, describe(index, which, pipe.current) + ": memory error");
    return;
  }
  account_moved(pipe, pipe.start, end, core.spec->clock_khz);
  ++core.executed[pipe.current.operands()];
  record(index, which, pipe.current, pipe.start, end, pipe.visible);
}

}  // namespace npulab::cores::scoreboard
