// SPDX-License-Identifier: Apache-2.0
// Pure cost laws: what one instruction costs on a core of a given kind. A cost depends on the operand block alone, so engines
// compute a table once per kernel and look it up by index; cores and the tiler share these functions.
#pragma once

#include <vector>

#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::timing {

/// Use of one local buffer's port while the instruction executes, thousandths of a byte per cycle at full speed.
struct PortUse {
  isa::Space space = isa::Space::gm;  // gm: no use
  std::int64_t milli_bytes_per_cycle = 0;
};
inline constexpr int kMaxPortUses = 3;

struct InstructionCost {
  Cycles work_cycles = 1;     // occupancy of the pipe at full speed; for GM moves the floor of the occupancy, at least 1
  Cycles latency_cycles = 0;  // end of occupancy to visible result (GM moves: added to the memory's own latency)
  PortUse ports[kMaxPortUses];
  isa::GmAccess gm = isa::GmAccess::none;
  // GM moves: the GM side of the request.
  std::uint32_t gm_rows = 0;
  Bytes gm_row_bytes = 0;
  Bytes gm_row_pitch = 0;
  std::int64_t gm_rate_cap_milli_bytes_per_ns = 0;
  // Accounting.
  Bytes bytes_moved = 0;
  isa::Space from = isa::Space::gm, to = isa::Space::gm;  // equal: not a move
  std::int64_t mac_int8 = 0, mac_fp16 = 0;
};

/// Cost of one operand block on `core`. `core` must have the pipe; sizes are taken as legal (the checker's work).
InstructionCost cost_of(const isa::Operands& operands, const CoreSpec& core);

/// cost_of for every operand block of `kernel`, by operand index.
std::vector<InstructionCost> cost_table(const Kernel& kernel, const CoreSpec& core);

/// Speed of an instruction in 1/256 per cycle when a port of `capacity` serves `total_demand` (both thousandths of a byte per
/// cycle; capacity 0: unlimited). 256 is full speed; never below 1.
constexpr std::int64_t kFullSpeed = 256;
constexpr std::int64_t port_speed(std::int64_t capacity, std::int64_t total_demand) {
  if (capacity == 0 || total_demand <= capacity) return kFullSpeed;
  const std::int64_t speed = kFullSpeed * capacity / total_demand;
  return speed < 1 ? 1 : speed;
}

}  // namespace npulab::timing
