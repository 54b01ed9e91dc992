// SPDX-License-Identifier: Apache-2.0
// Rule 2: the dispatcher. It may be ahead of the pipes: a slot that is free now will still be free later.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

void Scoreboard::advance_dispatcher(int index) {
  CoreState& core = cores_[index];
  if (core.finished) return;
  for (;;) {
    if (!core.holds) {
      if (!core.source.next(core.held.head)) {
        core.finished = true;
        return;
      }
      core.held.position = core.source.position();
      core.held.arrival = core.dispatch;
      core.holds = true;
    }
    if (!dispatch_one(index, core.held)) return;
    core.holds = false;
    if (failed()) return;
  }
}

bool Scoreboard::dispatch_one(int index, const QueueEntry& entry) {
  if (entry.head.pipe != isa::Pipe::s) return feed(index, entry);
  CoreState& core = cores_[index];
  switch (entry.head.opcode) {
    case isa::Opcode::scalar:
      occupy_dispatcher(index, entry, core.dispatch, std::max<Cycles>(static_cast<Cycles>(entry.head.dst), 1), StallCause::dispatch);
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
  if (entry.head.opcode == isa::Opcode::wait_flag) {
    if (!take_flag(index, isa::Pipe::s, entry, core.dispatch, over)) return false;
    occupy_dispatcher(index, entry, over, core.spec->flags.wait_cycles, StallCause::flag);
    return true;
  }
  if (entry.head.opcode == isa::Opcode::cross_wait) {
    const bool taken = take_count(index, entry, core.dispatch, over);
    core.pipes[0].blocked_on_cross_flag = !taken;
    if (taken) occupy_dispatcher(index, entry, over, core.spec->flags.wait_cycles, StallCause::cross_core);
    return taken;
  }
  for (int which = 1; which < isa::kPipeCount; ++which) {
    const PipeState& pipe = core.pipes[which];
    if (!pipe.empty() || pipe.phase != Phase::ready) return false;
    over = std::max({over, pipe.visible, pipe.free});
  }
  occupy_dispatcher(index, entry, over, core.spec->flags.barrier_cycles, StallCause::barrier);
  return true;
}

void Scoreboard::occupy_dispatcher(int index, const QueueEntry& entry, Cycles start, Cycles occupancy, StallCause cause) {
  CoreState& core = cores_[index];
  const Cycles began = core.dispatch;
  account_gap(core.pipes[0], began, start, cause);
  account_executed(core.pipes[0], start, start + occupancy, occupancy);
  core.dispatch = start + occupancy;
  if (entry.head.pipe == isa::Pipe::s) record(index, isa::Pipe::s, entry, began, core.dispatch, core.dispatch);
}

bool Scoreboard::feed(int index, const QueueEntry& entry) {
  CoreState& core = cores_[index];
  PipeState& pipe = core.pipes[static_cast<int>(entry.head.pipe)];
  if (pipe.full()) return false;
  // This instruction takes the slot of the one `depth` before it, which is free from the cycle after that one left.
  Cycles start = core.dispatch;
  if (pipe.pushed >= pipe.depth) start = std::max(start, pipe.left[(pipe.pushed - pipe.depth) % kMaxDepth] + 1);
  QueueEntry& place = pipe.ring[pipe.pushed % kMaxDepth];
  place = entry;
  place.arrival = start + core.spec->dispatch.queue_latency_cycles;
  const bool was_idle = pipe.empty() && pipe.phase == Phase::ready;
  ++pipe.pushed;
  occupy_dispatcher(index, entry, start, core.spec->dispatch.issue_cycles, StallCause::queue_full);
  if (was_idle) mark(index, entry.head.pipe);
  return true;
}

}  // namespace npulab::cores::scoreboard
