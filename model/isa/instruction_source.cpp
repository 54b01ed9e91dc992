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

}  // namespace npulab::isa
