// SPDX-License-Identifier: Apache-2.0
// The execution rules of cores/README.md by arithmetic: plain C++, no SystemC. What can be decided from what is known is
// decided at once; only what shares a port goes strictly in time order, and never past what an outside event could change.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cores/scoreboard/publisher.h"
#include "cores/scoreboard/scoreboard_state.h"
#include "model/contract/compute_core.h"

namespace npulab::cores::scoreboard {

/// Small steps of the loop over instructions: a call would cost as much as the step.
#define NPULAB_IN_LOOP inline __attribute__((always_inline))

class Scoreboard {
 public:
  Scoreboard(const SocSpec& soc, std::vector<const CoreSpec*> cores, std::vector<std::string> paths, Publisher& publisher);

  /// Number under which the trace knows a core.
  void set_trace_core(int core, std::uint32_t trace_core) { cores_[static_cast<std::size_t>(core)].record.core = trace_core; }

  /// Gets ready for a block whose first cycle is `first_cycle`; `programs` by core, -1 for none; `costs` without ports that
  /// need no watching (port_relief.h).
  void begin(const BlockLaunch& launch, const std::vector<int>& programs,
             const std::vector<const std::vector<timing::InstructionCost>*>& costs, Cycles first_cycle);

  /// Decides as much as can be decided; port users only before `cross_horizon` while a cross_wait is open.
  void run(Cycles cross_horizon);

  /// Acts not yet taken, in no order; the caller takes those that are due.
  std::vector<OutsideAct>& acts() { return acts_; }
  /// Time of the earliest event that was not processed, kNeverCycles if there is none.
  Cycles next_event() const { return std::min(next_slot_time(), next_set_time()); }
  /// Run-ahead stopped because too much is waiting to be published.
  bool crowded() const { return publisher_.crowded(); }

  const PipeState& pipe(int core, isa::Pipe which) const { return cores_[core].pipes[static_cast<int>(which)]; }
  void gm_issued(int core, isa::Pipe which, RequestId request, Cycles earliest_end);
  /// The transfer cannot end before cycle `earliest_end`.
  void gm_bounded(int core, isa::Pipe which, Cycles earliest_end);
  void gm_resolved(int core, isa::Pipe which, const TransferResult& result, Cycles data_cycle, Cycles visible_cycle);
  /// A mode-0 flag has arrived for every core of a side.
  void cross_arrived(bool cube_side, int flag, Cycles usable_from);

  bool finished() const;
  Cycles end_cycle() const;
  bool failed() const { return failure_ != BlockStatus::ok; }
  BlockStatus failure() const { return failure_; }
  Cycles failure_cycle() const { return failure_cycle_; }
  const std::string& error() const { return error_; }
  /// Closes the accounts; InternalError when busy and stalls do not add up.
  CoreBlockRecord& close(int core, Cycles end);
  bool takes_part(int core) const { return cores_[core].takes_part; }
  std::string blocked_on() const;

