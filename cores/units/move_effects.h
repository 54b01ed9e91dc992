// SPDX-License-Identifier: Apache-2.0
// Effects of MTE1, MTE2 and MTE3: strided copies, row-major to fractal, fills, fractal loads and image-to-column.
#pragma once

#include "cores/units/core_effects.h"
#include "cores/units/effect_context.h"

namespace npulab::cores {

/// GM or local source to a local destination.
void apply_copy(const EffectContext& context, const isa::Instruction& head, const isa::CopyOperands& operands,
                const ResultMask& mask);
/// Local source of a copy to GM, sampled.
StagedWrite sample_copy(const EffectContext& context, const isa::Instruction& head, const isa::CopyOperands& operands,
                        const ResultMask& mask);
void apply_nd2nz(const EffectContext& context, const isa::Instruction& head, const isa::Nd2NzOperands& operands,
                 const ResultMask& mask);
void apply_fill(const EffectContext& context, const isa::Instruction& head, const isa::FillOperands& operands);
void apply_load_2d(const EffectContext& context, const isa::Instruction& head, const isa::Load2dOperands& operands,
                   const ResultMask& mask);
void apply_load_3d(const EffectContext& context, const isa::Instruction& head, const isa::Load3dOperands& operands,
                   const ResultMask& mask);

}  // namespace npulab::cores
