// SPDX-License-Identifier: Apache-2.0
#include "model/isa/group_flow.h"

#include <algorithm>

namespace npulab::isa {
namespace {

constexpr std::size_t kFarAhead = 1 << 16;  // sets one sender may be ahead of another before it counts as lost

}  // namespace

GroupFlow::GroupFlow(const Kernel& kernel, const SocSpec& soc, const std::vector<Member>& members, CheckReport& report, TaskFlow& task)
    : members_(members), report_(report), task_(task), number_(task.size()), components_(static_cast<int>(members.size()) * kPipeCount) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    CoreFlow::Setting setting;
    setting.core = members_[i].core;
    setting.index = static_cast<int>(i);
    setting.components = components_;
    setting.spec = &soc.core(members_[i].kind);
    setting.max_pending = std::max(soc.cross_flags.max_pending, 1);
    cores_.push_back(std::make_unique<CoreFlow>(kernel, setting, report, *this));
  }
}

bool GroupFlow::advance() {
  bool moved = false, any = true;
  while (any) {
    any = false;
    for (const auto& core : cores_) any = core->advance() || any;
    moved = moved || any;
  }
  return moved;
}

bool GroupFlow::done() const {
  return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->done(); });
}

void GroupFlow::report_waiting() const {
  for (const auto& core : cores_) core->report_waiting();
}

void GroupFlow::report_left() const {
  for (const auto& core : cores_) core->report_left();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (const auto& [key, sets] : sent_[i]) {
      if (sets.empty()) continue;
      report_.instruction(members_[i].core, sets.back().op, "cross left",
                          "expected as many sets of cross-core flag " + std::to_string(key.second) + " by every sender, found " +
                              std::to_string(sets.size()) + " more by this one");
    }
  }
}

int GroupFlow::cores_of(bool cube_side) const {
  return static_cast<int>(std::count_if(members_.begin(), members_.end(), [&](const Member& m) { return on_cube_side(m) == cube_side; }));
}

void GroupFlow::cross_set(int core, int mode, int flag, const FlowClock& clock, std::size_t op) {
  const Member& member = members_[static_cast<std::size_t>(core)];
  const bool cube = on_cube_side(member);
  // Mode 1 joins the vector cores, mode 2 goes to the other side, mode 0 to the same side of all groups.
  const Between between = {cube, mode == 2 ? !cube : cube};
  if (mode != 0 && cores_of(between.to_cube) == 0) {
    report_.instruction(member.core, op, "receiver", "expected a core of this block that receives the flag, found none");
    return;
  }
  std::deque<Sent>& sent = sent_[core][{mode, flag}];
  if (sent.size() >= kFarAhead) {
    report_.instruction(member.core, op, "far ahead",
                        "expected the other senders to keep up, found this one " + std::to_string(kFarAhead) + " sets ahead");
    return;
  }
  sent.push_back({clock, op});
  if (mode == 0) {
    task_.set(number_, core, cube, flag);
  } else if (sent_everywhere(cube, mode, flag)) {
    deliver(between, mode, flag);
  }
}

bool GroupFlow::sent_everywhere(bool cube_side, int mode, int flag) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (on_cube_side(members_[i]) == cube_side && sent_[i][{mode, flag}].empty()) return false;
  }
  return true;
}

void GroupFlow::deliver(const Between& between, int mode, int flag) {
  FlowClock clock;
  const CheckedCore* sender = nullptr;
  std::size_t op = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (on_cube_side(members_[i]) != between.from_cube) continue;
    std::deque<Sent>& sent = sent_[i][{mode, flag}];
    clock.join(sent.front().clock, components_);
    sender = &members_[i].core;
    op = sent.front().op;
    sent.pop_front();
  }
  for (std::size_t i = 0; i < members_.size() && sender != nullptr; ++i) {
    if (on_cube_side(members_[i]) == between.to_cube) cores_[i]->count_arrived(flag, clock, *sender, op);
  }
}

void GroupFlow::complete(bool cube_side, int flag) {
  if (cores_of(cube_side) > 0) deliver({cube_side, cube_side}, 0, flag);
}

int TaskFlow::cores_of(bool cube_side) const {
  int cores = 0;
  for (const auto& group : groups_) cores += group->cores_of(cube_side);
  return cores;
}

void TaskFlow::set(int group, int core, bool cube_side, int flag) {
  Round& round = rounds_[{cube_side, flag}];
  if (round.sets[{group, core}]++ == round.completed) ++round.ahead;
  if (round.ahead < cores_of(cube_side)) return;
  ++round.completed;
  round.ahead = 0;
  for (const auto& [sender, sets] : round.sets) round.ahead += sets > round.completed ? 1 : 0;
  for (const auto& each : groups_) each->complete(cube_side, flag);
}

void TaskFlow::run() {
  for (bool any = true; any;) {
    any = false;
    for (const auto& group : groups_) any = group->advance() || any;
  }
}

void TaskFlow::report() const {
  const bool done = std::all_of(groups_.begin(), groups_.end(), [](const auto& group) { return group->done(); });
  for (const auto& group : groups_) {
    if (done) group->report_left();
    else group->report_waiting();
  }
}

}  // namespace npulab::isa
