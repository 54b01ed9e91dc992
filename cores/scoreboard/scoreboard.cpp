// SPDX-License-Identifier: Apache-2.0
#include "cores/scoreboard/scoreboard.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::cores::scoreboard {

Scoreboard::Scoreboard(const SocSpec& soc, std::vector<const CoreSpec*> cores, std::vector<std::string> paths, Publisher& publisher)
    : soc_(soc), paths_(std::move(paths)), publisher_(publisher), cores_(cores.size()), next_(cores.size() * kSlots, kNeverCycles), functional_(publisher.functional()) {
  for (std::size_t i = 0; i < cores.size(); ++i) {
    cores_[i].spec = cores[i];
    cores_[i].cube_side = cores[i]->kind != CoreKind::vector;
    for (int depth : cores[i]->dispatch.queue_depth) {
      if (depth > kMaxDepth) throw InternalError("queue deeper than the scoreboard's rings");
    }
  }
}

namespace {

bool uses_inter_group_flags(const Kernel& kernel, const std::vector<int>& programs) {
  for (int program : programs) {
    if (program < 0) continue;
    for (const isa::ProgramOp& op : kernel.programs[static_cast<std::size_t>(program)].ops) {
      if (op.kind == isa::ProgramOp::Kind::instruction && op.head.opcode == isa::Opcode::cross_set && op.head.peer == 0) return true;
    }
  }
  return false;
}

void reset_pipe(PipeState& pipe, Cycles first_cycle, Cycles dispatch_from, int depth) {
  pipe.pushed = pipe.popped = 0;
  pipe.head = pipe.tail = 0;
  pipe.depth = static_cast<std::uint32_t>(std::max(depth, 1));
  pipe.mask = 1;
  while (pipe.mask < pipe.depth) pipe.mask *= 2;
  --pipe.mask;
  pipe.phase = Phase::ready;
  pipe.blocked_on_cross_flag = false;
  pipe.free = pipe.visible = first_cycle;
  pipe.port_user = false;
  pipe.totals = PipeTotals{};
  pipe.totals.stall[static_cast<int>(StallCause::launch)] = dispatch_from - first_cycle;
  pipe.accounted = dispatch_from;
}

}  // namespace

void Scoreboard::begin(const BlockLaunch& launch, const std::vector<int>& programs,
                       const std::vector<const std::vector<timing::InstructionCost>*>& costs, Cycles first_cycle) {
  launch_copy_ = launch;
  first_cycle_ = first_cycle;
  time_ = first_cycle;
  failure_ = BlockStatus::ok;
  dirty_ = 0;
  recording_ = publisher_.wants_records();
  acts_.clear();
  std::fill(next_.begin(), next_.end(), kNeverCycles);
  group_sets_.clear();
  std::fill_n(&sent_[0][0][0], 3 * kMaxCores * kCrossFlags, 0);
  std::fill_n(&delivered_[0][0], 3 * kCrossFlags, 0);
  inter_group_flags_ = uses_inter_group_flags(*launch.kernel, programs);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    CoreState& core = cores_[i];
    core.takes_part = programs[i] >= 0;
    core.finished = !core.takes_part;
    core.holds = false;
    std::fill(std::begin(core.demand), std::end(core.demand), 0);
    core.dispatch = first_cycle + core.spec->scalar.launch_cycles;
    core.last_effect = first_cycle;
    for (int which = 0; which < isa::kPipeCount; ++which) {
      reset_pipe(core.pipes[which], first_cycle, core.dispatch, core.spec->dispatch.queue_depth[which]);
    }
    for (auto& sources : core.flags) for (auto& targets : sources) for (FlagState& flag : targets) flag = FlagState{};
    for (auto& counts : core.counts) counts.clear();
    const std::uint32_t trace_core = core.record.core;
    core.record = CoreBlockRecord{};
    core.record.core = trace_core;
    core.record.program = static_cast<std::uint32_t>(programs[i]);
    if (!core.takes_part) continue;
    core.costs = costs[i]->data();
    core.executed.assign(costs[i]->size(), 0);
    core.wakers = 0;
    core.own_instructions = 0;
    core.source = isa::InstructionSource(*launch.kernel, programs[i], launch.kernel->blocks[launch.block]);
    mark(static_cast<int>(i), isa::Pipe::s);
  }
}

void Scoreboard::drain() {
  while (dirty_ != 0 && !failed()) {
    const int slot = __builtin_ctz(dirty_);
    dirty_ &= dirty_ - 1;
    const int core = slot / kSlots;
    const isa::Pipe which = static_cast<isa::Pipe>(slot % kSlots);
    if (which == isa::Pipe::s) advance_dispatcher(core);
    else advance_pipe(core, which);
  }
}

Cycles Scoreboard::horizon() const {
  Cycles limit = kNeverCycles;
  for (const CoreState& core : cores_) {
    if (!core.takes_part) continue;
    for (const PipeState& pipe : core.pipes) {
      if (pipe.phase == Phase::gm_waiting) limit = std::min(limit, pipe.earliest_end);
      if (pipe.blocked_on_cross_flag && inter_group_flags_) limit = std::min(limit, cross_horizon_);
    }
  }
  return limit;
}

Cycles Scoreboard::next_slot_time() const {
  const std::int64_t key = *std::min_element(next_.begin(), next_.end());
  return key == kNeverCycles ? kNeverCycles : key >> kSlotBits;
}

