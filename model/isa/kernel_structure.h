// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/isa/kernel.h"

namespace npulab::isa {

/// What makes `kernel` none that a builder or the parser could have made (loops that do not nest, indices and enumerations out
/// of range) as "expected ..., found ..."; empty when every part of it can be followed.
std::string structure_problem(const Kernel& kernel);

}  // namespace npulab::isa
