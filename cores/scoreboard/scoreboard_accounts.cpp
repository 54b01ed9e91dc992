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
  stall(pipe, cause) += start - from;
  pipe.accounted = start;
}

void Scoreboard::account_executed(PipeState& pipe, Cycles start, Cycles end, Cycles work) {
  pipe.totals.busy += work;
  stall(pipe, StallCause::port) += end - start - work;
  pipe.totals.pmu_active += end - start;
  ++pipe.totals.instructions;
  pipe.accounted = end;
  pipe.used = true;
}

void Scoreboard::account_moved(PipeState& pipe, Cycles start, Cycles end, std::int64_t frequency_khz) {
  Cycles left = end - start;
  const TransferResult& result = pipe.result;
  const auto take = [&](StallCause cause, Picoseconds wait) {
    const Cycles cycles = std::min<Cycles>(left, static_cast<Cycles>(static_cast<__int128>(wait) * frequency_khz / 1'000'000'000));
    stall(pipe, cause) += cycles;
    left -= cycles;
  };
  take(StallCause::memory_edge, result.wait_edge);
  take(StallCause::memory_port, result.wait_port);
  take(StallCause::memory_l2, result.wait_l2);
  take(StallCause::memory_hbm, result.wait_hbm);
  pipe.totals.busy += left;
  pipe.totals.pmu_active += end - start;
  ++pipe.totals.instructions;
  const bool read = pipe.cost->gm == isa::GmAccess::read;
  (read ? pipe.totals.gm_read_bytes : pipe.totals.gm_write_bytes) += pipe.cost->bytes_moved;
  pipe.accounted = end;
  pipe.used = true;
}

void Scoreboard::account_end(PipeState& pipe, Cycles visible, Cycles end) {
  if (pipe.used && visible > pipe.accounted) {
    stall(pipe, StallCause::drain) += visible - pipe.accounted;
    pipe.accounted = visible;
  }
  stall(pipe, StallCause::done) += end - pipe.accounted;
  pipe.accounted = end;
}

void Scoreboard::count(CoreState& core, const timing::InstructionCost& cost) {
  core.record.mac_int8 += cost.mac_int8;
  core.record.mac_fp16 += cost.mac_fp16;
  if (cost.from != cost.to) core.record.bytes_by_path[static_cast<int>(cost.from)][static_cast<int>(cost.to)] += cost.bytes_moved;
}

void Scoreboard::record(int core, isa::Pipe which, const QueueEntry& entry, Cycles start, Cycles busy_end, Cycles visible) {
  if (!publisher_.wants_records()) return;
  InstructionRecord record;
  record.core = cores_[core].record.core;
  record.position = entry.position;
  record.program = cores_[core].record.program;
  record.pipe = which;
  record.opcode = entry.head.opcode;
  record.event = entry.head.event;
  record.peer = entry.head.peer;
  record.operands = entry.head.operands;
  record.start = start;
  record.busy_end = busy_end;
  record.visible = visible;
  record.task = launch_copy_.task;
  publisher_.add(record);
}

CoreBlockRecord& Scoreboard::close(int index, Cycles end) {
  CoreState& core = cores_[index];
  for (int which = 0; which < isa::kPipeCount; ++which) {
    PipeState& pipe = core.pipes[which];
    account_end(pipe, which == 0 ? core.dispatch : std::max(pipe.visible, pipe.free), end);
    Cycles sum = pipe.totals.busy;
    for (Cycles cycles : pipe.totals.stall) sum += cycles;
    if (sum != end - first_cycle_) {
      throw InternalError(paths_[index] + ' ' + isa::name_of(static_cast<isa::Pipe>(which)) + ": busy and stalls do not add up");
    }
    core.record.pipes[which] = pipe.totals;
  }
  core.record.total_cycles = end - first_cycle_;
  return core.record;
}

}  // namespace npulab::cores::scoreboard
