// SPDX-License-Identifier: Apache-2.0
#include "cores/scoreboard/port_relief.h"

#include <algorithm>

namespace npulab::cores::scoreboard {

void drop_idle_ports(std::vector<timing::InstructionCost>& costs, const Kernel& kernel, const CoreSpec& core) {
  std::int64_t most[isa::kPipeCount][isa::kSpaceCount] = {};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    std::int64_t own[isa::kSpaceCount] = {};
    for (const timing::PortUse& use : costs[i].ports) own[static_cast<int>(use.space)] += use.milli_bytes_per_cycle;
    const int pipe = static_cast<int>(isa::pipe_of(kernel.operands[i]));
    for (int space = 0; space < isa::kSpaceCount; ++space) most[pipe][space] = std::max(most[pipe][space], own[space]);
  }
  bool watched[isa::kSpaceCount] = {};
  for (int space = 1; space < isa::kSpaceCount; ++space) {  // GM is not a port of the core
    std::int64_t sum = 0;
    for (const auto& by_space : most) sum += by_space[space];
    const std::int64_t rate = core.buffers[space].port_rate.milli_per_cycle;
    watched[space] = rate > 0 && sum > rate;
  }
  for (timing::InstructionCost& cost : costs) {
    const auto idle = [&](const timing::PortUse& use) { return !watched[static_cast<int>(use.space)]; };
    timing::PortUse* end = std::remove_if(std::begin(cost.ports), std::end(cost.ports), idle);
    std::fill(end, std::end(cost.ports), timing::PortUse{});
  }
}

}  // namespace npulab::cores::scoreboard
