// SPDX-License-Identifier: Apache-2.0
// Whether one operand block is legal on one kind of core, whatever its addresses: field limits, data types, data paths that
// exist. Limits are those of isa_limits.h, buffers and pipes those of CoreSpec.
#pragma once

#include <string>
#include <vector>

#include "model/isa/operands.h"
#include "model/spec/soc_spec.h"

namespace npulab::isa {

/// Collects what an operand block breaks.
class OperandProblems {
 public:
  void range(const char* what, std::int64_t value, std::int64_t least, std::int64_t most);
  void multiple(const char* what, std::int64_t value, std::int64_t step);
  void require(bool holds, const std::string& expected_and_found);
  std::vector<std::string> take() { return std::move(messages_); }

 private:
  std::vector<std::string> messages_;
};

void check_copy(const CopyOperands& operands, OperandProblems& problems);
void check_nd2nz(const Nd2NzOperands& operands, OperandProblems& problems);
void check_fill(const FillOperands& operands, OperandProblems& problems);
void check_load_2d(const Load2dOperands& operands, OperandProblems& problems);
void check_load_3d(const Load3dOperands& operands, const CoreSpec& core, OperandProblems& problems);
void check_broadcast(const BroadcastOperands& operands, OperandProblems& problems);
void check_mmad(const MmadOperands& operands, const CoreSpec& core, OperandProblems& problems);
void check_fixpipe(const FixpipeOperands& operands, const CoreSpec& core, OperandProblems& problems);
void check_vector(const VectorOperands& operands, OperandProblems& problems);

/// "expected ..., found ..." for each rule that `operands` break on `core`, which has their pipe; empty when legal.
std::vector<std::string> operand_problems(const Operands& operands, const CoreSpec& core);

}  // namespace npulab::isa
