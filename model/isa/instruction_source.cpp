// SPDX-License-Identifier: Apache-2.0
#include "model/isa/instruction_source.h"

#include "model/base/errors.h"

namespace npulab::isa {

InstructionSource::InstructionSource(const Kernel& kernel, int program, const BlockBinding& binding)
    : program_(&kernel.programs[static_cast<std::size_t>(program)]) {
  if (binding.values.size() > static_cast<std::size_t>(kMaxBlockVariables)) throw InternalError("too many block variables");
  for (std::size_t i = 0; i < binding.values.size(); ++i) variables_[i] = binding.values[i];
}

void InstructionSource::rewind() { op_ = last_op_ = 0; }

void InstructionSource::enter_loop(const ProgramOp& begin) {
  const std::int64_t trips = begin.count_variable >= 0 ? variables_[static_cast<std::size_t>(begin.count_variable)] : begin.trip_count;
  if (trips <= 0) {
    op_ = begin.partner + 1;
    return;
  }
  variables_[kMaxBlockVariables + begin.depth] = 0;
  ++op_;
}

namespace {

/// value % modulus; ping-pong counters are small, and a 64-bit division would be most of the cursor's time.
inline std::int64_t remainder_of(std::int64_t value, std::int64_t modulus) {
  if (((value | modulus) >> 32) != 0) return value % modulus;
  const std::uint32_t small = static_cast<std::uint32_t>(value), step = static_cast<std::uint32_t>(modulus);
  return (step & (step - 1)) == 0 ? small & (step - 1) : small % step;
}

}  // namespace

void InstructionSource::resolve(const ProgramOp& op, Instruction& out) const {
  // Sums stay in registers: adding through a field's address costs a store-to-load round trip a term.
  std::uint64_t dst = op.head.dst, src0 = op.head.src0, src1 = op.head.src1, event = op.head.event;
  const AffineTerm* term = program_->terms.data() + op.first_term;
  for (const AffineTerm* end = term + op.term_count; term != end; ++term) {
    std::int64_t value = variables_[term->variable];
    if (term->modulus > 0) value = remainder_of(value, term->modulus);
    const std::uint64_t added = static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(term->coefficient);
    dst += term->field == HeadField::dst ? added : 0;
    src0 += term->field == HeadField::src0 ? added : 0;
    src1 += term->field == HeadField::src1 ? added : 0;
    event += term->field == HeadField::event ? added : 0;
  }
  out.opcode = op.head.opcode;
  out.pipe = op.head.pipe;
  out.peer = op.head.peer;
  out.event = static_cast<std::uint8_t>(event);
  out.operands = op.head.operands;
  out.dst = dst;
  out.src0 = src0;
  out.src1 = src1;
}

bool InstructionSource::next(Instruction& out) {
  if (program_ == nullptr) return false;
  const std::size_t size = program_->ops.size();
  while (op_ < size) {
    const ProgramOp& op = program_->ops[op_];
    if (op.kind == ProgramOp::Kind::instruction) {
      last_op_ = op_++;
      if (op.term_count == 0) out = op.head;
      else resolve(op, out);
      return true;
    }
    if (op.kind == ProgramOp::Kind::loop_begin) {
      enter_loop(op);
      continue;
    }
    const ProgramOp& begin = program_->ops[op.partner];
    const std::int64_t trips =
        begin.count_variable >= 0 ? variables_[static_cast<std::size_t>(begin.count_variable)] : begin.trip_count;
    if (++variables_[kMaxBlockVariables + begin.depth] < trips) op_ = op.partner + 1;
    else ++op_;
  }
  return false;
}

}  // namespace npulab::isa
