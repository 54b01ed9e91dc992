// SPDX-License-Identifier: Apache-2.0
#include "model/isa/operand_rules.h"

#include <fmt/format.h>

#include "model/isa/isa_limits.h"
#include "model/isa/operand_fields.h"

namespace npulab::isa {

void OperandProblems::range(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) messages_.push_back(fmt::format("expected {} from {} to {}, found {}", what, least, most, value));
}

void OperandProblems::multiple(const char* what, std::int64_t value, std::int64_t step) {
  if (value % step != 0) messages_.push_back(fmt::format("expected {} in multiples of {}, found {}", what, step, value));
}

void OperandProblems::require(bool holds, const std::string& expected_and_found) {
  if (!holds) messages_.push_back(expected_and_found);
}

namespace {

bool pair_exists(Space src, Space dst) {
  switch (src) {
    case Space::gm: return dst == Space::l1 || dst == Space::ub;
    case Space::ub: return dst == Space::gm || dst == Space::l1 || dst == Space::ub;
    case Space::l1: return dst == Space::gm || dst == Space::ub || dst == Space::bt || dst == Space::fb;
    default: return false;
  }
}

/// The distance between rows on one side of a copy.
void check_pitch(const char* what, const CopyOperands& o, bool local, std::int64_t pitch, OperandProblems& problems) {
  if (o.rows <= 1) return;
  if (!local) return problems.range(what, pitch, 0, limits::kGmPitchBytes);
  problems.multiple(what, pitch, limits::kBlockBytes);
  const std::int64_t row = round_up(o.row_bytes, limits::kBlockBytes);
  problems.range(what, pitch, row, row + limits::kCopyGapBytes);
}

bool is_8_bit(DataType type) { return size_of(type) == 1; }

void check_operation(const Operands& operands, const CoreSpec& core, OperandProblems& problems) {
  const OperandBlock& b = operands.block;
  switch (operands.opcode) {
    case Opcode::copy: return check_copy(b.copy, problems);
    case Opcode::copy_nd2nz: return check_nd2nz(b.nd2nz, problems);
    case Opcode::fill: return check_fill(b.fill, problems);
    case Opcode::load_2d: return check_load_2d(b.load_2d, problems);
    case Opcode::load_3d: return check_load_3d(b.load_3d, core, problems);
    case Opcode::broadcast_bias: return check_broadcast(b.broadcast, problems);
    case Opcode::mmad: return check_mmad(b.mmad, core, problems);
    case Opcode::fixpipe: return check_fixpipe(b.fixpipe, core, problems);
    case Opcode::vector: return check_vector(b.vector, problems);
    default: return;
  }
}

}  // namespace

void check_copy(const CopyOperands& o, OperandProblems& problems) {
  if (!pair_exists(o.src, o.dst)) {
    problems.require(false, fmt::format("expected a data path, found none from {} to {}", name_of(o.src), name_of(o.dst)));
    return;
  }
  const bool ragged = (o.src == Space::gm) || (o.src == Space::ub && o.dst == Space::gm);
  problems.range("rows", o.rows, 1, limits::kCopyRows);
  problems.range("row_bytes", o.row_bytes, 1, limits::kCopyRowBytes);
  if (!ragged) problems.multiple("row_bytes", o.row_bytes, limits::kBlockBytes);
  check_pitch("src_pitch", o, o.src != Space::gm, o.src_pitch, problems);
  check_pitch("dst_pitch", o, o.dst != Space::gm, o.dst_pitch, problems);
}

void check_nd2nz(const Nd2NzOperands& o, OperandProblems& problems) {
  problems.range("rows", o.rows, 1, limits::kNd2NzRows);
  problems.range("columns", o.columns, 1, limits::kNd2NzColumns);
  problems.multiple("dst_rows", o.dst_rows, limits::kFractalRows);
  problems.range("dst_rows", o.dst_rows, round_up(o.rows, limits::kFractalRows), limits::kNd2NzRows);
  problems.multiple("src_pitch", o.src_pitch, size_of(o.type));
  if (o.rows > 1) problems.range("src_pitch", o.src_pitch, 0, limits::kNd2NzPitchElements * size_of(o.type));
}

