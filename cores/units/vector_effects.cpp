// SPDX-License-Identifier: Apache-2.0
#include "cores/units/vector_effects.h"

#include <algorithm>
#include <cstring>

#include "cores/units/vector_arithmetic.h"
#include "cores/units/vector_lanes.h"

namespace npulab::cores {
namespace {

constexpr int kRepeatBytes = 256;

bool is_single_source(isa::VectorOp op) {
  using Op = isa::VectorOp;
  return !(op == Op::add || op == Op::sub || op == Op::mul || op == Op::div || op == Op::max || op == Op::min ||
           op == Op::and_ || op == Op::or_ || op == Op::madd || op == Op::compare || op == Op::select);
}

/// One instruction on its way through its repeats.
struct VectorRun {
  const EffectContext& context;
  const isa::Instruction& head;
  const isa::VectorOperands& operands;
  const ResultMask& mask;
  LaneAddressing dst, src0, src1;
  int lanes_per_repeat;
  RepeatShape shape{};
  Lanes a, b, result;

  VectorRun(const EffectContext& c, const isa::Instruction& h, const isa::VectorOperands& o, const ResultMask& m)
      : context(c), head(h), operands(o), mask(m) {
    const int dst_bytes = isa::size_of(o.dst_type), src_bytes = isa::size_of(o.src_type);
    lanes_per_repeat = kRepeatBytes / std::max(dst_bytes, src_bytes);
    dst = {h.dst, dst_bytes, o.dst_block_stride, o.dst_repeat_stride};
    src0 = {h.src0, src_bytes, o.src0_block_stride, o.src0_repeat_stride};
    src1 = {h.src1, src_bytes, o.src1_block_stride, o.src1_repeat_stride};
  }

  int repeats() const {
    return operands.count > 0 ? static_cast<int>(ceil_div(operands.count, lanes_per_repeat)) : operands.repeats;
  }

