// SPDX-License-Identifier: Apache-2.0
// Rules 3, 4 and 6: the pipes.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

void Scoreboard::leave(int core, isa::Pipe which, Cycles cycle) {
  PipeState& pipe = cores_[core].pipes[static_cast<int>(which)];
  pipe.left[pipe.popped % kMaxDepth] = cycle;
  ++pipe.popped;
  if (cores_[core].holds) mark(core, isa::Pipe::s);
}

void Scoreboard::went_idle(int core) {
  if (cores_[core].holds) mark(core, isa::Pipe::s);
}

void Scoreboard::advance_pipe(int index, isa::Pipe which) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  while (pipe.phase == Phase::ready && !pipe.empty() && !failed()) {
    const QueueEntry& entry = pipe.front();
    const Cycles start = std::max(entry.arrival, pipe.free);
    if (entry.head.opcode <= isa::Opcode::cross_wait) {
      if (!try_control(index, which, entry, start)) return;
      continue;
    }
    const timing::InstructionCost& cost = (*core.costs)[entry.head.operands];
    if (cost.gm != isa::GmAccess::none) {
      pipe.phase = Phase::gm_starting;
      next(index, which) = start;
    } else if (uses_shared_port(core, cost)) {
      pipe.phase = Phase::starting;
      next(index, which) = start;
    } else {
      pipe.current = entry;
      pipe.cost = &cost;
      pipe.start = start;
      pipe.port_user = false;
      account_gap(pipe, entry.arrival, start, StallCause::flag);
      if (publisher_.functional()) publisher_.add(PendingEffect{start, index, entry.head});
      leave(index, which, start);
      end_local(index, which, start + cost.work_cycles);
    }
  }
}

bool Scoreboard::try_control(int index, isa::Pipe which, const QueueEntry& entry, Cycles start) {
  if (entry.head.opcode == isa::Opcode::set_flag || entry.head.opcode == isa::Opcode::cross_set) {
    return try_set(index, which, entry, start);
  }
  return try_wait(index, which, entry, start);
}

bool Scoreboard::try_set(int index, isa::Pipe which, const QueueEntry& entry, Cycles start) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const FlagSpec& spec = core.spec->flags;
  const Cycles end = start + spec.set_cycles;
  const Cycles effect = std::max(end, pipe.visible);
  Cycles seen = effect;
  if (entry.head.opcode == isa::Opcode::cross_set) {
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
  leave(index, which, start);
  if (pipe.empty()) went_idle(index);
  return true;
}

bool Scoreboard::try_wait(int index, isa::Pipe which, const QueueEntry& entry, Cycles start) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  const FlagSpec& spec = core.spec->flags;
  Cycles over = start, occupancy = spec.wait_cycles;
  StallCause cause = StallCause::flag;
  if (entry.head.opcode == isa::Opcode::wait_flag) {
    if (!take_flag(index, which, entry, start, over)) return false;
  } else if (entry.head.opcode == isa::Opcode::cross_wait) {
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
  leave(index, which, over);
  if (pipe.empty()) went_idle(index);
  return true;
}

void Scoreboard::start_local(int index, isa::Pipe which, Cycles start) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.current = pipe.front();
  pipe.cost = &(*core.costs)[pipe.current.head.operands];
  pipe.start = start;
  account_gap(pipe, pipe.current.arrival, start, StallCause::flag);
  if (publisher_.functional()) publisher_.add(PendingEffect{start, index, pipe.current.head});
  leave(index, which, start);
  const bool alone = core.port_users == 0;
  if (!alone) settle_ports(index, start);
  pipe.phase = Phase::executing;
  pipe.port_user = true;
  ++core.port_users;
  pipe.settled = start;
  pipe.remaining = pipe.cost->work_cycles * timing::kFullSpeed;
  set_speeds(index, start);
}

void Scoreboard::end_local(int index, isa::Pipe which, Cycles end) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  if (pipe.port_user) {
    pipe.port_user = false;
    if (--core.port_users > 0) {
      settle_ports(index, end);
      set_speeds(index, end);
    }
  }
  const timing::InstructionCost& cost = *pipe.cost;
  account_executed(pipe, pipe.start, end, cost.work_cycles);
  pipe.free = end;
  pipe.visible = std::max(pipe.visible, end + cost.latency_cycles);
  pipe.phase = Phase::ready;
  count(core, cost);
  record(index, which, pipe.current, pipe.start, end, pipe.visible);
  mark(index, which);
  if (pipe.empty()) went_idle(index);
}

void Scoreboard::start_gm(int index, isa::Pipe which, Cycles start) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  pipe.current = pipe.front();
  pipe.cost = &(*core.costs)[pipe.current.head.operands];
  pipe.start = start;
  account_gap(pipe, pipe.current.arrival, start, StallCause::flag);
  leave(index, which, start);
  settle_ports(index, start);
  pipe.phase = Phase::gm_waiting;
  horizon_changed_ = true;
  pipe.issued = false;
  pipe.port_user = true;
  ++core.port_users;
  pipe.settled = start;
  pipe.remaining = 0;
  // A request is never answered before the next edge of the memory's clock, which lies after this edge.
  pipe.earliest_end = start + std::max<Cycles>(pipe.cost->work_cycles, 1);
  set_speeds(index, start);
  acts_.push_back({OutsideAct::Kind::gm_request, static_cast<std::uint8_t>(index), which, 0, start});
}

void Scoreboard::end_gm(int index, isa::Pipe which, Cycles end) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  settle_ports(index, end);
  pipe.port_user = false;
  if (--core.port_users > 0) set_speeds(index, end);
  pipe.phase = Phase::ready;
  pipe.free = end;
  if (pipe.result.status != MemoryStatus::ok) {
    fail(BlockStatus::memory_error, end, describe(index, which, pipe.current) + ": memory error");
    return;
  }
  account_moved(pipe, pipe.start, end, core.spec->clock_khz);
  count(core, *pipe.cost);
  record(index, which, pipe.current, pipe.start, end, pipe.visible);
  mark(index, which);
  if (pipe.empty()) went_idle(index);
}

}  // namespace npulab::cores::scoreboard
