// SPDX-License-Identifier: Apache-2.0
// One core of a group: its dispatcher, its pipes, and what they share.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cores/process/effect_queue.h"
#include "cores/process/flag_board.h"
#include "cores/process/cross_flag_board.h"
#include "cores/process/group_control.h"
#include "cores/process/port_board.h"
#include "cores/units/core_effects.h"
#include "model/contract/core_group_context.h"
#include "model/contract/cross_flag_fabric.h"
#include "model/isa/instruction_source.h"

namespace npulab::cores {

class Dispatcher;
class Pipe;

/// What a core needs from its group.
struct GroupServices {
  GroupControl& control;
  TimedActions& actions;
  EffectQueue& effects;
  CrossFlagBoard& cross_flags;
  const CoreGroupContext& context;
  /// Ends the block in failure.
  std::function<void(BlockStatus, const std::string&)> fail;
  /// Something has become idle; the block may be over.
  std::function<void()> check_end;
};

class ProcessCore : public sc_core::sc_module {
 public:
  ProcessCore(sc_core::sc_module_name name, GroupServices& services, CoreKind kind, int index, const std::string& path);
  ~ProcessCore() override;

  /// Gets ready for a block; `program` < 0: nothing to do.
  void begin(const BlockLaunch& launch, int program, Cycles first_cycle);
  void abandon();
  bool finished() const;
  /// Last cycle in which anything of this core ends or becomes visible.
  Cycles end_cycle() const;
  CoreBlockRecord close(Cycles block_end);
  std::string blocked_on() const;

  bool takes_part() const { return takes_part_; }
  Pipe& pipe(isa::Pipe which) { return *pipes_[static_cast<int>(which)]; }
  const timing::InstructionCost& cost(const isa::Instruction& head) const { return costs_[head.operands]; }
  void record(const isa::Instruction& head, std::uint32_t position, Cycles start, Cycles busy_end, Cycles visible);
  void count(const timing::InstructionCost& cost);
  /// Every pipe is empty and idle; `visible` is when their last results can be seen.
  bool pipes_idle(Cycles& visible) const;
  void pipe_went_idle() { idle_event_.notify(); services.check_end(); }
  const sc_core::sc_event& idle_event() const { return idle_event_; }
  /// Puts a cross-core set into effect at cycle `effect`.
  void cross_set(const isa::Instruction& head, Cycles effect);
  std::string describe(isa::Pipe pipe, const isa::Instruction& head, std::uint32_t position) const;

  GroupServices& services;
  const CoreSpec& spec;
  const CoreKind kind;
  const int index;
  const std::string path;
  PortBoard ports;
  FlagBoard flags;
  MemoryClientId client = 0;
  std::uint32_t trace_core = 0;
  std::unique_ptr<CoreEffects> effects;
  isa::InstructionSource source;
  BlockLaunch launch;
  Cycles last_cross_effect = 0;

 private:
  void release_records(Cycles cycle);

  bool takes_part_ = false;
  int program_ = -1;
  std::vector<timing::InstructionCost> costs_;
  const Kernel* costed_kernel_ = nullptr;
  CoreBlockRecord totals_;
  std::vector<InstructionRecord> early_;  // written when their end was decided, which has not come yet
  sc_core::sc_event idle_event_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::array<std::unique_ptr<Pipe>, isa::kPipeCount> pipes_;  // index by Pipe; S unused
};

}  // namespace npulab::cores
