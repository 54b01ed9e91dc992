// SPDX-License-Identifier: Apache-2.0
#include "model/isa/address_rules.h"

#include <algorithm>
#include <limits>

#include "model/isa/isa_limits.h"

namespace npulab::isa {
namespace {

using Part = AddressRule::Part;

/// From the first byte of the first row to the last of the last.
std::int64_t rows_extent(std::int64_t rows, std::int64_t pitch, std::int64_t row_bytes) {
  return rows <= 0 ? 0 : (rows - 1) * pitch + row_bytes;
}

class RuleList {
 public:
  RuleList(const SocSpec& soc, const CoreSpec& core) : soc_(soc), core_(core) {}

  void address(const char* what, Space space, HeadField field, std::int64_t bytes, std::int64_t step = 0, Part part = Part::whole) {
    if (bytes <= 0) return;
    AddressRule rule;
    rule.what = what;
    rule.space = space;
    rule.field = field;
    rule.part = part;
    rule.bytes = bytes;
    const BufferSpec& buffer = core_.buffers[static_cast<int>(space)];
    rule.step = step > 0 ? step : space == Space::gm ? 1 : buffer.alignment;
    rule.most = space == Space::gm ? soc_.memory.hbm.capacity : buffer.capacity;
    rules.push_back(rule);
  }

  void number(const char* what, HeadField field, std::int64_t least, std::int64_t most, std::int64_t step = 1, Part part = Part::whole) {
    AddressRule rule;
    rule.what = what;
    rule.is_address = false;
    rule.field = field;
    rule.part = part;
    rule.step = step;
    rule.least = least;
    rule.most = most;
    rules.push_back(rule);
  }

  std::vector<AddressRule> rules;

