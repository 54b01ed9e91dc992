// SPDX-License-Identifier: Apache-2.0
// When two kernels are the same: equal names, buffers, blocks and instruction sequences, however the affine terms of an
// address are split and in whatever order operand blocks were interned. Line numbers do not count.
#pragma once

#include <vector>

#include "model/isa/kernel.h"

namespace npulab::isa {

/// The terms of one instruction with equal ones merged, zeros dropped, sorted by field, variable and modulus.
std::vector<AffineTerm> canonical_terms(const Program& program, const ProgramOp& op);

bool equal(const Kernel& left, const Kernel& right);

}  // namespace npulab::isa
