// SPDX-License-Identifier: Apache-2.0
#include "model/isa/core_flow.h"

namespace npulab::isa {

CoreFlow::CoreFlow(const Kernel& kernel, const Setting& setting, CheckReport& report, CrossFlagCarrier& carrier)
    : kernel_(kernel), setting_(setting), report_(report), carrier_(carrier),
      source_(kernel, setting.core.program, kernel.blocks[setting.core.block]), flags_(1) {
  for (int pipe = 1; pipe < kPipeCount; ++pipe) {
    pipes_[static_cast<std::size_t>(pipe)].ring.resize(static_cast<std::size_t>(setting.spec->dispatch.queue_depth[pipe]));
  }
}

bool CoreFlow::done() const {
  if (!ended_) return false;
  for (const PipeFlow& pipe : pipes_) {
    if (pipe.count > 0) return false;
  }
  return true;
}

CoreFlow::Flag& CoreFlow::flag(Pipe source, Pipe target, int event) {
  std::uint16_t& index = flag_index_[static_cast<std::size_t>((static_cast<int>(source) * kPipeCount + static_cast<int>(target)) * 256 + event)];
  if (index == 0) {
    index = static_cast<std::uint16_t>(flags_.size());
    flags_.emplace_back();
  }
  return flags_[index];
}

bool CoreFlow::advance() {
  bool moved = drain();
  while (!ended_) {
    if (!holds_) {
      Instruction head;
      if (!source_.next(head)) {
        ended_ = true;
        return true;
      }
      held_ = {head.opcode, head.pipe, head.peer, head.event, source_.position(), 0};
      holds_ = true;
    }
    held_.epoch = epoch_;
    const bool gone = held_.pipe == Pipe::s ? dispatch_on_s(held_) : dispatch(held_);
    if (!gone) return moved;
    holds_ = false;
    moved = true;
    if (awake_ != 0) drain();
  }
  return moved;
}

bool CoreFlow::dispatch(const Entry& entry) {
  PipeFlow& pipe = pipes_[static_cast<std::size_t>(entry.pipe)];
  if (pipe.count == 0 && execute(entry)) return true;
  if (pipe.count == pipe.ring.size()) return false;
  push(entry);
  return true;
}

bool CoreFlow::dispatch_on_s(const Entry& entry) {
  if (entry.opcode == Opcode::pipe_barrier) return barrier();
  return execute(entry);
}

void CoreFlow::push(const Entry& entry) {
  PipeFlow& pipe = pipes_[static_cast<std::size_t>(entry.pipe)];
  const auto [place, first] = snapshots_.try_emplace(entry.epoch);
  if (first) place->second.clock = pipes_[0].clock;
  ++place->second.uses;
  pipe.ring[(pipe.first + pipe.count) % pipe.ring.size()] = entry;
  ++pipe.count;
}

/// Runs what waits in queues and can go on; true when anything did.
bool CoreFlow::drain() {
  bool moved = false;
  while (awake_ != 0) {
    const int which = __builtin_ctz(awake_);
    awake_ &= awake_ - 1;
    PipeFlow& pipe = pipes_[static_cast<std::size_t>(which)];
    while (pipe.count > 0 && execute(pipe.front())) {
      const auto snapshot = snapshots_.find(pipe.front().epoch);
      if (--snapshot->second.uses == 0) snapshots_.erase(snapshot);
      pipe.first = (pipe.first + 1) % pipe.ring.size();
      --pipe.count;
      moved = true;
    }
  }
  return moved;
}

/// False: it has to wait.
bool CoreFlow::execute(const Entry& entry) {
  switch (entry.opcode) {
    case Opcode::set_flag: set(entry); return true;
    case Opcode::wait_flag: return wait(entry);
    case Opcode::cross_set: cross_set(entry); return true;
    case Opcode::cross_wait: return cross_wait(entry);
    default: return true;  // work and barriers within one pipe always come to an end
  }
}

/// The clock of the entry's pipe, with what the dispatcher knew when it sent the entry, one tick on.
FlowClock& CoreFlow::clock_of(const Entry& entry) {
  PipeFlow& pipe = pipes_[static_cast<std::size_t>(entry.pipe)];
  if (entry.pipe == Pipe::s) {
    dispatcher_moved();
  } else if (pipe.epoch < entry.epoch) {
    const auto snapshot = entry.epoch == epoch_ ? snapshots_.end() : snapshots_.find(entry.epoch);
    pipe.clock.join(snapshot == snapshots_.end() ? pipes_[0].clock : snapshot->second.clock, setting_.components);
    pipe.epoch = entry.epoch;
  }
  ++pipe.clock.ticks[static_cast<std::size_t>(component(entry.pipe))];
  return pipe.clock;
}

/// What is dispatched from now on knows more than what was dispatched before.
void CoreFlow::dispatcher_moved() { ++epoch_; }

void CoreFlow::set(const Entry& entry) {
  const Pipe target = static_cast<Pipe>(entry.peer);
  const FlowClock& clock = clock_of(entry);
  Flag& f = flag(entry.pipe, target, entry.event);
  if (f.pending > 0) {
    report_.instruction(setting_.core, entry.op, "overrun",
                        "expected " + flag_name(entry) + " to have been waited for since " + report_.place(setting_.core.program, f.set_op) +
                            " set it, found it still set");
  } else if (f.consumed > clock.ticks[static_cast<std::size_t>(component(target))]) {
    report_.instruction(setting_.core, entry.op, "overrun",
                        "expected the wait for " + flag_name(entry) + " to be over before the flag is set again, found nothing that orders them");
  }
  ++f.pending;
  f.set_clock = clock;
  f.set_op = entry.op;
  awake_ |= 1u << entry.peer;
}

bool CoreFlow::wait(const Entry& entry) {
  Flag& f = flag(static_cast<Pipe>(entry.peer), entry.pipe, entry.event);
  if (f.pending == 0) return false;
  --f.pending;
  FlowClock& clock = clock_of(entry);
  clock.join(f.set_clock, setting_.components);
  f.consumed = clock.ticks[static_cast<std::size_t>(component(entry.pipe))];
  return true;
}

bool CoreFlow::barrier() {
  for (const PipeFlow& pipe : pipes_) {
    if (pipe.count > 0) return false;
  }
  dispatcher_moved();
  for (const PipeFlow& pipe : pipes_) pipes_[0].clock.join(pipe.clock, setting_.components);
  return true;
}

void CoreFlow::cross_set(const Entry& entry) {
  const FlowClock clock = clock_of(entry);
  carrier_.cross_set(setting_.index, entry.peer, entry.event, clock, entry.op);
}

bool CoreFlow::cross_wait(const Entry& entry) {
  Count& count = counts_[entry.event];
  if (count.arrived.empty()) return false;
  FlowClock& clock = clock_of(entry);
  const std::size_t size = static_cast<std::size_t>(setting_.max_pending);
  // Two pipes would take the counts in an order that depends on timing.
  if (count.consumed > 0 && count.taken[(count.consumed - 1) % size].first != component(entry.pipe)) {
    report_.instruction(setting_.core, entry.op, "two pipes",
                        "expected one pipe of a core to wait for " + flag_name(entry) + ", found a second one");
  }
  clock.join(count.arrived.front(), setting_.components);
  count.arrived.pop_front();
  count.taken.resize(size);
  count.taken[count.consumed % size] = {component(entry.pipe), clock.ticks[static_cast<std::size_t>(component(entry.pipe))]};
  ++count.consumed;
  return true;
}

void CoreFlow::count_arrived(int flag, const FlowClock& clock, const CheckedCore& sender, std::size_t op) {
  Count& count = counts_[flag];
  const std::size_t most = static_cast<std::size_t>(setting_.max_pending);
  count.arrived.push_back(clock);
  count.set_op = static_cast<std::uint32_t>(op);
  ++count.delivered;
  bool room = count.arrived.size() <= most;
  if (room && count.delivered > most) {
    // The oldest count that would not fit beside this one must be known to be taken.
    const auto& [taker, tick] = count.taken[(count.delivered - most - 1) % most];
    room = clock.ticks[static_cast<std::size_t>(taker)] >= tick;
  }
  if (!room) {
    report_.instruction(sender, op, "cross overrun",
                        "expected at most " + std::to_string(most) + " counts of cross-core flag " + std::to_string(flag) +
                            " not yet waited for by " +
                            setting_.core.name + ", found nothing that keeps them apart");
  }
  for (int pipe = 1; pipe < kPipeCount; ++pipe) awake_ |= pipes_[static_cast<std::size_t>(pipe)].count > 0 ? 1u << pipe : 0u;
}

}  // namespace npulab::isa
