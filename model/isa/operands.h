// SPDX-License-Identifier: Apache-2.0
// Operand blocks: everything about an instruction that is the same each time round a loop. Interned in a Kernel, so that
// engines can look a block's cost up by index. Field limits follow the public ISA documentation (asc-devkit API pages).
#pragma once

#include <cstdint>
#include <type_traits>

#include "model/isa/instruction.h"

namespace npulab::isa {

/// rows x row_bytes, each side with its own pitch in bytes. Pairs that exist: gm->l1 gm->ub (mte2), ub->gm l1->gm ub->l1
/// (mte3), l1->ub l1->bt (mte1), l1->fb (fix), ub->ub (v). Local sides: addresses, pitches and row_bytes multiples of 32
/// bytes except that gm<->ub and gm->l1 rows may end ragged (the tail of the last 32-byte block is left as it was in UB/L1).
struct CopyOperands {
  Space src;
  Space dst;
  std::uint32_t rows;        // 1..4095
  std::uint32_t row_bytes;   // 1..2097120
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
};

/// GM row-major [rows][columns] -> L1 fractal NZ: block j of c0 = 32 bytes' worth of columns goes to
/// dst + j * dst_rows * 32, row i of it to + i * 32. Columns beyond `columns` in the last block are written as zero.
struct Nd2NzOperands {
  DataType type;
  std::uint32_t rows;      // 1..16384
  std::uint32_t columns;   // 1..65535
  std::int64_t src_pitch;  // bytes between GM rows
  std::uint32_t dst_rows;  // rows between two column blocks in L1, multiple of 16
};

/// bytes (multiple of 32) of L1 or UB set to a 32-bit pattern. L1 on mte2.
struct FillOperands {
  Space dst;
  std::uint32_t bytes;
  std::uint32_t pattern;
};

/// `repeats` fractals of 512 bytes; strides in fractals. Transposition works on whole fractals (16-bit: 16x16;
/// 8-bit: two neighbouring fractals as one 32x32 block, repeats counts such pairs).
struct Load2dOperands {
  Space dst;  // l0a or l0b
  DataType type;
  bool transpose;
  std::uint16_t repeats;  // 1..255
  std::uint32_t src_stride_fractals;
  std::uint32_t dst_stride_fractals;
};

/// Image-to-column. The feature map in L1 is [c1][in_h][in_w][32 bytes]. The virtual matrix has M = out_h*out_w rows and
/// K = c1*kernel_h*kernel_w*c0 columns in the order (c1, kh, kw, c0). Rows m_start..+m_extent and columns k_start..+k_extent
/// (elements, from the head) are written in the destination's fractal format: l0a [m1][k1] of 16x32 bytes (k_outer: [k1][m1]);
/// l0b is not offered. Rows beyond M are written with the pad value.
struct Load3dOperands {
  Space dst;
  DataType type;
  bool k_outer;  // l0a in NZ order (arch 3510) instead of ZZ
  std::uint16_t in_h, in_w;   // 1..32767
  std::uint16_t channels;     // multiple of c0
  std::uint8_t kernel_h, kernel_w;
  std::uint8_t stride_h, stride_w;
  std::uint8_t dilation_h, dilation_w;
  std::uint8_t pad_left, pad_right, pad_top, pad_bottom;
  std::int32_t pad_value;
  std::uint32_t m_extent;  // multiple of 16
  std::uint32_t k_extent;  // multiple of c0
};

/// n (multiple of 16) 32-bit values from UB copied into each of m rows of an L0C tile [n1][m1][16][16].
struct BroadcastOperands {
  std::uint16_t m;  // multiple of 16
  std::uint16_t n;
};

/// L0A is [m1][k1] fractals of 16 x 32 bytes (a_k_outer: [k1][m1]), L0B [k1][n1] fractals of 16(n) x 32 bytes(k),
/// L0C [n1][m1] of 16x16 x 4 bytes. m, k, n are rounded up to fractals; the padding takes part in the arithmetic.
struct MmadOperands {
  std::uint16_t m, k, n;  // 1..4095
  DataType a, b;          // int8/uint8 -> int32; fp16/bf16 -> fp32
  bool a_k_outer;
  bool accumulate;        // false: L0C starts from zero, or from the bias table when `bias`
  bool bias;              // bias[n] from BT at the high half of src1
  std::uint8_t unit_flag; // 0 off, 2 keep, 3 release (kept for the text form; timing comes with the timing issue)
};

enum class QuantMode : std::uint8_t {
  none,      // 32-bit as is
  f16,       // fp32 -> fp16 (F322F16)
  bf16,      // fp32 -> bf16 (F322BF16)
  req8,      // int32 -> int8/uint8, one word for all columns (REQ8)
  vreq8,     // int32 -> int8/uint8, one 64-bit word a column from FB (UB on cores without FixPipe)
  deqf16,    // int32 -> fp16, scalar word
  vdeqf16,   // int32 -> fp16, a word a column
  qf8,       // fp32 -> int8/uint8, scalar word (QF322B8_PRE)
  vqf8,      // fp32 -> int8/uint8, a word a column
};

/// One L0C tile of m rows and n columns out. NZ (nz2nd false): blocks of c0 = 32 bytes' worth of output columns (8-bit: two
/// 16-wide fractals merged; 16-bit: 16; 32-bit: 16 columns, 64 bytes), block j at dst + j * dst_pitch, row i at + i * block
/// bytes. ND: row i at dst + i * dst_pitch, columns contiguous. Only the first m rows (need not be a multiple of 16) and n
/// columns are written; in NZ form n is rounded up to the block.
struct FixpipeOperands {
  Space dst;                 // gm, l1 (fix) or ub (v)
  QuantMode quant;
  bool relu;
  bool nz2nd;
  bool output_signed;        // int8 rather than uint8 results (also in the word's bit 46, which wins for v modes)
  DataType src_type;         // int32 or fp32
  std::uint8_t unit_flag;
  std::uint16_t m;
  std::uint16_t n;
  std::uint32_t src_rows;    // rows of the L0C tile (multiple of 16): distance between its 16-column blocks
  std::int64_t dst_pitch;    // bytes
  std::uint64_t quant_word;  // scalar modes: fp32 multiplier in bits 0-31, offset in 37-45, sign in 46
};

enum class VectorOp : std::uint8_t {
  add, sub, mul, div, max, min,           // dst = src0 op src1
  and_, or_,
  adds, muls, maxs, mins, shift_left, shift_right,  // dst = src0 op scalar
  abs, relu, exp, ln, sqrt, rsqrt, reciprocal, not_,  // dst = op(src0)
  cast,                                   // dst_type(src0), round mode
  duplicate,                              // dst = scalar
  copy,                                   // dst = src0
  madd,                                   // dst = dst + src0 * src1 (two roundings)
  axpy,                                   // dst = dst + scalar * src0 (two roundings)
  compare,                                // bit mask dst = src0 <cmp> src1, compare mode in `mode`
  compares,                               // bit mask dst = src0 <cmp> scalar
  select,                                 // dst = mask(at src2 address packed in scalar bits) ? src0 : src1
  reduce_sum, reduce_max, reduce_min,     // one element per repeat: whole-repeat reduction, fixed pairwise tree
  block_sum, block_max, block_min,        // eight elements per repeat: one per 32-byte block
  transpose,                              // per repeat one square: 8-bit 32x32, 16-bit 16x16, 32-bit 8x8
  broadcast_block,                        // brcb: 8 elements -> 8 blocks, each filled with one element
};

enum class RoundMode : std::uint8_t { none, rint, floor, ceil, round, trunc, odd };
enum class CompareMode : std::uint8_t { lt, gt, ge, le, eq, ne };

/// One repeat handles 256 bytes of the wider type; strides count 32-byte units. Element e of a repeat lies in block
/// e / (32 / element size) of its operand, so the narrower side of a cast uses fewer blocks. Counter mode (count > 0) handles
/// `count` elements laid out contiguously and ignores mask, repeats and strides.
/// reduce_*: repeat r writes one element at dst + r * dst_repeat_stride elements (counter mode: one per started repeat, side
/// by side). block_*: eight elements at dst + r * dst_repeat_stride * 8 elements. compare*: one bit an element, packed, repeat r
/// at dst + r * lanes / 8; select reads such bits from UB address scalar_bits. broadcast_block: repeat r reads eight elements
/// at src0 + r * 8 elements, element b fills block b. transpose: repeat r reads rows of 32 bytes (32 rows of 8-bit, 16 of 16-bit,
/// 8 of 32-bit elements), row i at block stride i, and writes as many rows transposed: 1024, 512 or 256 bytes a repeat.
/// Integer add/sub/mul/shift wrap; casts saturate; madd and axpy round twice; reductions add pairwise (lane i with i + half).
struct VectorOperands {
  VectorOp op;
  DataType dst_type;
  DataType src_type;
  RoundMode round;
  CompareMode compare;
  std::uint8_t repeats;            // 0..255
  std::uint8_t dst_block_stride, src0_block_stride, src1_block_stride;
  std::uint16_t dst_repeat_stride, src0_repeat_stride, src1_repeat_stride;
  std::uint32_t count;             // counter mode when > 0
  std::uint32_t scalar_bits;       // fp32 bits, or an integer, by src_type (fp16 ops: fp32 bits, rounded to fp16)
  std::uint64_t mask[2];           // bit per element within a repeat; 32-bit types use the low 64 bits
};

/// Which block an instruction carries follows from its opcode.
union OperandBlock {
  CopyOperands copy;
  Nd2NzOperands nd2nz;
  FillOperands fill;
  Load2dOperands load_2d;
  Load3dOperands load_3d;
  BroadcastOperands broadcast;
  MmadOperands mmad;
  FixpipeOperands fixpipe;
  VectorOperands vector;
  std::uint64_t words[8];  // all zero before a member is filled, so that equality of blocks is equality of words
  OperandBlock() : words{} {}
};
static_assert(sizeof(OperandBlock) == 64 && std::is_trivially_copyable_v<OperandBlock>);

/// An operand block with the opcode that says which member is live.
struct Operands {
  Opcode opcode = Opcode::scalar;
  OperandBlock block;
};

/// Which way, if any, an instruction with these operands goes to GM.
GmAccess gm_access(const Operands& operands);
/// The pipe that the pair of spaces (or the opcode) runs on.
Pipe pipe_of(const Operands& operands);
/// Bytes of one element as FixPipe writes it.
int output_bytes_of(QuantMode mode);
/// True when the mode takes one quantisation word a column.
bool has_column_words(QuantMode mode);
/// True when the operation reads a second source operand.
bool reads_second_source(VectorOp op);

}  // namespace npulab::isa
