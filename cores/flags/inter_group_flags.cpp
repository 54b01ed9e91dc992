// SPDX-License-Identifier: Apache-2.0
#include "cores/flags/inter_group_flags.h"

#include <algorithm>

namespace npulab::cores {

void InterGroupFlags::join(std::uint64_t task, std::uint32_t task_groups, int cube_cores, int vector_cores,
                           CrossFlagListener& listener) {
  Task& state = tasks_[task];
  state.groups = task_groups;
  ++state.joined;
  state.cores[0] += cube_cores;
  state.cores[1] += vector_cores;
  state.listeners.push_back(&listener);
  if (state.joined < state.groups) return;
  for (int side = 0; side < 2; ++side) {
    std::vector<int> flags;
    for (const auto& [flag, sets] : state.sets[side]) flags.push_back(flag);
    for (int flag : flags) check(task, static_cast<CrossFlagSide>(side), flag);
  }
}

void InterGroupFlags::leave(std::uint64_t task, CrossFlagListener& listener) {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  auto& listeners = found->second.listeners;
  listeners.erase(std::remove(listeners.begin(), listeners.end(), &listener), listeners.end());
  if (listeners.empty() && found->second.joined >= found->second.groups) tasks_.erase(found);
}

void InterGroupFlags::set(std::uint64_t task, CrossFlagSide side, int flag) {
  ++tasks_[task].sets[static_cast<int>(side)][flag];
  check(task, side, flag);
}

/// Programs of one side set a flag in step (each waits before it sets again), so a count of all sets tells when a round is full.
void InterGroupFlags::check(std::uint64_t task, CrossFlagSide side, int flag) {
  Task& state = tasks_[task];
  if (state.joined < state.groups) return;
  std::int64_t& sets = state.sets[static_cast<int>(side)][flag];
  while (sets >= state.cores[static_cast<int>(side)]) {
    sets -= state.cores[static_cast<int>(side)];
    under_way_.push_back(timeline_.now() + latency_);
    timeline_.after(latency_, [this, task, side, flag] { deliver(task, side, flag); });
  }
}

void InterGroupFlags::deliver(std::uint64_t task, CrossFlagSide side, int flag) {
  under_way_.pop_front();
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  // A listener may leave while it is told.
  const std::vector<CrossFlagListener*> listeners = found->second.listeners;
  for (CrossFlagListener* listener : listeners) listener->cross_flag_arrived(side, flag);
}

}  // namespace npulab::cores