Cycles Scoreboard::next_set_time() const {
  Cycles earliest = kNeverCycles;
  for (const GroupSet& set : group_sets_) earliest = std::min(earliest, set.effect);
  return earliest;
}

void Scoreboard::run(Cycles cross_horizon) {
  cross_horizon_ = cross_horizon;
  limit_ = time_;
  drain();
  limit_ = horizon();
  horizon_changed_ = false;
  while (!failed() && !publisher_.crowded()) {
    std::int64_t key = next_[0];
    for (std::size_t i = 1; i < next_.size(); ++i) key = std::min(key, next_[i]);
    const Cycles earliest = key == kNeverCycles ? kNeverCycles : key >> kSlotBits;
    const Cycles set_time = group_sets_.empty() ? kNeverCycles : next_set_time();
    if (std::min(earliest, set_time) >= limit_) return;  // kNeverCycles is never below the limit
    time_ = std::min(earliest, set_time);
    if (set_time <= earliest) {
      const auto set = std::find_if(group_sets_.begin(), group_sets_.end(), [&](const GroupSet& s) { return s.effect == set_time; });
      const GroupSet due = *set;
      group_sets_.erase(set);
      take_effect(due);
    } else {
      process(static_cast<int>(key & ((1 << kSlotBits) - 1)));
    }
    drain();
    if (horizon_changed_ || inter_group_flags_) {
      limit_ = horizon();
      horizon_changed_ = false;
    }
  }
}

void Scoreboard::process(int slot) {
  const int index = slot / kSlots;
  const isa::Pipe which = static_cast<isa::Pipe>(slot % kSlots);
  CoreState& core = cores_[static_cast<std::size_t>(index)];
  PipeState& pipe = core.pipes[slot % kSlots];
  next_[static_cast<std::size_t>(slot)] = kNeverCycles;
  const Phase phase = pipe.phase;
  switch (phase) {
    case Phase::starting: return start_local(core, index, which, pipe.front(), pipe.front_addresses(), time_);
    case Phase::gm_starting: return start_gm(core, index, which, pipe.front(), pipe.front_addresses(), time_);
    case Phase::executing: case Phase::gm_ending:
      pipe.phase = Phase::ready;
      leave_ports(core, index, which, time_);
      phase == Phase::executing ? end_local(core, index, which, time_) : end_gm(core, index, which, time_);
      wake_dispatcher(core, index, which);
      return advance_pipe(index, which);
    case Phase::checking: pipe.phase = Phase::ready; break;
    default: throw InternalError("scoreboard event without a phase");
  }
  mark(index, which);
}

void Scoreboard::gm_issued(int core, isa::Pipe which, RequestId request, Cycles earliest_end) {
  PipeState& pipe = cores_[core].pipes[static_cast<int>(which)];
  pipe.request = request;
  pipe.issued = true;
  gm_bounded(core, which, earliest_end);
}

void Scoreboard::gm_bounded(int core, isa::Pipe which, Cycles earliest_end) {
  PipeState& pipe = cores_[core].pipes[static_cast<int>(which)];
  pipe.earliest_end = std::max(pipe.earliest_end, earliest_end);
}

void Scoreboard::gm_resolved(int core, isa::Pipe which, const TransferResult& result, Cycles data_cycle, Cycles visible_cycle) {
  PipeState& pipe = cores_[core].pipes[static_cast<int>(which)];
  pipe.result = result;
  const Cycles end = std::max(pipe.start + pipe.cost->work_cycles, data_cycle);
  pipe.visible = std::max({pipe.visible, end, visible_cycle + pipe.cost->latency_cycles});
  pipe.phase = Phase::gm_ending;
  set_next(core, which, end);
}

bool Scoreboard::finished() const {
  if (dirty_ != 0 || !group_sets_.empty()) return false;
  for (const CoreState& core : cores_) {
    if (!core.takes_part) continue;
    if (!core.finished) return false;
    for (const PipeState& pipe : core.pipes) {
      if (!pipe.empty() || pipe.phase != Phase::ready) return false;
    }
  }
  return true;
}

Cycles Scoreboard::end_cycle() const {
  Cycles end = first_cycle_;
  for (const CoreState& core : cores_) {
    if (!core.takes_part) continue;
    end = std::max({end, core.dispatch, core.last_effect});
    for (const PipeState& pipe : core.pipes) end = std::max({end, pipe.free, pipe.visible});
  }
  return end;
}

void Scoreboard::fail(BlockStatus status, Cycles cycle, const std::string& error) {
  if (failed() && failure_cycle_ <= cycle) return;
  failure_ = status;
  failure_cycle_ = cycle;
  error_ = error;
}

std::string Scoreboard::blocked_on() const {
  std::string text;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreState& core = cores_[i];
    if (!core.takes_part) continue;
    for (int which = 0; which < isa::kPipeCount; ++which) {
      const PipeState& pipe = core.pipes[which];
      const bool dispatcher = which == 0;
      if (dispatcher ? core.finished : pipe.empty() && pipe.phase == Phase::ready) continue;
      if (!text.empty()) text += '\n';
      const QueueEntry& entry = dispatcher ? QueueEntry{0, core.held.code(), core.held_position} : pipe.phase == Phase::gm_waiting || pipe.empty() ? pipe.current : pipe.front();
      text += describe(static_cast<int>(i), static_cast<isa::Pipe>(which), entry) +
              (pipe.phase == Phase::gm_waiting ? " waits for memory" : " waits");
    }
  }
  return text;
}

}  // namespace npulab::cores::scoreboard
