// SPDX-License-Identifier: Apache-2.0
// Effects of FixPipe (and of the vector pipe's L0C path on cores without one): an L0C tile is requantised and laid out.
#pragma once

#include "cores/units/core_effects.h"
#include "cores/units/effect_context.h"

namespace npulab::cores {

/// The converted tile as rows for GM (address from the head) - also the form in which a local destination is written.
StagedWrite convert_tile(const EffectContext& context, const isa::Instruction& head, const isa::FixpipeOperands& operands,
                         const ResultMask& mask);
/// convert_tile into L1 or UB.
void apply_fixpipe(const EffectContext& context, const isa::Instruction& head, const isa::FixpipeOperands& operands,
                   const ResultMask& mask);

}  // namespace npulab::cores
