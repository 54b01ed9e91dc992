// SPDX-License-Identifier: Apache-2.0
#include "model/isa/program_checker.h"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "model/isa/group_flow.h"
#include "model/isa/kernel_structure.h"
#include "model/isa/static_checks.h"

namespace npulab::isa {
namespace {

using Members = std::vector<GroupFlow::Member>;

/// One check of one kernel.
class KernelCheck {
 public:
  KernelCheck(const Kernel& kernel, const SocSpec& soc, const std::string& file, const CheckLimits& limits)
      : kernel_(kernel), soc_(soc), limits_(limits), report_(kernel, file, limits.problems), static_(kernel, soc, report_) {}

  std::vector<Diagnostic> run();

 private:
  bool place_blocks();
  Members members_of(std::size_t block, const CoreGroupSpec& group) const;
  bool fits(const BlockBinding& block, const CoreGroupSpec& group) const;
  void check_values();
  void follow_flags();
  void follow_alone(std::size_t block);
  void follow_together();
  bool uses_cross_flags(const Members& members, bool mode_0_only) const;
  bool already_followed(const Members& members);
  bool affordable(const Members& members);
  void check_room();

  const Kernel& kernel_;
  const SocSpec& soc_;
  const CheckLimits& limits_;
  CheckReport report_;
  StaticChecks static_;
  std::vector<Members> members_;              // by block
  std::vector<bool> sound_;                   // by block: its flags can be followed
  std::set<std::vector<std::int64_t>> followed_;
  std::int64_t instructions_ = 0;
};

bool KernelCheck::fits(const BlockBinding& block, const CoreGroupSpec& group) const {
  const int vectors = block.vector[1] >= 0 ? 2 : block.vector[0] >= 0 ? 1 : 0;
  // A fused core runs cube and vector instructions of one program.
  if (group.fused_cores > 0) return block.cube >= 0 && vectors == 0;
  return (block.cube < 0 || group.cube_cores > 0) && vectors <= group.vector_cores;
}

Members KernelCheck::members_of(std::size_t block, const CoreGroupSpec& group) const {
  const BlockBinding& binding = kernel_.blocks[block];
  Members members;
  if (binding.cube >= 0) members.push_back({{block, "cube", binding.cube}, group.fused_cores > 0 ? CoreKind::fused : CoreKind::cube});
  if (binding.vector[0] >= 0) members.push_back({{block, "vector0", binding.vector[0]}, CoreKind::vector});
  if (binding.vector[1] >= 0) members.push_back({{block, "vector1", binding.vector[1]}, CoreKind::vector});
  return members;
}

/// Gives each block the first kind of group that can run it; false when a block has none.
bool KernelCheck::place_blocks() {
  if (kernel_.blocks.empty()) report_.kernel("kernel '" + kernel_.name + "'", "expected at least one block, found none");
  for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
    const BlockBinding& binding = kernel_.blocks[block];
    const auto group = std::find_if(soc_.groups.begin(), soc_.groups.end(), [&](const CoreGroupSpec& g) { return fits(binding, g); });
    const bool empty = binding.cube < 0 && binding.vector[0] < 0 && binding.vector[1] < 0;
    if (empty || group == soc_.groups.end()) {
      report_.kernel(fmt::format("block {}", block),
                     empty ? "expected a program for at least one core, found none"
                            : fmt::format("expected a group of cores on {} that can run it, found none", soc_.name));
      return false;
    }
    members_.push_back(members_of(block, *group));
  }
  return !kernel_.blocks.empty();
}

void KernelCheck::check_values() {
  std::vector<CoreKind> kinds;
  for (std::size_t block = 0; block < members_.size(); ++block) {
    bool sound = true;
    for (GroupFlow::Member& member : members_[block]) {
      kinds.push_back(member.kind);
      member.instructions = static_.block(member.core, member.kind);
      sound = sound && member.instructions >= 0;
    }
    sound_.push_back(sound);
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  }
  static_.buffers(kinds);
}

bool KernelCheck::uses_cross_flags(const Members& members, bool mode_0_only) const {
  for (const GroupFlow::Member& member : members) {
    for (const ProgramOp& op : kernel_.programs[static_cast<std::size_t>(member.core.program)].ops) {
      if (op.kind != ProgramOp::Kind::instruction) continue;
      const bool set = op.head.opcode == Opcode::cross_set;
      if (mode_0_only ? set && op.head.peer == 0 : set || op.head.opcode == Opcode::cross_wait) return true;
    }
  }
  return false;
}

/// Blocks that differ only in what addresses depend on have the same flags.
bool KernelCheck::already_followed(const Members& members) {
  std::vector<std::int64_t> pattern;
  for (const GroupFlow::Member& member : members) {
    pattern.insert(pattern.end(), {member.core.program, static_cast<std::int64_t>(member.kind)});
    const std::int64_t variables = static_.program(member.core, member.kind).control_variables;
    const std::vector<std::int64_t>& values = kernel_.blocks[member.core.block].values;
    for (std::size_t v = 0; v < values.size(); ++v) pattern.push_back((variables >> v & 1) != 0 ? values[v] : 0);
  }
  return !followed_.insert(pattern).second;
}

/// Counts the members' instructions; false once there are more than the limit.
bool KernelCheck::affordable(const Members& members) {
  for (const GroupFlow::Member& member : members) {
    const bool over = member.instructions > limits_.instructions - instructions_;
    instructions_ = over ? limits_.instructions + 1 : instructions_ + member.instructions;
    if (over) return false;
  }
  return true;
}

void KernelCheck::follow_alone(std::size_t block) {
  // Cores that share no flags are followed one by one.
  std::vector<Members> parts;
  if (uses_cross_flags(members_[block], false)) parts.push_back(members_[block]);
  else for (const GroupFlow::Member& member : members_[block]) parts.push_back({member});
  for (const Members& part : parts) {
    if (already_followed(part)) continue;
    if (!affordable(part)) return;
    TaskFlow task;
    task.add(std::make_unique<GroupFlow>(kernel_, soc_, part, report_, task));
    task.run();
    task.report();
  }
}

void KernelCheck::check_room() {
  std::int64_t groups = 0;
  for (const CoreGroupSpec& group : soc_.groups) {
    const bool all = std::all_of(kernel_.blocks.begin(), kernel_.blocks.end(), [&](const BlockBinding& block) { return fits(block, group); });
    groups += all ? group.count : 0;
  }
  if (static_cast<std::int64_t>(kernel_.blocks.size()) > groups) {
    report_.kernel("kernel '" + kernel_.name + "'",
                   fmt::format("expected at most {} blocks, since flags of mode 0 need all of them to run at once, found {}",
                               groups, kernel_.blocks.size()));
  }
}

void KernelCheck::follow_together() {
  check_room();
  if (std::find(sound_.begin(), sound_.end(), false) != sound_.end()) return;
  TaskFlow task;
  for (const Members& members : members_) {
    if (!affordable(members)) return;
    task.add(std::make_unique<GroupFlow>(kernel_, soc_, members, report_, task));
  }
  task.run();
  task.report();
}

void KernelCheck::follow_flags() {
  const bool together = std::any_of(members_.begin(), members_.end(), [&](const Members& m) { return uses_cross_flags(m, true); });
  if (together) follow_together();
  for (std::size_t block = 0; !together && block < members_.size() && !report_.full(); ++block) {
    if (sound_[block]) follow_alone(block);
  }
  if (instructions_ > limits_.instructions) {
    report_.kernel("kernel '" + kernel_.name + "'",
                   fmt::format("expected at most {} instructions and ends of loops whose flags can be followed, found more", limits_.instructions));
  }
}

std::vector<Diagnostic> KernelCheck::run() {
  const std::string broken = structure_problem(kernel_);
  if (!broken.empty()) report_.kernel("kernel '" + kernel_.name + "'", broken);
  else if (place_blocks()) {
    check_values();
    follow_flags();
  }
  return report_.take();
}

}  // namespace

std::vector<Diagnostic> ProgramChecker::check(const Kernel& kernel, const std::string& file) const {
  return KernelCheck(kernel, soc_, file, limits_).run();
}

}  // namespace npulab::isa
