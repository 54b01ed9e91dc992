// SPDX-License-Identifier: Apache-2.0
// Reads the instruction lines of a .ktrace program.
#pragma once

#include <map>
#include <vector>

#include "model/isa/ktrace_expression.h"
#include "model/isa/operand_fields.h"

namespace npulab::isa {

class InstructionLineReader {
 public:
  InstructionLineReader(TokenReader& tokens, const KtraceScope& scope, Kernel& kernel)
      : tokens_(tokens), scope_(scope), kernel_(kernel) {}

  /// True when `word` begins an instruction line.
  static bool knows(std::string_view word);
  static const std::vector<std::string>& words();
  /// Reads the line after its first word and appends the instruction to `program`; LineProblem when it is wrong.
  void read(const Token& word, Program& program);

 private:
  void scalar();
  void flag(const Token& word);
  void barrier();
  void cross_flag(const Token& word);
  void with_operands(Opcode opcode, const Token& word);
  void addresses(Opcode opcode);
  void address(Opcode opcode, const AddressSlot& slot);
  void operand(Opcode opcode, const Token& key);
  bool start_of_load_3d(Opcode opcode, const Token& key);
  void set_field(std::size_t index, std::uint64_t value, const Token& at);
  std::uint64_t field_value(const OperandField& field);
  int named_value(FieldKind kind, const std::string& what);
  void fill_in(Opcode opcode, const Token& word);
  Pipe pipe();
  void add(HeadField field, bool high_half, const KtraceValue& value, const Token& at);
  std::uint32_t intern();

  TokenReader& tokens_;
  const KtraceScope& scope_;
  Kernel& kernel_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> interned_;
  // The line that is being read.
  ProgramOp op_;
  std::vector<AffineTerm> terms_;
  Operands operands_;
  std::uint32_t given_ = 0;  // fields, by position in operand_fields
  bool m_start_given_ = false, k_start_given_ = false;
};

}  // namespace npulab::isa
