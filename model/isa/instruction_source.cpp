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

void InstructionSource::resolve(const ProgramOp& op, Instruction& out) const {
  out = op.head;
  const AffineTerm* term = program_->terms.data() + op.first_term;
  for (const AffineTerm* end = term + op.term_count; term != end; ++term) {
    std::int64_t value = variables_[term->variable];
    if (term->modulus > 0) value %= term->modulus;
    value *= term->coefficient;
    switch (term->field) {
      case HeadField::dst: out.dst += static_cast<std::uint64_t>(value); break;
      case HeadField::src0: out.src0 += static_cast<std::uint64_t>(value); break;
      case HeadField::src1: out.src1 += static_cast<std::uint64_t>(value); break;
      case HeadField::event: out.event = static_cast<std::uint8_t>(out.event + value); break;
    }
  }
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
