// SPDX-License-Identifier: Apache-2.0
// Effects of the vector unit on UB. One repeat at a time is read into lanes, worked on, rounded and written back; all
// arithmetic is IEEE single precision (or 64-bit integer) followed by one rounding to the result type.
#pragma once

#include "cores/units/effect_context.h"

namespace npulab::cores {

void apply_vector(const EffectContext& context, const isa::Instruction& head, const isa::VectorOperands& operands,
                  const ResultMask& mask);

}  // namespace npulab::cores
