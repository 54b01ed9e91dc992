// SPDX-License-Identifier: Apache-2.0
// Effects of the cube unit: matrix multiply-accumulate on fractals, and the bias broadcast of cores without a bias table.
#pragma once

#include "cores/units/effect_context.h"

namespace npulab::cores {

void apply_mmad(const EffectContext& context, const isa::Instruction& head, const isa::MmadOperands& operands,
                const ResultMask& mask);
void apply_broadcast_bias(const EffectContext& context, const isa::Instruction& head, const isa::BroadcastOperands& operands,
                          const ResultMask& mask);

}  // namespace npulab::cores
