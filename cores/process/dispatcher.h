// SPDX-License-Identifier: Apache-2.0
// The scalar pipe of one core: pulls the program and feeds the queues (rule 2).
#pragma once

#include <systemc>
#include <string>

#include "cores/process/pipe_account.h"
#include "model/isa/instruction.h"

namespace npulab::cores {

class ProcessCore;

class Dispatcher : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Dispatcher);
  Dispatcher(sc_core::sc_module_name name, ProcessCore& core);

  void begin(Cycles first_cycle, Cycles dispatch_from);
  void abandon() { running_ = false; }
  bool finished() const { return !running_; }
  Cycles end_cycle() const { return cycle_; }
  PipeAccount& account() { return account_; }
  std::string blocked_on() const;

 private:
  void run();
  void run_block();
  void dispatch(const isa::Instruction& head);
  void scalar(const isa::Instruction& head);
  void set(const isa::Instruction& head);
  void hold(const isa::Instruction& head);
  void feed(const isa::Instruction& head);
  void barrier(const isa::Instruction& head);
  /// S was stalled from cycle_ to `start` and is then occupied for `occupancy`.
  void occupy(const isa::Instruction& head, Cycles start, Cycles occupancy, StallCause cause);

  ProcessCore& core_;
  bool running_ = false;
  Cycles cycle_ = 0;       // next dispatch cycle
  isa::Instruction current_;
  const char* waiting_for_ = "";
  PipeAccount account_;
  sc_core::sc_event start_;
};

}  // namespace npulab::cores
