// SPDX-License-Identifier: Apache-2.0
// The fields of an operand block as a list of numbers, free of padding: what equality, hashing and printing go by.
#pragma once

#include <cstdint>
#include <vector>

#include "model/isa/operands.h"

namespace npulab::isa {

/// Opcode first, then every field in the order of operand_fields. Two blocks mean the same exactly when their lists are equal.
std::vector<std::uint64_t> operand_words(const Operands& operands);

}  // namespace npulab::isa
