// SPDX-License-Identifier: Apache-2.0
// What an instruction's addresses (and m_start, k_start, cycles, event ids) must satisfy, as bounds and a step for each value.
// Footprints follow the layouts documented in operands.h; capacities and alignments come from CoreSpec.
#pragma once

#include <cstdint>
#include <vector>

#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::isa {

struct AddressRule {
  enum class Part : std::uint8_t { whole, low_half, high_half, fixed };
  const char* what = "";             // for messages
  Space space = Space::gm;
  bool is_address = true;            // false: a plain number, `bytes` is 0
  HeadField field = HeadField::dst;
  Part part = Part::whole;
  std::int64_t fixed_value = 0;      // Part::fixed
  std::int64_t bytes = 0;            // touched from the address on
  std::int64_t step = 1;             // the value is a multiple of this
  std::int64_t least = 0;
  std::int64_t most = 0;             // of the last byte touched plus one (addresses), of the value (numbers)
};

/// Rules for an instruction on `core`, whose operands (if any) are legal by operand_problems. GM bounds are those of the device.
std::vector<AddressRule> address_rules(const Kernel& kernel, const Instruction& head, const SocSpec& soc, const CoreSpec& core);

}  // namespace npulab::isa
