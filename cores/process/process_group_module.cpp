// SPDX-License-Identifier: Apache-2.0
#include "cores/process/process_group_module.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::cores {
namespace {

CoreKind main_kind(const CoreGroupSpec& group) {
  return group.fused_cores > 0 ? CoreKind::fused : group.cube_cores > 0 ? CoreKind::cube : CoreKind::vector;
}

}  // namespace

ProcessGroupModule::ProcessGroupModule(sc_core::sc_module_name name, const CoreGroupContext& context)
    : sc_module(name), context_(context), control_(context.soc->core(main_kind(*context.group)).clock_khz), actions_("actions"),
      effects_(control_.clock(), actions_), cross_flags_(control_, context.soc->cross_flags),
      services_{control_, actions_, effects_, cross_flags_, context_,
                [this](BlockStatus status, const std::string& error) { fail(status, error); }, [this] { check_end(); }} {
  const CoreGroupSpec& group = *context.group;
  info_.path = context.path;
  info_.fused = group.fused_cores > 0;
  info_.cube_cores = group.fused_cores + group.cube_cores;
  info_.vector_cores = group.fused_cores + group.vector_cores;
  if (info_.cube_cores > 0) {
    const CoreKind kind = info_.fused ? CoreKind::fused : CoreKind::cube;
    cores_.push_back(std::make_unique<ProcessCore>("cube", services_, kind, 0, context.path + ".cube"));
  }
  for (int i = 0; i < group.vector_cores; ++i) {
    const std::string core = "vector" + std::to_string(i);
    cores_.push_back(std::make_unique<ProcessCore>(core.c_str(), services_, CoreKind::vector, static_cast<int>(cores_.size()),
                                                   context.path + '.' + core));
  }
}

ProcessGroupModule::~ProcessGroupModule() = default;

void ProcessGroupModule::start(const BlockLaunch& launch, BlockObserver& observer) {
  if (observer_ != nullptr) throw InternalError(context_.path + ": started while busy");
  launch_ = launch;
  observer_ = &observer;
  ending_ = false;
  failure_ = BlockStatus::ok;
  error_.clear();
  const Cycles first_cycle = control_.clock().cycle_after(GroupControl::now());
  start_time_ = control_.clock().edge(first_cycle);
  const isa::BlockBinding& binding = launch.kernel->blocks[launch.block];
  joined_ = context_.flags != nullptr && context_.soc->cross_flags.supported;
  if (joined_) {
    const int vectors = (binding.vector[0] >= 0 ? 1 : 0) + (binding.vector[1] >= 0 ? 1 : 0);
    context_.flags->join(launch.task, launch.task_groups, binding.cube >= 0 ? 1 : 0, vectors, *this);
  }
  // The processes of a block that was stopped a moment ago must see that first.
  actions_.at(start_time_, [this, first_cycle] { begin(first_cycle); });
}

void ProcessGroupModule::begin(Cycles first_cycle) {
  control_.start();
  const isa::BlockBinding& binding = launch_.kernel->blocks[launch_.block];
  std::vector<int> programs;
  int vector = 0;
  for (const auto& core : cores_) {
    programs.push_back(core->kind == CoreKind::vector ? binding.vector[vector++] : binding.cube);
  }
  std::vector<bool> takes_part;
  for (int program : programs) takes_part.push_back(program >= 0);
  cross_flags_.begin(takes_part, info_.cube_cores > 0 ? 0 : -1);
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->begin(launch_, programs[i], first_cycle);
  check_end();
}

void ProcessGroupModule::check_end() {
  if (observer_ == nullptr || ending_ || failure_ != BlockStatus::ok) return;
  Cycles end = control_.cycle();
  for (const auto& core : cores_) {
    if (!core->finished()) return;
    end = std::max(end, core->end_cycle());
  }
  ending_ = true;
  actions_.at(control_.clock().edge(end), [this, end] { finish(end); });
}

void ProcessGroupModule::finish(Cycles end) {
  effects_.flush();
  BlockResult result;
  result.start_time = start_time_;
  result.end_time = control_.clock().edge(end);
  const Cycles first_cycle = control_.clock().cycle_at_or_after(start_time_);
  for (const auto& core : cores_) {
    if (!core->takes_part()) continue;
    CoreBlockRecord record = core->close(end);
    record.total_cycles = end - first_cycle;
    for (const PipeTotals& pipe : record.pipes) {
      Cycles sum = pipe.busy;
      for (Cycles stall : pipe.stall) sum += stall;
      if (sum != record.total_cycles) throw InternalError(core->path + ": busy and stalls do not add up to the block's time");
    }
    if (context_.trace != nullptr) context_.trace->core_block(record);
  }
  if (joined_) context_.flags->leave(launch_.task, *this);
  BlockObserver* observer = observer_;
  observer_ = nullptr;
  observer->block_finished(context_.group_index, result);
}

void ProcessGroupModule::fail(BlockStatus status, const std::string& error) {
  if (failure_ != BlockStatus::ok) return;
  failure_ = status;
  error_ = error;
  // Reported once this instant's processes have had their say, so that the block ends in the cycle of the failure.
  actions_.at(GroupControl::now(), [this] { report_failure(); });
  control_.stop();
}

void ProcessGroupModule::report_failure() {
  effects_.flush();
  BlockResult result;
  result.status = failure_;
  result.start_time = start_time_;
  result.end_time = GroupControl::now();
  result.error = error_;
  BlockObserver* observer = observer_;
  stop();
  observer->block_finished(context_.group_index, result);
}

void ProcessGroupModule::stop() {
  control_.stop();
  for (const auto& core : cores_) core->abandon();
  effects_.clear();
  actions_.clear();
  if (joined_) context_.flags->leave(launch_.task, *this);
  joined_ = false;
  observer_ = nullptr;
}

void ProcessGroupModule::abort() {
  if (observer_ == nullptr) return;
  effects_.flush();
  stop();
}

void ProcessGroupModule::cross_flag_arrived(CrossFlagSide side, int flag) {
  if (observer_ == nullptr) return;
  const Cycles usable_from = control_.clock().cycle_after(GroupControl::now());
  for (const auto& core : cores_) {
    const bool of_side = (core->kind == CoreKind::vector) == (side == CrossFlagSide::vector);
    if (!of_side || !core->takes_part()) continue;
    if (!cross_flags_.deliver(core->index, flag, usable_from)) {
      fail(BlockStatus::flag_overrun, core->path + ": cross-core flag " + std::to_string(flag) + " set too often");
    }
  }
}

std::string ProcessGroupModule::blocked_on() const {
  std::string text;
  if (observer_ == nullptr) return text;
  for (const auto& core : cores_) {
    const std::string blocked = core->blocked_on();
    if (blocked.empty()) continue;
    if (!text.empty()) text += '\n';
    text += blocked;
  }
  return text.empty() ? context_.path + ": running" : text;
}

}  // namespace npulab::cores
