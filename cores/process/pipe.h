// SPDX-License-Identifier: Apache-2.0
// One pipe: a bounded in-order queue and the process that executes it (rules 3 to 7).
#pragma once

#include <systemc>
#include <deque>
#include <string>

#include "cores/process/pipe_account.h"
#include "model/contract/memory_system.h"
#include "model/isa/instruction.h"
#include "model/timing/instruction_cost.h"

namespace npulab::cores {

class ProcessCore;

class Pipe : public sc_core::sc_module, public TransferClient {
 public:
  SC_HAS_PROCESS(Pipe);
  Pipe(sc_core::sc_module_name name, ProcessCore& core, isa::Pipe which);

  void begin(Cycles first_cycle, Cycles dispatch_from);
  void abandon();
  bool full() const;
  /// full(), counting a slot that was left in `cycle` as still taken.
  bool full_in(Cycles cycle) const;
  const sc_core::sc_event& left() const { return left_; }
  void push(const isa::Instruction& head, std::uint32_t position, Cycles arrival);

  bool idle() const { return queue_.empty() && !active_; }
  /// When the last occupancy has ended and the last result is visible.
  Cycles visible() const { return std::max(visible_, free_); }
  PipeAccount& account() { return account_; }
  std::string blocked_on() const;

  void transfer_bounded(RequestId, Picoseconds) override {}
  void transfer_resolved(RequestId request, const TransferResult& result) override;

 private:
  struct Entry {
    isa::Instruction head;
    std::uint32_t position;
    Cycles arrival;
  };

  void run();
  void run_block();
  void execute(const Entry& entry);
  void execute_set(const Entry& entry, Cycles start);
  void execute_wait(const Entry& entry, Cycles start);
  void execute_local(const Entry& entry, Cycles start);
  void execute_gm_move(const Entry& entry, Cycles start);
  TransferResult transfer(const Entry& entry, const timing::InstructionCost& cost);
  void leave_queue(Cycles cycle);

  ProcessCore& core_;
  const isa::Pipe which_;
  std::deque<Entry> queue_;
  bool active_ = false;
  const char* waiting_for_ = "";
  Cycles free_ = 0;
  Cycles visible_ = 0;
  Cycles left_cycle_ = 0;
  PipeAccount account_;
  RequestId request_ = 0;
  bool resolved_ = false;
  bool outstanding_ = false;
  TransferResult result_;
  sc_core::sc_event pushed_, left_, answered_;
};

}  // namespace npulab::cores