 private:
  const SocSpec& soc_;
  const CoreSpec& core_;
};

void copy_rules(const CopyOperands& o, RuleList& list) {
  list.address("source", o.src, HeadField::src0, rows_extent(o.rows, o.src_pitch, o.row_bytes));
  list.address("destination", o.dst, HeadField::dst, rows_extent(o.rows, o.dst_pitch, o.row_bytes));
}

void nd2nz_rules(const Nd2NzOperands& o, RuleList& list) {
  const std::int64_t row_bytes = static_cast<std::int64_t>(o.columns) * size_of(o.type);
  const std::int64_t blocks = ceil_div(row_bytes, limits::kBlockBytes);
  list.address("source", Space::gm, HeadField::src0, rows_extent(o.rows, o.src_pitch, row_bytes), size_of(o.type));
  list.address("destination", Space::l1, HeadField::dst,
               rows_extent(blocks, o.dst_rows * limits::kBlockBytes, o.rows * limits::kBlockBytes));
}

void load_2d_rules(const Load2dOperands& o, RuleList& list) {
  const std::int64_t unit = (o.transpose && size_of(o.type) == 1 ? 2 : 1) * limits::kFractalBytes;
  list.address("source", Space::l1, HeadField::src0, rows_extent(o.repeats, o.src_stride_fractals * limits::kFractalBytes, unit));
  list.address("destination", o.dst, HeadField::dst, rows_extent(o.repeats, o.dst_stride_fractals * limits::kFractalBytes, unit));
}

void load_3d_rules(const Load3dOperands& o, RuleList& list) {
  const std::int64_t c0 = limits::kBlockBytes / size_of(o.type);
  const std::int64_t k = static_cast<std::int64_t>(o.channels) * o.kernel_h * o.kernel_w;
  list.address("source", Space::l1, HeadField::src0, o.channels / c0 * o.in_h * o.in_w * limits::kBlockBytes);
  list.address("destination", o.dst, HeadField::dst, (o.m_extent / limits::kFractalRows) * (o.k_extent / c0) * limits::kFractalBytes);
  list.number("m_start", HeadField::src1, 0, limits::kLoad3dExtent, limits::kFractalRows, Part::low_half);
  list.number("k_start", HeadField::src1, 0, std::min(limits::kLoad3dExtent, k - o.k_extent), c0, Part::high_half);
}

void mmad_rules(const MmadOperands& o, RuleList& list) {
  const std::int64_t k0 = limits::kBlockBytes / size_of(o.a);
  const std::int64_t m1 = ceil_div(o.m, limits::kFractalRows), n1 = ceil_div(o.n, limits::kFractalRows), k1 = ceil_div(o.k, k0);
  const std::int64_t row = limits::kFractalRows * limits::kResultBytes;
  list.address("left matrix", Space::l0a, HeadField::src0, m1 * k1 * limits::kFractalBytes);
  list.address("right matrix", Space::l0b, HeadField::src1, k1 * n1 * limits::kFractalBytes, 0, o.bias ? Part::low_half : Part::whole);
  list.address("result", Space::l0c, HeadField::dst, m1 * n1 * limits::kFractalRows * row);
  if (o.bias) list.address("bias", Space::bt, HeadField::src1, n1 * row, 0, Part::high_half);
}

void fixpipe_rules(const FixpipeOperands& o, RuleList& list) {
  const std::int64_t bytes = output_bytes_of(o.quant), block = bytes == 1 ? 32 : 16;
  const std::int64_t rows = o.nz2nd ? o.m : ceil_div(o.n, block);
  const std::int64_t row_bytes = o.nz2nd ? o.n * bytes : o.m * block * bytes;
  const std::int64_t column = static_cast<std::int64_t>(o.src_rows) * limits::kFractalRows * limits::kResultBytes;
  list.address("source", Space::l0c, HeadField::src0, ceil_div(o.n, limits::kFractalRows) * column);
  list.address("destination", o.dst, HeadField::dst, rows_extent(rows, o.dst_pitch, row_bytes), o.dst == Space::gm ? bytes : 0);
  if (has_column_words(o.quant)) {
    list.address("quantisation words", o.dst == Space::ub ? Space::ub : Space::fb, HeadField::src1, o.n * limits::kWordBytes);
  }
}

/// Shape of a vector instruction: repeats, and elements a full repeat handles.
struct VectorShape {
  std::int64_t lanes, repeats;
  explicit VectorShape(const VectorOperands& o)
      : lanes(limits::kRepeatBytes / std::max(size_of(o.dst_type), size_of(o.src_type))),
        repeats(o.count > 0 ? ceil_div(o.count, lanes) : o.repeats) {}
};

/// Bytes that an operand with strides spans.
std::int64_t strided_extent(const VectorOperands& o, const VectorShape& shape, int element, int block_stride, int repeat_stride) {
  if (o.count > 0) return static_cast<std::int64_t>(o.count) * element;
  const std::int64_t blocks = ceil_div(shape.lanes * element, limits::kBlockBytes);
  return rows_extent(shape.repeats, repeat_stride * limits::kBlockBytes,
                     ((blocks - 1) * block_stride + 1) * limits::kBlockBytes);
}

bool reduces_repeats(VectorOp op) { return op == VectorOp::reduce_sum || op == VectorOp::reduce_max || op == VectorOp::reduce_min; }
bool reduces_blocks(VectorOp op) { return op == VectorOp::block_sum || op == VectorOp::block_max || op == VectorOp::block_min; }

/// Squares of 32-byte rows, or groups of eight blocks: strides also hold in what would be counter mode.
std::int64_t row_wise_extent(const VectorShape& shape, std::int64_t rows, int block_stride, int repeat_stride) {
  return rows_extent(shape.repeats, repeat_stride * limits::kBlockBytes, ((rows - 1) * block_stride + 1) * limits::kBlockBytes);
}

void vector_destination(const VectorOperands& o, const VectorShape& shape, RuleList& list) {
  const std::int64_t element = size_of(o.dst_type);
  std::int64_t bytes = strided_extent(o, shape, size_of(o.dst_type), o.dst_block_stride, o.dst_repeat_stride), step = 0;
  if (reduces_repeats(o.op) || reduces_blocks(o.op)) {
    const std::int64_t results = reduces_blocks(o.op) ? limits::kRepeatBlocks : 1;
    const std::int64_t stride = o.count > 0 ? 1 : o.dst_repeat_stride;
    bytes = rows_extent(shape.repeats, stride * results * element, results * element);
    step = results * element;  // each result lies at its natural alignment
  } else if (o.op == VectorOp::compare || o.op == VectorOp::compares) {
    bytes = o.count > 0 ? ceil_div(o.count, 8) : shape.repeats * shape.lanes / 8;
  } else if (o.op == VectorOp::transpose) {
    bytes = row_wise_extent(shape, limits::kBlockBytes / element, o.dst_block_stride, o.dst_repeat_stride);
  } else if (o.op == VectorOp::broadcast_block) {
    bytes = row_wise_extent(shape, limits::kRepeatBlocks, o.dst_block_stride, o.dst_repeat_stride);
  }
  list.address("destination", Space::ub, HeadField::dst, bytes, step);
}

void vector_rules(const VectorOperands& o, RuleList& list) {
  const VectorShape shape(o);
  const int element = size_of(o.src_type);
  vector_destination(o, shape, list);
  if (o.op == VectorOp::duplicate) return;
  std::int64_t bytes = strided_extent(o, shape, element, o.src0_block_stride, o.src0_repeat_stride);
  if (o.op == VectorOp::transpose) bytes = row_wise_extent(shape, limits::kBlockBytes / element, o.src0_block_stride, o.src0_repeat_stride);
  if (o.op == VectorOp::broadcast_block) bytes = shape.repeats * limits::kRepeatBlocks * element;
  list.address("source", Space::ub, HeadField::src0, bytes);
  if (reads_second_source(o.op)) {
    list.address("second source", Space::ub, HeadField::src1, strided_extent(o, shape, element, o.src1_block_stride, o.src1_repeat_stride));
  }
  if (o.op != VectorOp::select) return;
  list.address("mask", Space::ub, HeadField::src0, o.count > 0 ? ceil_div(o.count, 8) : shape.repeats * shape.lanes / 8, 0, Part::fixed);
  if (!list.rules.empty() && list.rules.back().part == Part::fixed) list.rules.back().fixed_value = o.scalar_bits;
}

void operand_rules(const Operands& operands, RuleList& list) {
  const OperandBlock& b = operands.block;
  switch (operands.opcode) {
    case Opcode::copy: return copy_rules(b.copy, list);
    case Opcode::copy_nd2nz: return nd2nz_rules(b.nd2nz, list);
    case Opcode::fill: return list.address("destination", b.fill.dst, HeadField::dst, b.fill.bytes);
    case Opcode::load_2d: return load_2d_rules(b.load_2d, list);
    case Opcode::load_3d: return load_3d_rules(b.load_3d, list);
    case Opcode::broadcast_bias:
      list.address("source", Space::ub, HeadField::src0, b.broadcast.n * limits::kResultBytes);
      return list.address("result", Space::l0c, HeadField::dst, static_cast<std::int64_t>(b.broadcast.m) * b.broadcast.n * limits::kResultBytes);
    case Opcode::mmad: return mmad_rules(b.mmad, list);
    case Opcode::fixpipe: return fixpipe_rules(b.fixpipe, list);
    case Opcode::vector: return vector_rules(b.vector, list);
    default: return;
  }
}

}  // namespace

std::vector<AddressRule> address_rules(const Kernel& kernel, const Instruction& head, const SocSpec& soc, const CoreSpec& core) {
  RuleList list(soc, core);
  switch (head.opcode) {
    case Opcode::scalar: list.number("cycles", HeadField::dst, 0, std::numeric_limits<std::int32_t>::max()); break;
    case Opcode::set_flag: case Opcode::wait_flag: list.number("event", HeadField::event, 0, core.flags.event_ids - 1); break;
    case Opcode::cross_set: case Opcode::cross_wait: list.number("flag", HeadField::event, 0, soc.cross_flags.flags - 1); break;
    case Opcode::pipe_barrier: break;
    default: operand_rules(kernel.operands[head.operands], list); break;
  }
  return std::move(list.rules);
}

}  // namespace npulab::isa
