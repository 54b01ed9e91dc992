// SPDX-License-Identifier: Apache-2.0
#include "model/isa/check_report.h"

#include <fmt/format.h>

namespace npulab::isa {

void CheckReport::instruction(const CheckedCore& core, std::size_t op, const std::string& rule, const std::string& message) {
  if (full() || !seen_.insert({core.program, op, rule}).second) return;
  const Program& program = kernel_.programs[static_cast<std::size_t>(core.program)];
  const ProgramOp& at = program.ops[op];
  const char* word = at.kind == ProgramOp::Kind::instruction ? name_of(at.head.opcode) : "loop";
  const std::string key = fmt::format("block {} {}, program '{}' instruction {} {}", core.block, core.name, program.name, op, word);
  diagnostics_.push_back({file_, static_cast<int>(at.line), 0, key, message});
}

void CheckReport::kernel(const std::string& key, const std::string& message) {
  if (!full()) diagnostics_.push_back({file_, 0, 0, key, message});
}

std::string CheckReport::place(int program, std::size_t op) const {
  const std::uint32_t line = kernel_.programs[static_cast<std::size_t>(program)].ops[op].line;
  return line > 0 ? fmt::format("instruction {} (line {})", op, line) : fmt::format("instruction {}", op);
}

}  // namespace npulab::isa
