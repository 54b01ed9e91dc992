// SPDX-License-Identifier: Apache-2.0
#include "model/isa/kernel_structure.h"

#include <vector>

#include <fmt/format.h>

#include "model/isa/operand_fields.h"

namespace npulab::isa {
namespace {

std::string instruction_problem(const Kernel& kernel, const Program& program, const ProgramOp& op, std::size_t depth) {
  if (static_cast<int>(op.head.opcode) >= kOpcodeCount || static_cast<int>(op.head.pipe) >= kPipeCount) {
    return "expected a known opcode and pipe, found none";
  }
  if (op.head.opcode >= Opcode::copy && op.head.operands >= kernel.operands.size()) return "expected operands, found none";
  if (op.first_term > program.terms.size() || op.term_count > program.terms.size() - op.first_term) {
    return "expected affine terms of this program, found others";
  }
  for (std::uint32_t i = op.first_term; i < op.first_term + op.term_count; ++i) {
    const int variable = program.terms[i].variable;
    const std::size_t counter = static_cast<std::size_t>(variable - kMaxBlockVariables);
    const bool known = variable < kMaxBlockVariables ? static_cast<std::size_t>(variable) < kernel.variables.size() : counter < depth;
    if (!known) return fmt::format("expected a block variable or the counter of a loop around it, found variable {}", variable);
  }
  return "";
}

std::string loop_problem(const Kernel& kernel, const ProgramOp& op, std::size_t depth) {
  if (depth >= static_cast<std::size_t>(kMaxLoopDepth) || op.depth != depth) return "expected loops that nest, found another depth";
  if (op.count_variable >= static_cast<int>(kernel.variables.size())) return "expected a block variable as count, found none";
  if (op.count_variable < 0 && op.trip_count < 0) return fmt::format("expected a loop count from 0, found {}", op.trip_count);
  return "";
}

std::string program_problem(const Kernel& kernel, const Program& program) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const ProgramOp& op = program.ops[i];
    std::string problem;
    if (op.kind == ProgramOp::Kind::instruction) {
      problem = instruction_problem(kernel, program, op, open.size());
    } else if (op.kind == ProgramOp::Kind::loop_begin) {
      problem = loop_problem(kernel, op, open.size());
      open.push_back(i);
    } else {
      const bool closes = !open.empty() && op.partner == open.back() && program.ops[open.back()].partner == i && op.depth + 1u == open.size();
      if (!closes) problem = "expected loops that nest, found an end without its beginning";
      else open.pop_back();
    }
    if (!problem.empty()) return fmt::format("program '{}' instruction {}: {}", program.name, i, problem);
  }
  return open.empty() ? "" : fmt::format("program '{}': expected an end of every loop, found {} open", program.name, open.size());
}

std::string operands_problem(const Operands& operands) {
  for (const OperandField& field : operand_fields(operands.opcode)) {
    const std::size_t known = field.kind == FieldKind::space ? static_cast<std::size_t>(kSpaceCount) : names_of(field.kind).size();
    if (known > 0 && field.get(operands.block) >= known) return fmt::format("expected a known {}, found {}", field.key, field.get(operands.block));
  }
  return "";
}

std::string block_problem(const Kernel& kernel, const BlockBinding& block) {
  const int programs = static_cast<int>(kernel.programs.size());
  if (block.cube >= programs || block.vector[0] >= programs || block.vector[1] >= programs) return "expected a program of this kernel, found none";
  if (block.values.size() > kernel.variables.size()) return "expected at most one value a block variable, found more";
  return "";
}

}  // namespace

std::string structure_problem(const Kernel& kernel) {
  if (kernel.variables.size() > static_cast<std::size_t>(kMaxBlockVariables)) return "expected fewer block variables, found too many";
  for (const Operands& operands : kernel.operands) {
    if (static_cast<int>(operands.opcode) >= kOpcodeCount) return "expected operands of a known opcode, found others";
    if (const std::string problem = operands_problem(operands); !problem.empty()) return problem;
  }
  for (const Program& program : kernel.programs) {
    if (const std::string problem = program_problem(kernel, program); !problem.empty()) return problem;
  }
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
    if (const std::string problem = block_problem(kernel, kernel.blocks[i]); !problem.empty()) return fmt::format("block {}: {}", i, problem);
  }
  return "";
}

}  // namespace npulab::isa
