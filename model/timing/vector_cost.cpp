// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/timing/cost_rules.h"

namespace npulab::timing {
namespace {

constexpr int kRepeatBytes = 256;

/// Class of an operation in the published throughput table (asc-devkit, vector instruction theoretical performance).
VectorSpec::ClassCost class_of(isa::VectorOp op, const VectorSpec& spec) {
  using Op = isa::VectorOp;
  switch (op) {
    case Op::exp: case Op::ln: case Op::sqrt: return spec.transcendental;
    case Op::div: return spec.divide;
    case Op::cast: return spec.cast;
    case Op::madd: case Op::axpy: return spec.fused;
    case Op::select: return spec.select;
    case Op::reduce_sum: case Op::reduce_max: case Op::reduce_min: return spec.reduce_repeat;
    case Op::block_sum: case Op::block_max: case Op::block_min: return spec.reduce_block;
    case Op::transpose: return spec.transpose;
    default: return spec.simple;
  }
}

bool reads_two(isa::VectorOp op) {
  using Op = isa::VectorOp;
  return op == Op::add || op == Op::sub || op == Op::mul || op == Op::div || op == Op::max || op == Op::min || op == Op::and_ ||
         op == Op::or_ || op == Op::madd || op == Op::compare || op == Op::select;
}

}  // namespace

// start-up + repeats x class cost; the start-up shows only when something waits for the result (910B1 Add ladder: 22 + R).
InstructionCost vector_cost(const isa::VectorOperands& o, const CoreSpec& core) {
  InstructionCost cost;
  const VectorSpec& spec = core.vector;
  const int width = std::max(isa::size_of(o.dst_type), isa::size_of(o.src_type));
  const std::int64_t lanes = kRepeatBytes / width;
  const std::int64_t repeats = o.count > 0 ? ceil_div(o.count, lanes) : o.repeats;
  const VectorSpec::ClassCost cycles = class_of(o.op, spec);
  // A transposition of 8-bit squares moves 1024 bytes a repeat, of 16-bit ones 512: scaled to the class's 256 bytes.
  const std::int64_t scale = o.op == isa::VectorOp::transpose ? 4 / width : 1;
  const std::int64_t per_repeat = (width >= 4 ? cycles.cycles_x1000_32bit : cycles.cycles_x1000_16bit) * scale;
  const Cycles body = ceil_div(repeats * per_repeat, 1000) + (o.count > 0 ? spec.counter_mode_extra_cycles : 0);
  cost.work_cycles = std::max<Cycles>({1, spec.issue_min_cycles, body});
  cost.latency_cycles = spec.startup_cycles;
  const std::int64_t bytes = repeats * kRepeatBytes * scale * (reads_two(o.op) ? 3 : 2);
  cost.ports[0] = {isa::Space::ub, bytes * 1000 / cost.work_cycles};
  return cost;
}

}  // namespace npulab::timing