  void enter(int repeat) {
    shape.index = repeat;
    shape.counter_mode = operands.count > 0;
    shape.first = static_cast<std::int64_t>(repeat) * lanes_per_repeat;
    shape.lanes = lanes_per_repeat;
    if (shape.counter_mode) {
      shape.lanes = static_cast<int>(std::min<std::int64_t>(lanes_per_repeat, operands.count - shape.first));
    }
    int used = 0;
    for (int lane = 0; lane < shape.lanes; ++lane) {
      shape.active[lane] = shape.counter_mode || lane >= 128 || ((operands.mask[lane / 64] >> (lane % 64)) & 1) != 0;
      if (shape.active[lane]) used = lane + 1;
    }
    shape.lanes = used;  // lanes beyond the mask are not even addressed
  }
};

void element_wise(VectorRun& run) {
  const isa::VectorOperands& o = run.operands;
  if (o.op != isa::VectorOp::duplicate) load_lanes(run.context, run.src0, o.src_type, run.shape, run.a);
  if (!is_single_source(o.op)) load_lanes(run.context, run.src1, o.src_type, run.shape, run.b);
  if (o.op == isa::VectorOp::madd || o.op == isa::VectorOp::axpy) {
    load_lanes(run.context, run.dst, o.dst_type, run.shape, run.result);
  }
  if (o.op == isa::VectorOp::cast) {
    run.result = run.a;
    cast_lanes(o, run.shape.lanes, run.result);
  } else {
    compute_lanes(o, o.dst_type, run.shape.lanes, run.a, run.b, run.result);
  }
  store_lanes(run.context, run.dst, o.dst_type, run.shape, run.result, run.mask);
}

/// Pairwise tree over `width` lanes from `first`: lane i with lane i + half, until one is left.
void reduce_tree(VectorRun& run, int first, int width) {
  for (int half = width / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) reduce_pair(run.operands.op, run.operands.src_type, run.a, first + i, first + i + half);
  }
}

/// Lanes that take no part become copies of a neutral value, so that the tree has one shape.
void neutralise(VectorRun& run, int width) {
  using Op = isa::VectorOp;
  const Op op = run.operands.op;
  const bool sum = op == Op::reduce_sum || op == Op::block_sum;
  const bool max = op == Op::reduce_max || op == Op::block_max;
  for (int lane = 0; lane < width; ++lane) {
    if (lane < run.shape.lanes && run.shape.active[lane]) continue;
    const float infinity = std::numeric_limits<float>::infinity();
    run.a.real[lane] = sum ? 0.0f : max ? -infinity : infinity;
    run.a.integer[lane] = sum ? 0 : max ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int32_t>::max();
  }
}

void reduction(VectorRun& run) {
  using Op = isa::VectorOp;
  const isa::VectorOperands& o = run.operands;
  load_lanes(run.context, run.src0, o.src_type, run.shape, run.a);
  neutralise(run, run.lanes_per_repeat);
  const bool whole = o.op == Op::reduce_sum || o.op == Op::reduce_max || o.op == Op::reduce_min;
  const int groups = whole ? 1 : 8;
  const int width = run.lanes_per_repeat / groups;
  const std::uint64_t bytes = isa::size_of(o.dst_type);
  const std::uint64_t stride = run.shape.counter_mode ? 1 : o.dst_repeat_stride;
  for (int group = 0; group < groups; ++group) {
    reduce_tree(run, group * width, width);
    const std::uint64_t index = run.shape.index * stride * groups + group;
    store_single(run.context, run.head.dst + index * bytes, o.dst_type, run.a, group * width, run.mask);
  }
}

void comparison(VectorRun& run) {
  const isa::VectorOperands& o = run.operands;
  load_lanes(run.context, run.src0, o.src_type, run.shape, run.a);
  if (o.op == isa::VectorOp::compare) {
    load_lanes(run.context, run.src1, o.src_type, run.shape, run.b);
  } else {
    const VectorScalar scalar = scalar_of(o, o.src_type);
    run.b.real.fill(scalar.real);
    run.b.integer.fill(scalar.integer);
  }
  const int bytes = static_cast<int>(ceil_div(run.shape.lanes, 8));
  std::uint8_t* dst = run.context.buffers.at(
      isa::Space::ub, run.head.dst + static_cast<std::uint64_t>(run.shape.index) * run.lanes_per_repeat / 8, bytes);
  std::memset(dst, 0, bytes);
  for (int lane = 0; lane < run.shape.lanes; ++lane) {
    if (compare_lane(o.compare, o.src_type, run.a, run.b, lane)) dst[lane / 8] |= static_cast<std::uint8_t>(1u << (lane % 8));
  }
  if (run.mask.any()) corrupt(run.mask, 1, dst, bytes);
}

void selection(VectorRun& run) {
  const isa::VectorOperands& o = run.operands;
  load_lanes(run.context, run.src0, o.src_type, run.shape, run.a);
  load_lanes(run.context, run.src1, o.src_type, run.shape, run.b);
  const std::uint8_t* bits = run.context.buffers.at(
      isa::Space::ub, o.scalar_bits + static_cast<std::uint64_t>(run.shape.index) * run.lanes_per_repeat / 8,
      ceil_div(run.shape.lanes, 8));
  for (int lane = 0; lane < run.shape.lanes; ++lane) {
    const bool first = ((bits[lane / 8] >> (lane % 8)) & 1) != 0;
    run.result.real[lane] = first ? run.a.real[lane] : run.b.real[lane];
    run.result.integer[lane] = first ? run.a.integer[lane] : run.b.integer[lane];
  }
  store_lanes(run.context, run.dst, o.dst_type, run.shape, run.result, run.mask);
}

void transposition(VectorRun& run) {
  const isa::VectorOperands& o = run.operands;
  const int element = isa::size_of(o.src_type), side = 32 / element;
  std::uint8_t square[1024];
  const std::uint64_t repeat = run.shape.index;
  for (int row = 0; row < side; ++row) {
    std::memcpy(square + row * 32,
                run.context.buffers.at(isa::Space::ub,
                                       run.head.src0 + (repeat * o.src0_repeat_stride + row * o.src0_block_stride) * 32, 32),
                32);
  }
  for (int row = 0; row < side; ++row) {
    std::uint8_t* dst = run.context.buffers.at(
        isa::Space::ub, run.head.dst + (repeat * o.dst_repeat_stride + row * o.dst_block_stride) * 32, 32);
    for (int i = 0; i < side; ++i) std::memcpy(dst + i * element, square + (i * side + row) * element, element);
    if (run.mask.any()) corrupt(run.mask, element, dst, 32);
  }
}

void block_broadcast(VectorRun& run) {
  const isa::VectorOperands& o = run.operands;
  const int element = isa::size_of(o.src_type);
  const std::uint64_t repeat = run.shape.index;
  std::uint8_t source[8 * 4];
  std::memcpy(source, run.context.buffers.at(isa::Space::ub, run.head.src0 + repeat * 8 * element, 8 * element), 8 * element);
  for (int block = 0; block < 8; ++block) {
    std::uint8_t* dst = run.context.buffers.at(
        isa::Space::ub, run.head.dst + (repeat * o.dst_repeat_stride + block * o.dst_block_stride) * 32, 32);
    for (int i = 0; i < 32; i += element) std::memcpy(dst + i, source + block * element, element);
    if (run.mask.any()) corrupt(run.mask, element, dst, 32);
  }
}

}  // namespace

void apply_vector(const EffectContext& context, const isa::Instruction& head, const isa::VectorOperands& operands,
                  const ResultMask& mask) {
  using Op = isa::VectorOp;
  VectorRun run(context, head, operands, mask);
  const int repeats = run.repeats();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    run.enter(repeat);
    if (run.shape.lanes == 0) continue;
    switch (operands.op) {
      case Op::reduce_sum: case Op::reduce_max: case Op::reduce_min:
      case Op::block_sum: case Op::block_max: case Op::block_min: reduction(run); break;
      case Op::compare: case Op::compares: comparison(run); break;
      case Op::select: selection(run); break;
      case Op::transpose: transposition(run); break;
      case Op::broadcast_block: block_broadcast(run); break;
      default: element_wise(run); break;
    }
  }
}

}  // namespace npulab::cores
