// SPDX-License-Identifier: Apache-2.0
// The cores of one block together, with the cross-core flags between them; and all blocks of a task together when flags of
// mode 0 join them. What other groups know of a core's past is not followed: orders through them are not recognised.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/isa/core_flow.h"

namespace npulab::isa {

class TaskFlow;

class GroupFlow : public CrossFlagCarrier {
 public:
  struct Member {
    CheckedCore core;
    CoreKind kind;
    std::int64_t instructions = 0;
  };
  GroupFlow(const Kernel& kernel, const SocSpec& soc, const std::vector<Member>& members, CheckReport& report, TaskFlow& task);

  bool advance();
  bool done() const;
  void report_waiting() const;
  void report_left() const;
  /// A mode-0 flag of one side is complete in all groups.
  void complete(bool cube_side, int flag);
  int cores_of(bool cube_side) const;

  void cross_set(int core, int mode, int flag, const FlowClock& clock, std::size_t op) override;

 private:
  struct Sent { FlowClock clock; std::size_t op; };
  struct Between { bool from_cube, to_cube; };

  static bool on_cube_side(const Member& member) { return member.kind != CoreKind::vector; }
  bool sent_everywhere(bool cube_side, int mode, int flag);
  void deliver(const Between& between, int mode, int flag);

  std::vector<Member> members_;
  CheckReport& report_;
  TaskFlow& task_;
  int number_;  // in the task
  int components_;
  std::vector<std::unique_ptr<CoreFlow>> cores_;
  std::map<std::pair<int, int>, std::deque<Sent>> sent_[kMaxFlowCores];  // by sender; mode and flag -> sets not yet delivered
};

/// Groups whose blocks share mode-0 flags and run at the same time.
class TaskFlow {
 public:
  void add(std::unique_ptr<GroupFlow> group) { groups_.push_back(std::move(group)); }
  int size() const { return static_cast<int>(groups_.size()); }
  void run();
  /// Reports waiting or left flags of every group.
  void report() const;
  /// One core of a side has set the flag once more.
  void set(int group, int core, bool cube_side, int flag);

 private:
  struct Round {
    std::map<std::pair<int, int>, std::uint64_t> sets;  // by group and core
    std::uint64_t completed = 0;
    int ahead = 0;  // cores that have set it more often than it has completed
  };
  int cores_of(bool cube_side) const;

  std::vector<std::unique_ptr<GroupFlow>> groups_;
  std::map<std::pair<bool, int>, Round> rounds_;
};

}  // namespace npulab::isa
