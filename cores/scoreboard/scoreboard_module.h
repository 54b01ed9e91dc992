// SPDX-License-Identifier: Apache-2.0
// A core group on the scoreboard engine: one SC_METHOD that wakes at the group's next outside act.
#pragma once

#include <systemc>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cores/scoreboard/publisher.h"
#include "cores/scoreboard/scoreboard.h"
#include "cores/units/core_effects.h"
#include "model/base/clock_domain.h"
#include "model/contract/compute_core.h"
#include "model/contract/core_group_context.h"

namespace npulab::cores {

class ScoreboardModule : public sc_core::sc_module, public ComputeCore, private TransferClient, private CrossFlagListener {
 public:
  SC_HAS_PROCESS(ScoreboardModule);
  ScoreboardModule(sc_core::sc_module_name name, const CoreGroupContext& context);
  ~ScoreboardModule() override;

  const CoreGroupInfo& info() const override { return info_; }
  void start(const BlockLaunch& launch, BlockObserver& observer) override;
  void abort() override;
  bool idle() const override { return observer_ == nullptr; }
  std::string blocked_on() const override;
  /// Functional face of one core, by index within the group (cube or fused first); null in timing-only runs.
  CoreEffects* effects(int core) { return effects_.empty() ? nullptr : effects_[static_cast<std::size_t>(core)].get(); }

 private:
  /// An instance in the SystemC hierarchy for each core.
  struct CoreObject : sc_core::sc_module {
    explicit CoreObject(sc_core::sc_module_name name) : sc_module(name) {}
  };
  struct GmRequest {
    int core = 0;
    isa::Pipe pipe = isa::Pipe::s;
    RequestId id = 0;
    Picoseconds start_time = 0;
    bool open = false;
    bool write = false;
    StagedWrite staged;
  };
  struct Commit {
    Cycles cycle = 0;
    int core = 0;
    StagedWrite write;
  };

  void add_core(const char* name, CoreKind kind);
  const std::vector<timing::InstructionCost>& costs(const Kernel& kernel, CoreKind kind);
  void step();
  bool take_due_acts(Cycles cycle);
  void issue(const scoreboard::OutsideAct& act);
  void commit_due(Cycles cycle);
  void wake_for_next_event();
  void arm(Cycles now_cycle);
  void finish();
  void leave_block();
  GmRequest* find(RequestId id);
  void transfer_bounded(RequestId request, Picoseconds not_before) override;
  void transfer_resolved(RequestId request, const TransferResult& result) override;
  void cross_flag_arrived(CrossFlagSide side, int flag) override;
  Picoseconds now() const;
  void notify_at(Picoseconds time);

  CoreGroupContext context_;
  CoreGroupInfo info_;
  ClockDomain clock_;
  std::vector<std::unique_ptr<CoreObject>> core_objects_;
  std::vector<CoreKind> kinds_;
  std::vector<std::string> paths_;
  std::vector<MemoryClientId> clients_;
  std::vector<std::uint32_t> trace_cores_;
  std::vector<std::unique_ptr<CoreEffects>> effects_;
  std::unique_ptr<scoreboard::Publisher> publisher_;
  std::unique_ptr<scoreboard::Scoreboard> scoreboard_;
  std::map<std::pair<const Kernel*, CoreKind>, std::vector<timing::InstructionCost>> cost_cache_;
  std::vector<GmRequest> requests_;   // slots, reused
  std::vector<Commit> commits_;
  BlockObserver* observer_ = nullptr;
  BlockLaunch launch_;
  Cycles first_cycle_ = 0;
  bool joined_ = false;
  Picoseconds ticks_per_ps_ = 1;
  sc_core::sc_event wake_;
};

}  // namespace npulab::cores
