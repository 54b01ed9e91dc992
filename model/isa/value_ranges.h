// SPDX-License-Identifier: Apache-2.0
// The exact range and alignment of an affine value over all iterations of its loops, for one block.
#pragma once

#include <cstdint>
#include <vector>

#include "model/isa/address_rules.h"

namespace npulab::isa {

/// Iterations of the loops around an instruction by depth, for one block.
using LoopTrips = std::int64_t[kMaxLoopDepth];

struct ValueRange {
  std::int64_t least = 0, most = 0;  // saturated
  bool aligned = true;
  std::int64_t misaligned = 0;       // a value that is no multiple of the step, if not aligned
};

/// One number of an instruction's head: a constant and, by variable, what the terms add.
class AffineRange {
 public:
  AffineRange(const Program& program, const ProgramOp& op, const AddressRule& rule);

  ValueRange over(const BlockBinding& binding, const LoopTrips& trips, std::int64_t step) const;

 private:
  struct Part { std::int64_t coefficient, modulus; };
  struct Group {
    std::uint8_t variable = 0;
    std::vector<Part> parts;
    std::int64_t period = 1;  // of the modulo terms together; 0: too long to go through
  };

  std::int64_t constant_ = 0;
  std::vector<Group> groups_;
};

}  // namespace npulab::isa
