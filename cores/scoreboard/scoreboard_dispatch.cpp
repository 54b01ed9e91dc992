// SPDX-License-Identifier: Apache-2.0
// Rule 2: the dispatcher. It may be ahead of the pipes: a slot that is free now will still be free later.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

/// Puts an instruction into its pipe's queue; straight on into execution where nothing is before it.
inline bool Scoreboard::feed(CoreState& core, int index, const isa::Instruction& head, std::uint32_t position) {
  const isa::Pipe which = isa::pipe_of(head.code());
  PipeState& pipe = core.pipes[static_cast<int>(which)];
  if (pipe.full()) {
    core.wakers = static_cast<std::uint8_t>(1u << static_cast<int>(which));
    return false;
  }
  // A slot can be taken from the cycle after the one in which it was left.
  const Cycles start = std::max(core.dispatch, pipe.slot_left() + 1);
  if (start > core.dispatch) core.pipes[0].totals.stall[static_cast<int>(StallCause::queue_full)] += start - core.dispatch;
  core.dispatch = start + core.spec->dispatch.issue_cycles;
  const bool first = pipe.empty() && pipe.phase == Phase::ready;
  const std::uint32_t slot = pipe.push();
  // Field by field into its place: a copy of a whole entry would wait for the stores of its parts.
  QueueEntry& entry = pipe.ring[slot];
  entry.arrival = start + core.spec->dispatch.queue_latency_cycles;
  entry.code = head.code();
  entry.position = position;
  Addresses& addresses = pipe.addresses[slot];
  if (functional_ || moves_gm(core, entry)) {
    addresses.dst = head.dst;
    addresses.src0 = head.src0;
    addresses.src1 = head.src1;
  }
  if (first) advance_one(core, index, which, entry, addresses);
  return true;
}

void Scoreboard::advance_dispatcher(int index) {
  CoreState& core = cores_[index];
  if (core.finished) return;
  core.wakers = 0;
  const timing::InstructionCost* costs = core.costs;
  const bool functional = functional_;
  const auto needs_addresses = [costs, functional](const isa::Instruction& head) {
    return functional || head.opcode == isa::Opcode::scalar ||
           (head.opcode > isa::Opcode::cross_wait && costs[head.operands].gm != isa::GmAccess::none);
  };
  dispatching_ = true;
  isa::Instruction head = core.held;
  std::uint32_t position = core.held_position;
  for (bool held = core.holds; !failed(); held = false) {
    if (!held) {
      if (!core.source.next(head, needs_addresses)) {
        core.finished = true;
        break;
      }
      position = core.source.position();
    }
    const bool gone = isa::pipe_of(head.code()) != isa::Pipe::s ? feed(core, index, head, position) : dispatch_own(core, index, head, position);
    if (gone) continue;
    core.held = head;
    core.held_position = position;
    core.holds = true;
    dispatching_ = false;
    return;
  }
  core.holds = false;
  dispatching_ = false;
}

/// An instruction of the dispatcher itself.
bool Scoreboard::dispatch_own(CoreState& core, int index, const isa::Instruction& head, std::uint32_t position) {
  const QueueEntry entry{0, head.code(), position};
  switch (entry.opcode()) {
    case isa::Opcode::scalar:
      occupy_dispatcher(index, entry, core.dispatch, std::max<Cycles>(static_cast<Cycles>(head.dst), 1), StallCause::dispatch);
      return true;
    case isa::Opcode::set_flag: {
      const Cycles start = core.dispatch, end = start + core.spec->dispatch.issue_cycles;
      bool fine = true;
      if (!set_flag(index, isa::Pipe::s, entry, start, end + core.spec->flags.propagation_cycles, fine)) return false;
      occupy_dispatcher(index, entry, start, end - start, StallCause::dispatch);
      return true;
    }
    case isa::Opcode::cross_set: {
      const Cycles start = core.dispatch;
      occupy_dispatcher(index, entry, start, core.spec->dispatch.issue_cycles, StallCause::dispatch);
      cross_set(index, entry, core.dispatch);
      return true;
    }
    default: return hold_dispatcher(index, entry);
  }
}

bool Scoreboard::hold_dispatcher(int index, const QueueEntry& entry) {
  CoreState& core = cores_[index];
  Cycles over = core.dispatch;
  if (entry.opcode() == isa::Opcode::wait_flag) {
    if (!take_flag(index, isa::Pipe::s, entry, core.dispatch, over)) return false;
    occupy_dispatcher(index, entry, over, core.spec->flags.wait_cycles, StallCause::flag);
    return true;
  }
  if (entry.opcode() == isa::Opcode::cross_wait) {
    const bool taken = take_count(index, entry, core.dispatch, over);
    core.pipes[0].blocked_on_cross_flag = !taken;
    if (taken) occupy_dispatcher(index, entry, over, core.spec->flags.wait_cycles, StallCause::cross_core);
    return taken;
  }
  for (int which = 1; which < isa::kPipeCount; ++which) {
    const PipeState& pipe = core.pipes[which];
    if (!pipe.empty() || pipe.phase != Phase::ready) {
      core.wakers = 0xff;
      return false;
    }
    over = std::max({over, pipe.visible, pipe.free});
  }
  occupy_dispatcher(index, entry, over, core.spec->flags.barrier_cycles, StallCause::barrier);
  return true;
}

void Scoreboard::occupy_dispatcher(int index, const QueueEntry& entry, Cycles start, Cycles occupancy, StallCause cause) {
  CoreState& core = cores_[index];
  const Cycles began = core.dispatch;
  core.pipes[0].totals.stall[static_cast<int>(cause)] += start - began;
  ++core.own_instructions;
  core.dispatch = start + occupancy;
  record(index, isa::Pipe::s, entry, began, core.dispatch, core.dispatch);
}

}  // namespace npulab::cores::scoreboard
