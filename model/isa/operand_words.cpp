// SPDX-License-Identifier: Apache-2.0
#include "model/isa/operand_words.h"

namespace npulab::isa {
namespace {

using Words = std::vector<std::uint64_t>;

template <typename... Fields>
void add(Words& words, Fields... fields) {
  (words.push_back(static_cast<std::uint64_t>(fields)), ...);
}

void add_load_3d(Words& w, const Load3dOperands& o) {
  add(w, o.dst, o.type, o.k_outer, o.in_h, o.in_w, o.channels, o.kernel_h, o.kernel_w, o.stride_h, o.stride_w, o.dilation_h,
      o.dilation_w, o.pad_left, o.pad_right, o.pad_top, o.pad_bottom, o.pad_value, o.m_extent, o.k_extent);
}

void add_vector(Words& w, const VectorOperands& o) {
  add(w, o.op, o.dst_type, o.src_type, o.round, o.compare, o.repeats, o.dst_block_stride, o.src0_block_stride, o.src1_block_stride,
      o.dst_repeat_stride, o.src0_repeat_stride, o.src1_repeat_stride, o.count, o.scalar_bits, o.mask[0], o.mask[1]);
}

}  // namespace

Words operand_words(const Operands& operands) {
  Words w;
  add(w, operands.opcode);
  const OperandBlock& b = operands.block;
  switch (operands.opcode) {
    case Opcode::copy:
      add(w, b.copy.src, b.copy.dst, b.copy.rows, b.copy.row_bytes, b.copy.src_pitch, b.copy.dst_pitch);
      break;
    case Opcode::copy_nd2nz:
      add(w, b.nd2nz.type, b.nd2nz.rows, b.nd2nz.columns, b.nd2nz.src_pitch, b.nd2nz.dst_rows);
      break;
    case Opcode::fill: add(w, b.fill.dst, b.fill.bytes, b.fill.pattern); break;
    case Opcode::load_2d:
      add(w, b.load_2d.dst, b.load_2d.type, b.load_2d.transpose, b.load_2d.repeats, b.load_2d.src_stride_fractals,
          b.load_2d.dst_stride_fractals);
      break;
    case Opcode::load_3d: add_load_3d(w, b.load_3d); break;
    case Opcode::broadcast_bias: add(w, b.broadcast.m, b.broadcast.n); break;
    case Opcode::mmad:
      add(w, b.mmad.m, b.mmad.k, b.mmad.n, b.mmad.a, b.mmad.b, b.mmad.a_k_outer, b.mmad.accumulate, b.mmad.bias, b.mmad.unit_flag);
      break;
    case Opcode::fixpipe:
      add(w, b.fixpipe.dst, b.fixpipe.quant, b.fixpipe.relu, b.fixpipe.nz2nd, b.fixpipe.output_signed, b.fixpipe.src_type,
          b.fixpipe.unit_flag, b.fixpipe.m, b.fixpipe.n, b.fixpipe.src_rows, b.fixpipe.dst_pitch, b.fixpipe.quant_word);
      break;
    case Opcode::vector: add_vector(w, b.vector); break;
    default: break;
  }
  return w;
}

}  // namespace npulab::isa
