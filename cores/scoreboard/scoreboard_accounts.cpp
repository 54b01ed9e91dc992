// SPDX-License-Identifier: Apache-2.0
// Rule 11: where each cycle of a pipe went.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"
#include "model/base/errors.h"

namespace npulab::cores::scoreboard {
namespace {

Cycles& stall(PipeState& pipe, StallCause cause) { return pipe.totals.stall[static_cast<int>(cause)]; }

}  // namespace

void Scoreboard::account_gap(PipeState& pipe, Cycles arrival, Cycles start, StallCause cause) {
  Cycles from = pipe.accounted;
  if (arrival > from) {
    const Cycles until = arrival < start ? arrival : start;
    stall(pipe, StallCause::dispatch) += until - from;
    from = until;
  }
  if (start != from) stall(pipe, cause) += start - from;
  pipe.accounted = start;
}

void Scoreboard::account_executed(PipeState& pipe, Cycles start, Cycles end, Cycles work) {
  pipe.totals.busy += work;
  if (end - start != work) stall(pipe, StallCause::port) += end - start - work;
  pipe.accounted = end;
}

void Scoreboard::account_moved(PipeState& pipe, Cycles start, Cycles end, std::int64_t frequency_khz) {
  Cycles left = end - start;
  const TransferResult& result = pipe.result;
  const auto take = [&](StallCause cause, Picoseconds wait) {
    const Cycles cycles = std::min<Cycles>(left, multiply_divide(wait, frequency_khz, 1'000'000'000));
    stall(pipe, cause) += cycles;
    left -= cycles;
  };
  take(StallCause::memory_edge, result.wait_edge);
  take(StallCause::memory_port, result.wait_port);
  take(StallCause::memory_l2, result.wait_l2);
  take(StallCause::memory_hbm, result.wait_hbm);
  pipe.totals.busy += left;
  const bool read = pipe.cost->gm == isa::GmAccess::read;
  (read ? pipe.totals.gm_read_bytes : pipe.totals.gm_write_bytes) += pipe.cost->bytes_moved;
  pipe.accounted = end;
}

/// Closes a pipe's account: what follows its last occupancy, and what the rest implies.
void Scoreboard::account_end(PipeState& pipe, Cycles visible, Cycles end) {
  pipe.totals.instructions = static_cast<std::int64_t>(pipe.popped);
  pipe.totals.pmu_active = pipe.totals.busy;
  for (const StallCause inside : {StallCause::port, StallCause::memory_edge, StallCause::memory_port, StallCause::memory_l2, StallCause::memory_hbm}) {
    pipe.totals.pmu_active += stall(pipe, inside);
  }
  if (pipe.popped > 0 && visible > pipe.accounted) {
    stall(pipe, StallCause::drain) += visible - pipe.accounted;
    pipe.accounted = visible;
  }
  stall(pipe, StallCause::done) += end - pipe.accounted;
  pipe.accounted = end;
}

void Scoreboard::count_work(CoreState& core) {
  for (std::size_t i = 0; i < core.executed.size(); ++i) {
    const auto times = static_cast<std::int64_t>(core.executed[i]);
    if (times == 0) continue;
    const timing::InstructionCost& cost = core.costs[i];
    core.record.mac_int8 += times * cost.mac_int8;
    core.record.mac_fp16 += times * cost.mac_fp16;
    if (cost.from == cost.to) continue;
    core.record.bytes_by_path[static_cast<int>(cost.from)][static_cast<int>(cost.to)] += times * cost.bytes_moved;
  }
}

void Scoreboard::write_record(int core, isa::Pipe which, const QueueEntry& entry, Cycles start, Cycles busy_end, Cycles visible) {
  InstructionRecord& record = publisher_.add_record();
  record.core = cores_[core].record.core;
  record.position = entry.position;
  record.program = cores_[core].record.program;
  record.pipe = which;
  record.opcode = entry.opcode();
  record.event = entry.event();
  record.peer = entry.peer();
  record.operands = entry.operands();
  record.start = start;
  record.busy_end = busy_end;
  record.visible = visible;
  record.task = launch_copy_.task;
}

/// The dispatcher works whenever it does not wait, and has dispatched what the pipes were given.
void Scoreboard::account_dispatcher(CoreState& core) {
  PipeState& dispatcher = core.pipes[0];
  dispatcher.totals.busy = core.dispatch - first_cycle_;
  for (const Cycles cycles : dispatcher.totals.stall) dispatcher.totals.busy -= cycles;
  dispatcher.accounted = core.dispatch;
  dispatcher.popped = static_cast<std::uint64_t>(core.own_instructions);
  for (int which = 1; which < isa::kPipeCount; ++which) dispatcher.popped += core.pipes[which].pushed;
}

CoreBlockRecord& Scoreboard::close(int index, Cycles end) {
  CoreState& core = cores_[index];
  for (int which = 0; which < isa::kPipeCount; ++which) {
    PipeState& pipe = core.pipes[which];
    if (which == 0) account_dispatcher(core);
    account_end(pipe, which == 0 ? core.dispatch : std::max(pipe.visible, pipe.free), end);
    Cycles sum = pipe.totals.busy;
    for (Cycles cycles : pipe.totals.stall) sum += cycles;
    if (sum != end - first_cycle_) {
      throw InternalError(paths_[index] + ' ' + isa::name_of(static_cast<isa::Pipe>(which)) + ": busy and stalls do not add up");
    }
    core.record.pipes[which] = pipe.totals;
  }
  count_work(core);
  core.record.total_cycles = end - first_cycle_;
  return core.record;
}

}  // namespace npulab::cores::scoreboard
