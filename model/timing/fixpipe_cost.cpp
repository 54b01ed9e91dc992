// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/timing/cost_rules.h"

namespace npulab::timing {
namespace {

int result_bytes(isa::QuantMode mode) {
  switch (mode) {
    case isa::QuantMode::none: return 4;
    case isa::QuantMode::f16: case isa::QuantMode::bf16: case isa::QuantMode::deqf16: case isa::QuantMode::vdeqf16: return 2;
    default: return 1;
  }
}

/// The GM side: NZ writes one run of rows per block of columns, ND one row per matrix row.
void describe_gm_write(const isa::FixpipeOperands& o, const CoreSpec& core, InstructionCost& cost) {
  const Bytes bytes = result_bytes(o.quant);
  const std::int64_t block = bytes == 1 ? 32 : 16;
  cost.gm = isa::GmAccess::write;
  cost.gm_rows = o.nz2nd ? o.m : static_cast<std::uint32_t>(ceil_div(o.n, block));
  cost.gm_row_bytes = o.nz2nd ? o.n * bytes : o.m * block * bytes;
  cost.gm_row_pitch = o.dst_pitch;
  cost.gm_rate_cap_milli_bytes_per_ns = rate_cap(core.fix_gm.rate, core);
  cost.bytes_moved = static_cast<Bytes>(cost.gm_rows) * cost.gm_row_bytes;
}

}  // namespace

// elements / rate + latency (asc-devkit fixpipe_perf); to GM about half the elements a cycle (best-practice matmul, 910B1).
InstructionCost fixpipe_cost(const isa::FixpipeOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  const std::int64_t elements = round_up(o.m, 16) * round_up(o.n, 16);
  const bool wide = result_bytes(o.quant) == 4;
  cost.from = isa::Space::l0c;
  cost.to = o.dst;
  if (o.dst == isa::Space::ub) {
    // Without FixPipe the vector pipe empties L0C; its rate counts 4-byte source elements.
    cost.bytes_moved = elements * 4;
    cost.work_cycles = std::max(core.vector.issue_min_cycles, cycles_for(cost.bytes_moved, core.vector.l0c_to_ub_rate));
    cost.latency_cycles = core.vector.startup_cycles;
    cost.ports[0] = {isa::Space::l0c, core.vector.l0c_to_ub_rate.milli_per_cycle};
    return cost;
  }
  const bool to_gm = o.dst == isa::Space::gm;
  std::int64_t rate = to_gm ? core.fixpipe.elements_per_cycle_gm : core.fixpipe.elements_per_cycle_local;
  if (wide) rate = std::min(rate, core.fixpipe.elements_per_cycle_32bit);
  cost.work_cycles = std::max<Cycles>({1, core.fixpipe.issue_min_cycles, ceil_div(elements, rate)});
  cost.latency_cycles = core.fixpipe.latency_cycles;
  cost.bytes_moved = static_cast<Bytes>(o.m) * o.n * result_bytes(o.quant);
  cost.ports[0] = {isa::Space::l0c, rate * 4 * 1000};
  if (to_gm) describe_gm_write(o, core, cost);
  else cost.ports[1] = {o.dst, rate * result_bytes(o.quant) * 1000};
  return cost;
}

}  // namespace npulab::timing
