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
  bool next(Instruction& out);
  void rewind();
  /// Index into Program::ops of the instruction that next() last returned.
  std::uint32_t position() const { return last_op_; }
  bool at_end() const { return program_ == nullptr || op_ == program_->ops.size(); }

 private:
  void enter_loop(const ProgramOp& begin);
  void resolve(const ProgramOp& op, Instruction& out) const;

  const Program* program_ = nullptr;
  std::uint32_t op_ = 0;
  std::uint32_t last_op_ = 0;
  std::array<std::int64_t, kMaxVariables> variables_{};
};

}  // namespace npulab::isa
