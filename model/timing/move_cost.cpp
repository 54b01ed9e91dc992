// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/timing/cost_rules.h"

namespace npulab::timing {

std::int64_t rate_cap(MilliRate rate, const CoreSpec& core) { return rate.milli_per_cycle * core.clock_khz / 1'000'000; }

namespace {

/// A move with GM on one side: the memory system sets the pace, the unit a floor (per instruction and per row: best-practice
/// data copy, 128-byte rows) and a cap.
InstructionCost gm_move(const GmMoveSpec& unit, const CoreSpec& core, std::uint32_t rows, Bytes row_bytes, Bytes pitch,
                        Cycles row_min_x1000) {
  InstructionCost cost;
  cost.work_cycles = std::max<Cycles>({1, unit.issue_min_cycles, ceil_div(rows * row_min_x1000, 1000)});
  cost.latency_cycles = unit.latency_cycles;
  cost.gm_rows = rows;
  cost.gm_row_bytes = row_bytes;
  cost.gm_row_pitch = pitch;
  cost.gm_rate_cap_milli_bytes_per_ns = rate_cap(unit.rate, core);
  cost.bytes_moved = rows * row_bytes;
  return cost;
}

void use_port(InstructionCost& cost, int slot, isa::Space space, MilliRate rate) {
  cost.ports[slot] = {space, rate.milli_per_cycle};
}

/// Rate of a copy between two local buffers.
MilliRate local_rate(const isa::CopyOperands& o, const CoreSpec& core) {
  using isa::Space;
  if (o.dst == Space::bt) return core.mte1.table_rate;
  if (o.dst == Space::fb) return core.fixpipe.table_rate;
  if (o.src == Space::l1 && o.dst == Space::ub) return core.mte1.l1_to_ub_rate;
  if (o.src == Space::ub && o.dst == Space::ub) return core.vector.copy_rate;
  return core.local_copy_rate;
}

}  // namespace

InstructionCost copy_cost(const isa::CopyOperands& o, const CoreSpec& core) {
  using isa::Space;
  InstructionCost cost;
  if (o.src == Space::gm) {
    const GmMoveSpec& unit = o.dst == Space::l1 ? core.mte2_l1 : core.mte2_ub;
    cost = gm_move(unit, core, o.rows, o.row_bytes, o.src_pitch, unit.row_min_cycles_x1000);
    cost.gm = isa::GmAccess::read;
    use_port(cost, 0, o.dst, unit.rate);
  } else if (o.dst == Space::gm) {
    cost = gm_move(core.mte3, core, o.rows, o.row_bytes, o.dst_pitch, core.mte3.row_min_cycles_x1000);
    cost.gm = isa::GmAccess::write;
    use_port(cost, 0, o.src, core.mte3.rate);
  } else {
    const MilliRate rate = local_rate(o, core);
    cost.bytes_moved = static_cast<Bytes>(o.rows) * o.row_bytes;
    cost.work_cycles = std::max<Cycles>(1, cycles_for(cost.bytes_moved, rate));
    const bool table = o.dst == Space::bt || o.dst == Space::fb;
    cost.latency_cycles = table ? core.mte1.latency_table_cycles : o.dst == Space::ub && o.src == Space::ub ? core.vector.startup_cycles : 0;
    use_port(cost, 0, o.src, rate);
    if (!table && o.dst != o.src) use_port(cost, 1, o.dst, rate);
  }
  cost.from = o.src;
  cost.to = o.dst;
  return cost;
}

InstructionCost nd2nz_cost(const isa::Nd2NzOperands& o, const CoreSpec& core) {
  const Bytes row_bytes = static_cast<Bytes>(o.columns) * isa::size_of(o.type);
  InstructionCost cost = gm_move(core.mte2_l1, core, o.rows, row_bytes, o.src_pitch, core.nd2nz_row_min_cycles_x1000);
  cost.gm = isa::GmAccess::read;
  cost.from = isa::Space::gm;
  cost.to = isa::Space::l1;
  use_port(cost, 0, isa::Space::l1, core.mte2_l1.rate);
  return cost;
}

InstructionCost fill_cost(const isa::FillOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  const MilliRate rate = o.dst == isa::Space::l1 ? core.local_copy_rate : core.vector.copy_rate;
  cost.work_cycles = std::max<Cycles>(1, cycles_for(o.bytes, rate));
  use_port(cost, 0, o.dst, rate);
  return cost;
}

// latency + bytes / rate, the latency paid once per run of queued loads (asc-devkit load_data_perf; 910B1 serial steps).
InstructionCost load_2d_cost(const isa::Load2dOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  const bool pairs = o.transpose && isa::size_of(o.type) == 1;
  cost.bytes_moved = static_cast<Bytes>(o.repeats) * (pairs ? 1024 : 512);
  const MilliRate rate = o.dst == isa::Space::l0a ? core.mte1.l0a_rate : core.mte1.l0b_rate;
  cost.work_cycles = std::max(core.mte1.issue_min_cycles, cycles_for(cost.bytes_moved, rate));
  cost.latency_cycles = core.mte1.latency_2d_cycles;
  cost.from = isa::Space::l1;
  cost.to = o.dst;
  use_port(cost, 0, isa::Space::l1, rate);
  return cost;
}

// Published law for L0A, n kernel rows, stride s: s = 1, n = 1 full rate; s = 1, n > 1: 512 / (n + 2); s = 2, 4, 8:
// 512 / (2 s) for n = 1, 512 / (2 s + n) else; other strides the floor; never below the floor (asc-devkit load_data_perf).
MilliRate load_3d_rate(const isa::Load3dOperands& o, const Mte1Spec& spec) {
  const std::int64_t stride = o.stride_w, rows = o.kernel_h;
  if (stride == 1 && (rows == 1 || spec.load_3d_full_rate_at_stride_1)) return spec.l0a_rate;
  std::int64_t divisor = 0;
  if (stride == 1) divisor = rows + 2;
  else if (stride == 2 || stride == 4 || stride == 8) divisor = 2 * stride + (rows > 1 ? rows : 0);
  else return spec.l0a_3d_floor_rate;
  // 512 is twice the full rate of the chip the law was published for, and scales with it.
  const std::int64_t rate = 2 * spec.l0a_rate.milli_per_cycle / divisor;
  return {std::max(rate, spec.l0a_3d_floor_rate.milli_per_cycle)};
}

InstructionCost load_3d_cost(const isa::Load3dOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  const std::int64_t c0 = 32 / isa::size_of(o.type);
  cost.bytes_moved = static_cast<Bytes>(o.m_extent / 16) * (o.k_extent / c0) * 512;
  const MilliRate rate = load_3d_rate(o, core.mte1);
  cost.work_cycles = std::max(core.mte1.issue_min_cycles, cycles_for(cost.bytes_moved, rate));
  cost.latency_cycles = core.mte1.latency_3d_cycles;
  cost.from = isa::Space::l1;
  cost.to = o.dst;
  use_port(cost, 0, isa::Space::l1, rate);
  return cost;
}

}  // namespace npulab::timing
