// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/isa/kernel.h"

namespace npulab::isa::test {

/// A kernel of any shape that can be written down: random loops, operands and terms, seldom a sensible one.
Kernel random_kernel(std::uint32_t seed);

}  // namespace npulab::isa::test
