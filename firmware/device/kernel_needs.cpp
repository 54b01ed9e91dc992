// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/kernel_needs.h"

#include <algorithm>

namespace npulab::firmware::device {
namespace {

constexpr std::uint8_t kBetweenGroups = 0;  // mode of cross_set

bool talks_to_other_groups(const isa::Program& program) {
  return std::any_of(program.ops.begin(), program.ops.end(), [](const isa::ProgramOp& op) {
    return op.kind == isa::ProgramOp::Kind::instruction && op.head.opcode == isa::Opcode::cross_set && op.head.peer == kBetweenGroups;
  });
}

}  // namespace

KernelNeeds needs_of(const Kernel& kernel) {
  KernelNeeds needs;
  std::vector<bool> used(kernel.programs.size());
  for (const isa::BlockBinding& block : kernel.blocks) {
    BlockNeeds own;
    own.cube = block.cube >= 0;
    for (int program : {block.cube, block.vector[0], block.vector[1]}) {
      if (program >= 0) used.at(static_cast<std::size_t>(program)) = true;
    }
    own.vector_programs = (block.vector[0] >= 0 ? 1 : 0) + (block.vector[1] >= 0 ? 1 : 0);
    needs.blocks.push_back(own);
  }
  for (std::size_t i = 0; i < used.size(); ++i) needs.together = needs.together || (used[i] && talks_to_other_groups(kernel.programs[i]));
  return needs;
}

bool fits(const BlockNeeds& needs, const CoreGroupInfo& group) {
  if (group.fused) return needs.cube || needs.vector_programs == 0;
  return (!needs.cube || group.cube_cores > 0) && group.vector_cores >= needs.vector_programs;
}

}  // namespace npulab::firmware::device
