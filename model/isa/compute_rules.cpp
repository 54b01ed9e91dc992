// SPDX-License-Identifier: Apache-2.0
// Operand rules of the cube, FixPipe and the vector unit.
#include <algorithm>

#include <fmt/format.h>

#include "model/isa/isa_limits.h"
#include "model/isa/operand_fields.h"
#include "model/isa/operand_rules.h"

namespace npulab::isa {
namespace {

bool is_8_bit(DataType type) { return type == DataType::int8 || type == DataType::uint8; }

void check_unit_flag(int unit_flag, OperandProblems& problems) {
  problems.require(unit_flag == 0 || unit_flag == 2 || unit_flag == 3, fmt::format("expected unit_flag 0, 2 or 3, found {}", unit_flag));
}

/// Types by operation, from the API pages: a bit by DataType.
constexpr std::uint32_t in(DataType type) { return 1u << static_cast<int>(type); }
constexpr std::uint32_t kReal = in(DataType::fp16) | in(DataType::fp32);
constexpr std::uint32_t kInteger16 = in(DataType::int16) | in(DataType::uint16);
constexpr std::uint32_t kInteger32 = in(DataType::int32) | in(DataType::uint32);
constexpr std::uint32_t kArithmetic = kReal | in(DataType::int16) | in(DataType::int32);
constexpr std::uint32_t kWords = kReal | kInteger16 | kInteger32 | in(DataType::bf16);
constexpr std::uint32_t kBytes = in(DataType::int8) | in(DataType::uint8);

std::uint32_t types_of(VectorOp op) {
  using Op = VectorOp;
  switch (op) {
    case Op::add: case Op::sub: case Op::mul: case Op::max: case Op::min: case Op::adds: case Op::muls: case Op::maxs: case Op::mins:
    case Op::relu: case Op::abs: return kArithmetic;
    case Op::and_: case Op::or_: case Op::not_: return kInteger16;
    case Op::shift_left: case Op::shift_right: return kInteger16 | kInteger32;
    case Op::duplicate: case Op::copy: case Op::broadcast_block: return kWords;
    case Op::compare: case Op::compares: return kReal | in(DataType::int32);
    case Op::transpose: return kWords | kBytes;
    default: return kReal;
  }
}

/// Destination types that a source can be cast to.
std::uint32_t casts_from(DataType source) {
  switch (source) {
    case DataType::int8: case DataType::uint8: return in(DataType::fp16);
    case DataType::int16: return kReal;
    case DataType::int32: return kReal | in(DataType::int16);
    case DataType::fp16: return in(DataType::fp32) | in(DataType::int32) | in(DataType::int16) | kBytes;
    case DataType::bf16: return in(DataType::fp32) | in(DataType::int32);
    case DataType::fp32: return kReal | in(DataType::bf16) | in(DataType::int32) | in(DataType::int16);
    default: return 0;
  }
}

bool is_comparison(VectorOp op) { return op == VectorOp::compare || op == VectorOp::compares; }
bool is_reduction(VectorOp op) { return op >= VectorOp::reduce_sum && op <= VectorOp::block_min; }

void check_vector_types(const VectorOperands& o, OperandProblems& problems) {
  const char *to = name_of(o.dst_type), *from = name_of(o.src_type);
  if (o.op == VectorOp::cast) {
    problems.require((casts_from(o.src_type) & in(o.dst_type)) != 0,
                     fmt::format("expected a cast that exists, found {} to {}", from, to));
    return;
  }
  const std::string& name = names_of(FieldKind::vector_op)[static_cast<std::size_t>(o.op)];
  problems.require((types_of(o.op) & in(o.src_type)) != 0, fmt::format("expected a type that {} works on, found {}", name, from));
  // The bits that a comparison writes have no type.
  problems.require(is_comparison(o.op) || o.dst_type == o.src_type,
                   fmt::format("expected one type for source and result, found {} and {}", from, to));
}

void check_quant(const FixpipeOperands& o, OperandProblems& problems) {
  const bool integer = o.src_type == DataType::int32;
  problems.require(integer || o.src_type == DataType::fp32,
                   fmt::format("expected src_type int32 or fp32, found {}", name_of(o.src_type)));
  bool fits = true;
  switch (o.quant) {
    case QuantMode::none: break;
    case QuantMode::f16: case QuantMode::bf16: case QuantMode::qf8: case QuantMode::vqf8: fits = !integer; break;
    default: fits = integer; break;
  }
  const std::string& mode = names_of(FieldKind::quant)[static_cast<std::size_t>(o.quant)];
  problems.require(fits, fmt::format("expected a quant mode for {}, found {}", name_of(o.src_type), mode));
}

}  // namespace

void check_mmad(const MmadOperands& o, const CoreSpec& core, OperandProblems& problems) {
  problems.range("m", o.m, 1, limits::kMmadExtent);
  problems.range("k", o.k, 1, limits::kMmadExtent);
  problems.range("n", o.n, 1, limits::kMmadExtent);
  const bool integer = is_8_bit(o.a) && is_8_bit(o.b);
  const bool real = o.a == o.b && (o.a == DataType::fp16 || o.a == DataType::bf16);
  problems.require(integer || real, fmt::format("expected two 8-bit integer types, fp16 or bf16, found {} and {}", name_of(o.a),
                                                name_of(o.b)));
  problems.require(o.a_k_outer == core.cube.l0a_k_outer,
                   fmt::format("expected {} on this chip, found the other order of L0A fractals",
                               core.cube.l0a_k_outer ? "a_k_outer" : "no a_k_outer"));
  problems.require(!(o.bias && o.accumulate), "expected either bias or accumulate, found both");
  problems.require(!o.bias || core.buffers[static_cast<int>(Space::bt)].capacity > 0, "expected a core that has bt, found one without");
  check_unit_flag(o.unit_flag, problems);
}

void check_fixpipe(const FixpipeOperands& o, const CoreSpec& core, OperandProblems& problems) {
  const bool to_ub = o.dst == Space::ub;
  problems.require(to_ub || o.dst == Space::gm || o.dst == Space::l1,
                   fmt::format("expected a destination in gm, l1 or ub, found {}", name_of(o.dst)));
  problems.require(to_ub != core.fixpipe.present,
                   fmt::format("expected a destination in {} on this core, found {}",
                               core.fixpipe.present ? "gm or l1" : "ub", name_of(o.dst)));
  if (o.nz2nd) {
    problems.range("m", o.m, 1, limits::kFixpipeNdRows);
    problems.range("n", o.n, 1, limits::kFixpipeNdColumns);
  } else {
    problems.range("m", o.m, 1, limits::kFixpipeNzRows);
    problems.require(o.n > 0, "expected n above 0, found 0");
    problems.multiple("n", o.n, limits::kFractalRows);
  }
  problems.multiple("src_rows", o.src_rows, limits::kFractalRows);
  problems.range("src_rows", o.src_rows, round_up(o.m, limits::kFractalRows), limits::kFixpipeNzRows);
  const std::int64_t step = o.dst == Space::gm ? output_bytes_of(o.quant) : limits::kBlockBytes;
  problems.multiple("dst_pitch", o.dst_pitch, step);
  problems.range("dst_pitch", o.dst_pitch, 0, limits::kGmPitchBytes);
  check_quant(o, problems);
  const Space words = to_ub ? Space::ub : Space::fb;
  problems.require(!has_column_words(o.quant) || core.buffers[static_cast<int>(words)].capacity > 0,
                   fmt::format("expected a core that has {}, found one without", name_of(words)));
  check_unit_flag(o.unit_flag, problems);
}

void check_vector(const VectorOperands& o, OperandProblems& problems) {
  check_vector_types(o, problems);
  if (o.count > 0 || is_reduction(o.op)) return;  // counter mode ignores strides, reductions have wide ones
  const bool two = reads_second_source(o.op);
  const std::int64_t most = two ? limits::kBinaryRepeatStride : limits::kUnaryRepeatStride;
  problems.range("dst_repeat", o.dst_repeat_stride, 0, most);
  problems.range("src0_repeat", o.src0_repeat_stride, 0, most);
  if (two) problems.range("src1_repeat", o.src1_repeat_stride, 0, most);
}

}  // namespace npulab::isa
