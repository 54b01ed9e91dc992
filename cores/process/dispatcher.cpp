// SPDX-License-Identifier: Apache-2.0
#include "cores/process/dispatcher.h"

#include <algorithm>

#include "cores/process/pipe.h"
#include "cores/process/process_core.h"

namespace npulab::cores {

Dispatcher::Dispatcher(sc_core::sc_module_name name, ProcessCore& core) : sc_module(name), core_(core) { SC_THREAD(run); }

void Dispatcher::begin(Cycles first_cycle, Cycles dispatch_from) {
  running_ = true;
  cycle_ = dispatch_from;
  account_.begin(first_cycle, dispatch_from);
  start_.notify();
}

void Dispatcher::run() {
  for (;;) {
    while (!running_) sc_core::wait(start_);
    try {
      run_block();
    } catch (const BlockStopped&) {
      running_ = false;
    }
  }
}

void Dispatcher::run_block() {
  core_.services.control.wait_until(cycle_);
  isa::Instruction head;
  while (core_.source.next(head)) {
    current_ = head;
    dispatch(head);
    core_.services.control.wait_until(cycle_);
  }
  running_ = false;
  core_.services.check_end();
}

void Dispatcher::dispatch(const isa::Instruction& head) {
  switch (head.opcode) {
    case isa::Opcode::scalar: scalar(head); return;
    case isa::Opcode::set_flag: case isa::Opcode::cross_set:
      if (head.pipe == isa::Pipe::s) return set(head);
      break;
    case isa::Opcode::wait_flag: case isa::Opcode::cross_wait:
      if (head.pipe == isa::Pipe::s) return hold(head);
      break;
    case isa::Opcode::pipe_barrier:
      if (head.pipe == isa::Pipe::s) return barrier(head);
      break;
    default: break;
  }
  feed(head);
}

void Dispatcher::occupy(const isa::Instruction& head, Cycles start, Cycles occupancy, StallCause cause) {
  const Cycles began = cycle_;
  account_.gap(began, start, cause);
  account_.executed(start, start + occupancy, occupancy);
  cycle_ = start + occupancy;
  if (head.pipe == isa::Pipe::s) core_.record(head, core_.source.position(), began, cycle_, cycle_);
}

void Dispatcher::scalar(const isa::Instruction& head) {
  occupy(head, cycle_, std::max<Cycles>(static_cast<Cycles>(head.dst), 1), StallCause::dispatch);
}

void Dispatcher::set(const isa::Instruction& head) {
  const Cycles start = cycle_;
  const Cycles occupancy = core_.spec.dispatch.issue_cycles;
  occupy(head, start, occupancy, StallCause::dispatch);
  if (head.opcode == isa::Opcode::cross_set) {
    core_.cross_set(head, cycle_);
    return;
  }
  const Cycles seen_from = cycle_ + core_.spec.flags.propagation_cycles;
  if (!core_.flags.set(isa::Pipe::s, static_cast<isa::Pipe>(head.peer), head.event, start, seen_from)) {
    core_.services.fail(BlockStatus::flag_overrun,
                        core_.describe(isa::Pipe::s, head, core_.source.position()) + ": the flag is still pending");
  }
}

void Dispatcher::hold(const isa::Instruction& head) {
  const bool cross = head.opcode == isa::Opcode::cross_wait;
  waiting_for_ = cross ? "cross-core flag" : "flag";
  const Cycles over = cross ? core_.services.cross_flags.wait(core_.index, head.event, cycle_)
                            : core_.flags.wait(static_cast<isa::Pipe>(head.peer), isa::Pipe::s, head.event, cycle_);
  waiting_for_ = "";
  occupy(head, over, core_.spec.flags.wait_cycles, cross ? StallCause::cross_core : StallCause::flag);
}

void Dispatcher::feed(const isa::Instruction& head) {
  Pipe& pipe = core_.pipe(head.pipe);
  waiting_for_ = "a queue slot";
  Cycles start = cycle_;
  for (;;) {
    while (pipe.full()) core_.services.control.wait_for(pipe.left());
    start = std::max(start, core_.services.control.cycle());
    // A slot that was left in this very cycle can be taken from the next one on.
    if (!pipe.full_in(start)) break;
    core_.services.control.wait_until(++start);
  }
  waiting_for_ = "";
  pipe.push(head, core_.source.position(), start + core_.spec.dispatch.queue_latency_cycles);
  occupy(head, start, core_.spec.dispatch.issue_cycles, StallCause::queue_full);
}

void Dispatcher::barrier(const isa::Instruction& head) {
  Cycles visible = 0;
  waiting_for_ = "a barrier";
  while (!core_.pipes_idle(visible)) core_.services.control.wait_for(core_.idle_event());
  const Cycles over = std::max(cycle_, visible);
  core_.services.control.wait_until(over);
  waiting_for_ = "";
  occupy(head, over, core_.spec.flags.barrier_cycles, StallCause::barrier);
}

std::string Dispatcher::blocked_on() const {
  if (!running_ || *waiting_for_ == '\0') return "";
  return core_.path + " S waits for " + waiting_for_ + ": " + core_.describe(isa::Pipe::s, current_, core_.source.position());
}

}  // namespace npulab::cores