void check_fill(const FillOperands& o, OperandProblems& problems) {
  problems.require(o.dst == Space::l1 || o.dst == Space::ub, fmt::format("expected a destination in l1 or ub, found {}", name_of(o.dst)));
  problems.require(o.bytes > 0, "expected bytes above 0, found 0");
  problems.multiple("bytes", o.bytes, limits::kBlockBytes);
}

void check_load_2d(const Load2dOperands& o, OperandProblems& problems) {
  problems.require(o.dst == Space::l0a || o.dst == Space::l0b,
                   fmt::format("expected a destination in l0a or l0b, found {}", name_of(o.dst)));
  problems.range("repeats", o.repeats, 1, limits::kLoadRepeats);
  problems.range("src_stride", o.src_stride_fractals, 0, limits::kLoadStride);
  problems.range("dst_stride", o.dst_stride_fractals, 0, limits::kLoadStride);
  problems.require(!o.transpose || size_of(o.type) <= 2,
                   fmt::format("expected a type of 8 or 16 bits to transpose, found {}", name_of(o.type)));
}

void check_load_3d(const Load3dOperands& o, const CoreSpec& core, OperandProblems& problems) {
  const bool typed = is_8_bit(o.type) || o.type == DataType::fp16 || o.type == DataType::bf16;
  problems.require(o.dst == Space::l0a, fmt::format("expected a destination in l0a, found {}", name_of(o.dst)));
  problems.require(typed, fmt::format("expected type int8, uint8, fp16 or bf16, found {}", name_of(o.type)));
  problems.require(o.k_outer == core.cube.l0a_k_outer,
                   fmt::format("expected {} on this chip, found the other order of L0A fractals",
                               core.cube.l0a_k_outer ? "k_outer" : "no k_outer"));
  const std::int64_t c0 = limits::kBlockBytes / size_of(o.type);
  problems.multiple("m", o.m_extent, limits::kFractalRows);
  problems.multiple("k", o.k_extent, c0);
  problems.multiple("channels", o.channels, c0);
  problems.range("m", o.m_extent, 1, limits::kLoad3dExtent);
  problems.range("k", o.k_extent, 1, limits::kLoad3dExtent);
  problems.require(o.channels > 0, "expected channels above 0, found 0");
  problems.range("in_h", o.in_h, 1, limits::kLoad3dMap);
  problems.range("in_w", o.in_w, 1, limits::kLoad3dMap);
  problems.range("stride_h", o.stride_h, 1, limits::kLoad3dStride);
  problems.range("stride_w", o.stride_w, 1, limits::kLoad3dStride);
  for (const int extent : {o.kernel_h, o.kernel_w, o.dilation_h, o.dilation_w}) problems.range("kernel and dilation", extent, 1, 255);
  const int reach_h = o.dilation_h * (o.kernel_h - 1) + 1, reach_w = o.dilation_w * (o.kernel_w - 1) + 1;
  problems.range("the kernel's height with dilation", reach_h, 1, o.in_h + o.pad_top + o.pad_bottom);
  problems.range("the kernel's width with dilation", reach_w, 1, o.in_w + o.pad_left + o.pad_right);
}

void check_broadcast(const BroadcastOperands& o, OperandProblems& problems) {
  problems.require(o.m > 0 && o.n > 0, "expected m and n above 0, found 0");
  problems.multiple("m", o.m, limits::kFractalRows);
  problems.multiple("n", o.n, limits::kFractalRows);
}

std::vector<std::string> operand_problems(const Operands& operands, const CoreSpec& core) {
  OperandProblems problems;
  const auto needs = [&](Space space) {
    problems.require(space == Space::gm || core.buffers[static_cast<int>(space)].capacity > 0,
                     fmt::format("expected a core that has {}, found one without", name_of(space)));
  };
  for (const AddressSlot& slot : address_slots(operands.opcode)) {
    // A slot with one space names the buffer; the others come from the block.
    const bool single = (slot.spaces & (slot.spaces - 1)) == 0;
    if (single && !slot.optional) needs(static_cast<Space>(__builtin_ctz(slot.spaces)));
  }
  for (const OperandField& field : operand_fields(operands.opcode)) {
    if (field.kind == FieldKind::space) needs(static_cast<Space>(field.get(operands.block)));
  }
  check_operation(operands, core, problems);
  return problems.take();
}

}  // namespace npulab::isa