 private:
  // Scheduling.
  void drain();
  Cycles next_slot_time() const;
  Cycles next_set_time() const;
  Cycles horizon() const;
  void process(int slot);
  void mark(int core, isa::Pipe which) { dirty_ |= 1u << (core * kSlots + static_cast<int>(which)); }
  void set_next(int core, isa::Pipe which, Cycles cycle) {
    const int slot = core * kSlots + static_cast<int>(which);
    next_[static_cast<std::size_t>(slot)] = cycle << kSlotBits | slot;
  }
  // Dispatcher (scoreboard_dispatch.cpp).
  void advance_dispatcher(int core);
  bool dispatch_own(CoreState& core, int index, const isa::Instruction& head, std::uint32_t position);
  bool feed(CoreState& core, int index, const isa::Instruction& head, std::uint32_t position);
  static bool moves_gm(const CoreState& core, const QueueEntry& entry) {
    return entry.opcode() > isa::Opcode::cross_wait && core.costs[entry.operands()].gm != isa::GmAccess::none;
  }
  bool hold_dispatcher(int core, const QueueEntry& entry);
  void occupy_dispatcher(int core, const QueueEntry& entry, Cycles start, Cycles occupancy, StallCause cause);
  // Pipes (scoreboard_pipes.cpp).
  void advance_pipe(int core, isa::Pipe which);
  NPULAB_IN_LOOP bool try_set(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, Cycles start);
  NPULAB_IN_LOOP bool try_wait(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, Cycles start);
  __attribute__((noinline)) bool advance_one(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses);
  NPULAB_IN_LOOP void execute(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses, Cycles start);
  NPULAB_IN_LOOP void take(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses, Cycles start);
  void start_local(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses, Cycles start);
  void end_local(CoreState& core, int index, isa::Pipe which, Cycles end);
  void start_gm(CoreState& core, int index, isa::Pipe which, const QueueEntry& entry, const Addresses& addresses, Cycles start);
  void end_gm(CoreState& core, int index, isa::Pipe which, Cycles end);
  NPULAB_IN_LOOP void leave(CoreState& core, PipeState& pipe, int index, isa::Pipe which, Cycles cycle);
  /// The pipe's queue has a free slot more, or the pipe has come to rest.
  void wake_dispatcher(const CoreState& core, int index, isa::Pipe which) {
    if ((core.wakers >> static_cast<int>(which) & 1) != 0) mark(index, isa::Pipe::s);
  }
  // Flags (scoreboard_flags.cpp).
  NPULAB_IN_LOOP bool set_flag(int core, isa::Pipe source, const QueueEntry& entry, Cycles start, Cycles seen_from, bool& fine);
  NPULAB_IN_LOOP bool take_flag(int core, isa::Pipe target, const QueueEntry& entry, Cycles from, Cycles& over);
  bool take_count(int core, const QueueEntry& entry, Cycles from, Cycles& over);
  void cross_set(int core, const QueueEntry& entry, Cycles effect);
  void take_effect(const GroupSet& set);
  void deliver(int core, int flag, Cycles arrival, Cycles usable_from);
  void fail(BlockStatus status, Cycles cycle, const std::string& error);
  std::string describe(int core, isa::Pipe which, const QueueEntry& entry) const;
  // Ports (scoreboard_ports.cpp).
  static bool load_ports(CoreState& core, const timing::InstructionCost& cost, int sign);
  static bool overloads(const CoreState& core, const timing::InstructionCost& cost);
  Cycles quiet_until(const CoreState& core, isa::Pipe which) const;
  void join_ports(CoreState& core, int index, isa::Pipe which, Cycles cycle);
  void leave_ports(CoreState& core, int index, isa::Pipe which, Cycles cycle);
  static void settle_ports(CoreState& core, Cycles cycle);
  void set_speeds(CoreState& core, int index, Cycles cycle);
  // Accounts (scoreboard_accounts.cpp).
  NPULAB_IN_LOOP static void account_gap(PipeState& pipe, Cycles arrival, Cycles start, StallCause cause);
  NPULAB_IN_LOOP static void account_executed(PipeState& pipe, Cycles start, Cycles end, Cycles work);
  static void account_moved(PipeState& pipe, Cycles start, Cycles end, std::int64_t frequency_khz);
  void account_dispatcher(CoreState& core);
  static void account_end(PipeState& pipe, Cycles visible, Cycles end);
  static void count_work(CoreState& core);
  void record(int core, isa::Pipe which, const QueueEntry& entry, Cycles start, Cycles busy_end, Cycles visible) {
    if (recording_) write_record(core, which, entry, start, busy_end, visible);
  }
  void write_record(int core, isa::Pipe which, const QueueEntry& entry, Cycles start, Cycles busy_end, Cycles visible);

  const SocSpec& soc_;
  std::vector<std::string> paths_;
  Publisher& publisher_;
  std::vector<CoreState> cores_;
  std::vector<std::int64_t> next_;  // by slot: cycle of the next event above the slot's own number, so that the least is the first
  std::uint32_t dirty_ = 0;
  Cycles time_ = 0;           // of the event being processed
  Cycles first_cycle_ = 0;
  Cycles cross_horizon_ = 0;
  Cycles limit_ = 0;          // from which on outside events may change things
  bool dispatching_ = false;  // a dispatcher may be about to feed any pipe
  bool functional_ = false;
  bool recording_ = false;
  bool horizon_changed_ = true;     // a GM move or a cross-core wait has begun, moved on or ended
  bool inter_group_flags_ = false;  // this kernel uses mode 0
  std::vector<OutsideAct> acts_;
  std::vector<GroupSet> group_sets_;  // decided, to take effect in order of time
  std::int64_t sent_[3][kMaxCores][kCrossFlags];  // sets in effect: mode 1, mode 2 from the cube, from the vectors
  std::int64_t delivered_[3][kCrossFlags];
  BlockLaunch launch_copy_;
  BlockStatus failure_ = BlockStatus::ok;
  Cycles failure_cycle_ = 0;
  std::string error_;
};

}  // namespace npulab::cores::scoreboard
