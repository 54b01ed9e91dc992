// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/report/chrome_trace.h"

namespace npulab::report {
namespace {

const char* vector_name(isa::VectorOp op) {
  static const char* const names[] = {"add", "sub", "mul", "div", "max", "min", "and", "or", "adds", "muls", "maxs", "mins",
                                      "shift_left", "shift_right", "abs", "relu", "exp", "ln", "sqrt", "rsqrt", "reciprocal",
                                      "not", "cast", "duplicate", "copy", "madd", "axpy", "compare", "compares", "select",
                                      "reduce_sum", "reduce_max", "reduce_min", "block_sum", "block_max", "block_min",
                                      "transpose", "broadcast_block"};
  return names[static_cast<int>(op)];
}

std::string flag_text(isa::Opcode opcode, int peer, int event, isa::Pipe pipe) {
  const bool wait = opcode == isa::Opcode::wait_flag;
  const char* other = isa::name_of(static_cast<isa::Pipe>(peer));
  return fmt::format("{} {}->{} {}", wait ? "wait" : "set", wait ? other : isa::name_of(pipe), wait ? isa::name_of(pipe) : other,
                     event);
}

}  // namespace

std::string describe_instruction(isa::Opcode opcode, const isa::Operands* operands, int peer, int event, isa::Pipe pipe) {
  using Code = isa::Opcode;
  if (opcode == Code::set_flag || opcode == Code::wait_flag) return flag_text(opcode, peer, event, pipe);
  if (opcode == Code::cross_set || opcode == Code::cross_wait) {
    return fmt::format("{} flag {}", opcode == Code::cross_set ? "cross set" : "cross wait", event);
  }
  if (operands == nullptr || operands->opcode != opcode) return isa::name_of(opcode);
  const isa::OperandBlock& b = operands->block;
  switch (opcode) {
    case Code::copy:
      return fmt::format("copy {}->{} {}x{} B", isa::name_of(b.copy.src), isa::name_of(b.copy.dst), b.copy.rows, b.copy.row_bytes);
    case Code::copy_nd2nz: return fmt::format("nd2nz {}x{} {}", b.nd2nz.rows, b.nd2nz.columns, isa::name_of(b.nd2nz.type));
    case Code::fill: return fmt::format("fill {} {} B", isa::name_of(b.fill.dst), b.fill.bytes);
    case Code::load_2d: return fmt::format("load_2d {} {} fractals", isa::name_of(b.load_2d.dst), b.load_2d.repeats);
    case Code::load_3d:
      return fmt::format("load_3d {} {}x{} kernel {}x{}", isa::name_of(b.load_3d.dst), b.load_3d.m_extent, b.load_3d.k_extent,
                         b.load_3d.kernel_h, b.load_3d.kernel_w);
    case Code::mmad: return fmt::format("mmad {}x{}x{} {}", b.mmad.m, b.mmad.k, b.mmad.n, isa::name_of(b.mmad.a));
    case Code::fixpipe: return fmt::format("fixpipe {}x{} ->{}", b.fixpipe.m, b.fixpipe.n, isa::name_of(b.fixpipe.dst));
    case Code::vector:
      return b.vector.count > 0 ? fmt::format("v{} {} {}", vector_name(b.vector.op), b.vector.count, isa::name_of(b.vector.dst_type))
                                : fmt::format("v{} x{} {}", vector_name(b.vector.op), b.vector.repeats, isa::name_of(b.vector.dst_type));
    default: return isa::name_of(opcode);
  }
}

}  // namespace npulab::report
