// SPDX-License-Identifier: Apache-2.0
// Ports that no mix of a kernel's instructions can overload slow nobody, so the engine need not watch them: an instruction
// without watched ports ends when its work is done, whatever else happens.
#pragma once

#include <vector>

#include "model/isa/kernel.h"
#include "model/timing/instruction_cost.h"

namespace npulab::cores::scoreboard {

/// Takes uses of ports out of `costs` (the table of `kernel` on `core`) that are without limit, or that stay within it even when
/// every pipe runs its most demanding instruction at once. The uses that are left stand in front.
void drop_idle_ports(std::vector<timing::InstructionCost>& costs, const Kernel& kernel, const CoreSpec& core);

}  // namespace npulab::cores::scoreboard
