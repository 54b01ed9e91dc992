// SPDX-License-Identifier: Apache-2.0
// A core group on the process engine: one SystemC process for the dispatcher and each pipe of every core.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cores/process/process_core.h"
#include "model/contract/compute_core.h"

namespace npulab::cores {

class ProcessGroupModule : public sc_core::sc_module, public ComputeCore, private CrossFlagListener {
 public:
  ProcessGroupModule(sc_core::sc_module_name name, const CoreGroupContext& context);
  ~ProcessGroupModule() override;

  const CoreGroupInfo& info() const override { return info_; }
  void start(const BlockLaunch& launch, BlockObserver& observer) override;
  void abort() override;
  bool idle() const override { return observer_ == nullptr; }
  std::string blocked_on() const override;
  /// Fault points of one core, by index within the group (cube or fused first).
  CoreEffects* effects(int core) { return cores_[static_cast<std::size_t>(core)]->effects.get(); }

 private:
  void begin(Cycles first_cycle);
  void check_end();
  void finish(Cycles end);
  void fail(BlockStatus status, const std::string& error);
  void report_failure();
  void stop();
  void cross_flag_arrived(CrossFlagSide side, int flag) override;

  CoreGroupContext context_;
  CoreGroupInfo info_;
  GroupControl control_;
  TimedActions actions_;
  EffectQueue effects_;
  CrossFlagBoard cross_flags_;
  GroupServices services_;
  std::vector<std::unique_ptr<ProcessCore>> cores_;
  BlockObserver* observer_ = nullptr;
  BlockLaunch launch_;
  Picoseconds start_time_ = 0;
  bool ending_ = false;
  bool joined_ = false;
  BlockStatus failure_ = BlockStatus::ok;
  std::string error_;
};

}  // namespace npulab::cores
