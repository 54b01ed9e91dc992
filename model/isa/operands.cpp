// SPDX-License-Identifier: Apache-2.0
#include "model/isa/operands.h"

namespace npulab::isa {

GmAccess gm_access(const Operands& operands) {
  switch (operands.opcode) {
    case Opcode::copy:
      if (operands.block.copy.src == Space::gm) return GmAccess::read;
      return operands.block.copy.dst == Space::gm ? GmAccess::write : GmAccess::none;
    case Opcode::copy_nd2nz: return GmAccess::read;
    case Opcode::fixpipe: return operands.block.fixpipe.dst == Space::gm ? GmAccess::write : GmAccess::none;
    default: return GmAccess::none;
  }
}

namespace {

Pipe pipe_of_copy(const CopyOperands& copy) {
  if (copy.src == Space::gm) return Pipe::mte2;
  if (copy.dst == Space::gm || (copy.src == Space::ub && copy.dst == Space::l1)) return Pipe::mte3;
  if (copy.dst == Space::fb) return Pipe::fix;
  if (copy.src == Space::l1) return Pipe::mte1;
  return Pipe::v;
}

}  // namespace

Pipe pipe_of(const Operands& operands) {
  switch (operands.opcode) {
    case Opcode::copy: return pipe_of_copy(operands.block.copy);
    case Opcode::copy_nd2nz: return Pipe::mte2;
    case Opcode::fill: return operands.block.fill.dst == Space::l1 ? Pipe::mte2 : Pipe::v;
    case Opcode::load_2d: case Opcode::load_3d: return Pipe::mte1;
    case Opcode::mmad: return Pipe::m;
    case Opcode::fixpipe: return operands.block.fixpipe.dst == Space::ub ? Pipe::v : Pipe::fix;
    case Opcode::broadcast_bias: case Opcode::vector: return Pipe::v;
    default: return Pipe::s;
  }
}

int output_bytes_of(QuantMode mode) {
  switch (mode) {
    case QuantMode::none: return 4;
    case QuantMode::f16: case QuantMode::bf16: case QuantMode::deqf16: case QuantMode::vdeqf16: return 2;
    default: return 1;
  }
}

bool has_column_words(QuantMode mode) {
  return mode == QuantMode::vreq8 || mode == QuantMode::vdeqf16 || mode == QuantMode::vqf8;
}

bool reads_second_source(VectorOp op) {
  switch (op) {
    case VectorOp::add: case VectorOp::sub: case VectorOp::mul: case VectorOp::div: case VectorOp::max: case VectorOp::min:
    case VectorOp::and_: case VectorOp::or_: case VectorOp::madd: case VectorOp::compare: case VectorOp::select: return true;
    default: return false;
  }
}

}  // namespace npulab::isa
