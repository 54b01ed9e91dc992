// SPDX-License-Identifier: Apache-2.0
// A pulled, restartable, copyable cursor over one program of a kernel. Copying it is how engines take snapshots, so it holds
// no memory of its own; the kernel must outlive it. On the hot path: no virtual call, no allocation.
#pragma once

#include <array>

#include "model/isa/kernel.h"

namespace npulab::isa {

class InstructionSource {
 public:
  InstructionSource() = default;
  /// Reads `program` of `kernel` with the block variables of `binding`.
  InstructionSource(const Kernel& kernel, int program, const BlockBinding& binding);

  /// Writes the next instruction with its addresses resolved; false at the end (and from then on).
  bool next(Instruction& out) {
    return next(out, [](const Instruction&) { return true; });
  }
  /// The same, but where `needs_addresses`, asked with the unresolved head, says no, dst, src0 and src1 mean nothing: flags have
  /// none, and timing needs few.
  template <typename NeedsAddresses>
  bool next(Instruction& out, NeedsAddresses needs_addresses) {
    const ProgramOp* op = advance();
    if (op == nullptr) return false;
    if (op->term_count == 0) out = op->head;
    else if (needs_addresses(op->head)) resolve(*op, out);
    else if (op->head.opcode <= Opcode::cross_wait) resolve_event(*op, out);
    else out = op->head;
    return true;
  }
  void rewind();
  /// Index into Program::ops of the instruction that next() last returned.
  std::uint32_t position() const { return last_op_; }
  bool at_end() const { return program_ == nullptr || op_ == program_->ops.size(); }

 private:
  const ProgramOp* advance();
  void enter_loop(const ProgramOp& begin);
  void resolve_event(const ProgramOp& op, Instruction& out) const;
  void resolve(const ProgramOp& op, Instruction& out) const;

  const Program* program_ = nullptr;
  std::uint32_t op_ = 0;
  std::uint32_t last_op_ = 0;
  std::array<std::int64_t, kMaxVariables> variables_{};
};

/// value % modulus; ping-pong counters are small, and a 64-bit division would be most of the cursor's time.
inline std::int64_t remainder_of(std::int64_t value, std::int64_t modulus) {
  if (((value | modulus) >> 32) != 0) return value % modulus;
  const std::uint32_t small = static_cast<std::uint32_t>(value), step = static_cast<std::uint32_t>(modulus);
  return (step & (step - 1)) == 0 ? small & (step - 1) : small % step;
}

/// All but the addresses.
inline void InstructionSource::resolve_event(const ProgramOp& op, Instruction& out) const {
  std::uint64_t event = 0;
  const AffineTerm* term = program_->terms.data() + op.first_term;
  for (const AffineTerm* end = term + op.term_count; term != end; ++term) {
    if (term->field != HeadField::event) continue;
    std::int64_t value = variables_[term->variable];
    if (term->modulus > 0) value = remainder_of(value, term->modulus);
    event += static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(term->coefficient);
  }
  out.set_code(with_event_added(op.head.code(), event));
}

inline void InstructionSource::resolve(const ProgramOp& op, Instruction& out) const {
  // Sums stay in registers: adding through a field's address costs a store-to-load round trip a term.
  std::uint64_t dst = op.head.dst, src0 = op.head.src0, src1 = op.head.src1, event = 0;
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
  out.set_code(with_event_added(op.head.code(), event));
  out.dst = dst;
  out.src0 = src0;
  out.src1 = src1;
}

/// Steps to the next instruction; null at the end.
inline const ProgramOp* InstructionSource::advance() {
  if (program_ == nullptr) return nullptr;
  const std::size_t size = program_->ops.size();
  while (op_ < size) {
    const ProgramOp& op = program_->ops[op_];
    if (op.kind == ProgramOp::Kind::instruction) {
      last_op_ = op_++;
      return &op;
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
  return nullptr;
}

}  // namespace npulab::isa
