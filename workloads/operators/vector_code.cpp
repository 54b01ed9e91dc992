// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/vector_code.h"

namespace npulab::operators {

using isa::Pipe;

void pipeline_tiles(isa::ProgramBuilder& program, std::int64_t count, const TileStages& stages) {
  for (std::int64_t tile = 0; tile < count; ++tile) {
    const int set = static_cast<int>(tile % 2);
    // The set of buffers is free once its last store has read it.
    if (tile >= 2) program.wait_flag(Pipe::mte3, Pipe::mte2, set);
    stages.load(tile, set);
    program.set_flag(Pipe::mte2, Pipe::v, set);
    program.wait_flag(Pipe::mte2, Pipe::v, set);
    stages.compute(tile, set);
    program.set_flag(Pipe::v, Pipe::mte3, set);
    program.wait_flag(Pipe::v, Pipe::mte3, set);
    stages.store(tile, set);
    if (tile + 2 < count) program.set_flag(Pipe::mte3, Pipe::mte2, set);
  }
}

void VectorCode::emit(const isa::VectorOperands& operands, std::uint64_t dst, std::uint64_t a, std::uint64_t b) {
  program_.vector(operands, static_cast<std::int64_t>(dst), static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
  program_.barrier(Pipe::v);
}

namespace {

isa::VectorOperands counted(isa::VectorOp op, isa::DataType type, std::uint32_t count) {
  isa::VectorOperands o = VectorCode::full_repeats(op, type, 0);  // counter mode ignores all else; this keeps the text short
  o.count = count;
  return o;
}

}  // namespace

void VectorCode::cast(isa::DataType to, isa::DataType from, std::uint64_t dst, std::uint64_t src, std::uint32_t count,
                      isa::RoundMode round) {
  isa::VectorOperands o = counted(isa::VectorOp::cast, to, count);
  o.src_type = from;
  o.round = round;
  emit(o, dst, src);
}

void VectorCode::binary(isa::VectorOp op, isa::DataType type, std::uint64_t dst, std::uint64_t a, std::uint64_t b,
                        std::uint32_t count) {
  emit(counted(op, type, count), dst, a, b);
}

void VectorCode::scalar(isa::VectorOp op, isa::DataType type, std::uint64_t dst, std::uint64_t src, float value,
                        std::uint32_t count) {
  isa::VectorOperands o = counted(op, type, count);
  o.scalar_bits = bits_of(value);
  emit(o, dst, src);
}

void VectorCode::unary(isa::VectorOp op, isa::DataType type, std::uint64_t dst, std::uint64_t src, std::uint32_t count) {
  emit(counted(op, type, count), dst, src);
}

void VectorCode::fill(isa::DataType type, std::uint64_t dst, float value, std::uint32_t count) {
  scalar(isa::VectorOp::duplicate, type, dst, dst, value, count);
}

void VectorCode::widen(isa::DataType from, std::uint64_t dst, std::uint64_t half, std::uint64_t src, std::uint32_t count) {
  // There is no 8-bit arithmetic and no direct cast to fp32: the way leads over fp16, which holds all 8-bit integers.
  cast(isa::DataType::fp16, from, half, src, count);
  cast(isa::DataType::fp32, isa::DataType::fp16, dst, half, count);
}

void VectorCode::narrow(isa::DataType to, std::uint64_t dst, std::uint64_t half, std::uint64_t src, std::uint32_t count) {
  cast(isa::DataType::fp16, isa::DataType::fp32, half, src, count, isa::RoundMode::rint);
  cast(to, isa::DataType::fp16, dst, half, count, isa::RoundMode::rint);
}

isa::VectorOperands VectorCode::full_repeats(isa::VectorOp op, isa::DataType type, int repeats) {
  isa::VectorOperands o{};
  o.op = op;
  o.dst_type = o.src_type = type;
  o.repeats = static_cast<std::uint8_t>(repeats);
  o.dst_block_stride = o.src0_block_stride = o.src1_block_stride = 1;
  o.dst_repeat_stride = o.src0_repeat_stride = o.src1_repeat_stride = 8;
  o.mask[0] = o.mask[1] = ~0ull;
  return o;
}

}  // namespace npulab::operators
