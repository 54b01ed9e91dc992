// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/isa/kernel.h"

namespace npulab::isa {

/// The ISA's rule that source and destination of one vector repeat overlap fully or not at all, for element-wise operations on
/// contiguous operands whose addresses keep their distance; "expected ..., found ...", or empty when kept or not decidable here.
std::string overlap_problem(const Kernel& kernel, const Program& program, const ProgramOp& op);

}  // namespace npulab::isa
