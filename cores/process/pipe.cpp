// SPDX-License-Identifier: Apache-2.0
#include "cores/process/pipe.h"

#include <algorithm>
#include <memory>

#include "cores/process/process_core.h"

namespace npulab::cores {

Pipe::Pipe(sc_core::sc_module_name name, ProcessCore& core, isa::Pipe which) : sc_module(name), core_(core), which_(which) {
  SC_THREAD(run);
}

void Pipe::begin(Cycles first_cycle, Cycles dispatch_from) {
  queue_.clear();
  active_ = false;
  free_ = visible_ = first_cycle;
  left_cycle_ = -1;
  account_.begin(first_cycle, dispatch_from);
}

void Pipe::abandon() {
  if (outstanding_) core_.services.context.memory->cancel(request_);
  outstanding_ = false;
  queue_.clear();
  active_ = false;
}

bool Pipe::full() const {
  return static_cast<int>(queue_.size()) >= core_.spec.dispatch.queue_depth[static_cast<int>(which_)];
}

bool Pipe::full_in(Cycles cycle) const {
  const int taken = static_cast<int>(queue_.size()) + (left_cycle_ == cycle ? 1 : 0);
  return taken >= core_.spec.dispatch.queue_depth[static_cast<int>(which_)];
}

void Pipe::push(const isa::Instruction& head, std::uint32_t position, Cycles arrival) {
  queue_.push_back({head, position, arrival});
  pushed_.notify();
}

void Pipe::run() {
  for (;;) {
    try {
      run_block();
    } catch (const BlockStopped&) {
      // The next block starts with an empty queue; until then there is nothing to do.
    }
    while (core_.services.control.stopped()) sc_core::wait(pushed_);
  }
}

void Pipe::run_block() {
  for (;;) {
    while (queue_.empty()) core_.services.control.wait_for(pushed_);
    active_ = true;
    execute(Entry(queue_.front()));
    active_ = false;
    if (queue_.empty()) core_.pipe_went_idle();
  }
}

void Pipe::leave_queue(Cycles cycle) {
  queue_.pop_front();
  left_cycle_ = cycle;
  left_.notify();
}

void Pipe::execute(const Entry& entry) {
  const Cycles start = std::max(entry.arrival, free_);
  core_.services.control.wait_until(start);
  switch (entry.head.opcode) {
    case isa::Opcode::set_flag: case isa::Opcode::cross_set: execute_set(entry, start); break;
    case isa::Opcode::wait_flag: case isa::Opcode::cross_wait: case isa::Opcode::pipe_barrier: execute_wait(entry, start); break;
    default:
      if (core_.cost(entry.head).gm == isa::GmAccess::none) {
        execute_local(entry, start);
      } else {
        execute_gm_move(entry, start);
      }
  }
}

void Pipe::execute_set(const Entry& entry, Cycles start) {
  leave_queue(start);
  const FlagSpec& spec = core_.spec.flags;
  free_ = start + spec.set_cycles;
  const Cycles effect = std::max(free_, visible_);
  account_.gap(entry.arrival, start, StallCause::flag);
  account_.executed(start, free_, spec.set_cycles);
  if (entry.head.opcode == isa::Opcode::cross_set) {
    core_.record(entry.head, entry.position, start, free_, effect);
    core_.cross_set(entry.head, effect);
    return;
  }
  const isa::Pipe target = static_cast<isa::Pipe>(entry.head.peer);
  core_.record(entry.head, entry.position, start, free_, effect + spec.propagation_cycles);
  if (!core_.flags.set(which_, target, entry.head.event, start, effect + spec.propagation_cycles)) {
    core_.services.fail(BlockStatus::flag_overrun, core_.describe(which_, entry.head, entry.position) + ": the flag is still pending");
  }
}

void Pipe::execute_wait(const Entry& entry, Cycles start) {
  const FlagSpec& spec = core_.spec.flags;
  Cycles over = start, occupancy = spec.wait_cycles;
  StallCause cause = StallCause::flag;
  if (entry.head.opcode == isa::Opcode::wait_flag) {
    waiting_for_ = "flag";
    over = core_.flags.wait(static_cast<isa::Pipe>(entry.head.peer), which_, entry.head.event, start);
  } else if (entry.head.opcode == isa::Opcode::cross_wait) {
    waiting_for_ = "cross-core flag";
    cause = StallCause::cross_core;
    over = core_.services.cross_flags.wait(core_.index, entry.head.event, start);
  } else {
    cause = StallCause::barrier;
    occupancy = spec.barrier_cycles;
    over = std::max(start, visible_);
    core_.services.control.wait_until(over);
  }
  waiting_for_ = "";
  leave_queue(over);
  free_ = over + occupancy;
  account_.gap(entry.arrival, over, cause);
  account_.executed(over, free_, occupancy);
  core_.record(entry.head, entry.position, start, free_, free_);
}

void Pipe::execute_local(const Entry& entry, Cycles start) {
  leave_queue(start);
  const timing::InstructionCost& cost = core_.cost(entry.head);
  if (core_.effects) {
    core_.services.effects.add(start, core_.index, which_, [this, head = entry.head] { core_.effects->apply(head); });
  }
  account_.gap(entry.arrival, start, StallCause::flag);
  const Cycles end = core_.ports.execute(which_, cost, start);
  account_.executed(start, end, cost.work_cycles);
  free_ = end;
  visible_ = std::max(visible_, end + cost.latency_cycles);
  core_.count(cost);
  core_.record(entry.head, entry.position, start, end, visible_);
}

TransferResult Pipe::transfer(const Entry& entry, const timing::InstructionCost& cost) {
  TransferRequest request;
  request.client = core_.client;
  request.access = cost.gm == isa::GmAccess::read ? MemoryAccess::read : MemoryAccess::write;
  request.lane = static_cast<std::uint8_t>(which_);
  request.rows = cost.gm_rows;
  request.address = core_.launch.arena_base + (cost.gm == isa::GmAccess::read ? entry.head.src0 : entry.head.dst);
  request.row_bytes = cost.gm_row_bytes;
  request.row_pitch = cost.gm_row_pitch;
  request.rate_cap_milli_bytes_per_ns = cost.gm_rate_cap_milli_bytes_per_ns;
  resolved_ = false;
  outstanding_ = true;
  waiting_for_ = "memory";
  request_ = core_.services.context.memory->request(request, *this);
  while (!resolved_) core_.services.control.wait_for(answered_);
  outstanding_ = false;
  waiting_for_ = "";
  return result_;
}

void Pipe::transfer_resolved(RequestId request, const TransferResult& result) {
  if (!outstanding_ || request != request_) return;
  result_ = result;
  resolved_ = true;
  answered_.notify();
}

void Pipe::execute_gm_move(const Entry& entry, Cycles start) {
  leave_queue(start);
  const timing::InstructionCost& cost = core_.cost(entry.head);
  std::shared_ptr<StagedWrite> staged;
  if (core_.effects) {
    staged = std::make_shared<StagedWrite>();
    core_.services.effects.add(start, core_.index, which_, [this, head = entry.head, gm = cost.gm, staged] {
      if (gm == isa::GmAccess::read) core_.effects->apply(head);
      else *staged = core_.effects->sample(head);
    });
  }
  account_.gap(entry.arrival, start, StallCause::flag);
  core_.ports.enter(which_, cost, start);
  const Picoseconds begin = core_.services.control.now();
  const TransferResult result = transfer(entry, cost);
  const ClockDomain& clock = core_.services.control.clock();
  const Cycles end = std::max(start + cost.work_cycles, clock.cycle_after(result.data_time));
  core_.services.control.wait_until(end);
  core_.ports.leave(which_, end);
  free_ = end;
  if (result.status != MemoryStatus::ok) {
    core_.services.fail(BlockStatus::memory_error, core_.describe(which_, entry.head, entry.position) + ": memory error");
    core_.services.control.check();
  }
  visible_ = std::max({visible_, end, clock.cycle_after(result.visible_time) + cost.latency_cycles});
  const Bytes bytes = cost.bytes_moved;
  account_.moved(start, end, result, clock.frequency_khz(), cost.gm == isa::GmAccess::read ? MemoryAccess::read : MemoryAccess::write, bytes);
  core_.count(cost);
  core_.record(entry.head, entry.position, start, end, visible_);
  if (core_.services.context.trace != nullptr) {
    core_.services.context.trace->transfer({core_.trace_core, core_.client, cost.gm == isa::GmAccess::write, begin,
                                            result.data_time, result.visible_time, bytes, result.hit_bytes});
  }
  if (staged && cost.gm == isa::GmAccess::write) {
    core_.services.actions.at(clock.edge(visible_), [this, staged] { core_.effects->commit(*staged); });
  }
}

std::string Pipe::blocked_on() const {
  if (idle()) return "";
  const Entry* entry = queue_.empty() ? nullptr : &queue_.front();
  std::string text = core_.path + ' ' + isa::name_of(which_) + " waits for " + (*waiting_for_ != '\0' ? waiting_for_ : "its turn");
  if (entry != nullptr) text += ": " + core_.describe(which_, entry->head, entry->position);
  return text;
}

}  // namespace npulab::cores
