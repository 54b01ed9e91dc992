// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/timing/cost_rules.h"

namespace npulab::timing {

// One 16 x k0 x 16 step a cycle plus a head (asc-devkit, cube instruction theoretical performance). On board the head shows in
// full only when the pipe has drained: 61 cycles serial, 10 streamed (best-practice matmul, 910B1).
InstructionCost mmad_cost(const isa::MmadOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  const bool integer = isa::size_of(o.a) == 1;
  const CubeSpec& cube = core.cube;
  const std::int64_t k0 = integer ? cube.tile_k_int8 : cube.tile_k_fp16;
  const std::int64_t tiles = ceil_div(o.m, cube.tile_m) * ceil_div(o.n, cube.tile_n) * ceil_div(o.k, k0);
  cost.work_cycles = cube.head_pipelined_cycles + tiles;
  cost.latency_cycles = cube.head_drained_cycles - cube.head_pipelined_cycles;
  (integer ? cost.mac_int8 : cost.mac_fp16) = static_cast<std::int64_t>(o.m) * o.n * o.k;
  return cost;
}

// A vector written to every row of a tile through the vector pipe's path into L0C; taken at the rate of the way out of L0C,
// since no public number exists for the way in.
InstructionCost broadcast_cost(const isa::BroadcastOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  cost.bytes_moved = static_cast<Bytes>(o.m) * o.n * 4;
  cost.work_cycles = std::max(core.vector.issue_min_cycles, cycles_for(cost.bytes_moved, core.vector.l0c_to_ub_rate));
  cost.latency_cycles = core.vector.startup_cycles;
  cost.from = isa::Space::ub;
  cost.to = isa::Space::l0c;
  return cost;
}

}  // namespace npulab::timing
