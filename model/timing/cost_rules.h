// SPDX-License-Identifier: Apache-2.0
// Cost rules by unit, put together by cost_of. Cycle counts follow the hardware's published laws; each rule names its source.
#pragma once

#include "model/timing/instruction_cost.h"

namespace npulab::timing {

InstructionCost mmad_cost(const isa::MmadOperands& operands, const CoreSpec& core);
InstructionCost broadcast_cost(const isa::BroadcastOperands& operands, const CoreSpec& core);
InstructionCost copy_cost(const isa::CopyOperands& operands, const CoreSpec& core);
InstructionCost nd2nz_cost(const isa::Nd2NzOperands& operands, const CoreSpec& core);
InstructionCost fill_cost(const isa::FillOperands& operands, const CoreSpec& core);
InstructionCost load_2d_cost(const isa::Load2dOperands& operands, const CoreSpec& core);
InstructionCost load_3d_cost(const isa::Load3dOperands& operands, const CoreSpec& core);
InstructionCost fixpipe_cost(const isa::FixpipeOperands& operands, const CoreSpec& core);
InstructionCost vector_cost(const isa::VectorOperands& operands, const CoreSpec& core);

/// Bytes per cycle of an image-to-column load into L0A, thousandths.
MilliRate load_3d_rate(const isa::Load3dOperands& operands, const Mte1Spec& spec);

/// A unit's rate at the core clock as a cap on a GM transfer: thousandths of a byte per nanosecond, rounded down.
std::int64_t rate_cap(MilliRate rate, const CoreSpec& core);

}  // namespace npulab::timing
