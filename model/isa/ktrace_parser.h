// SPDX-License-Identifier: Apache-2.0
// The statements of a .ktrace text outside instruction lines: declarations, programs, loops, blocks.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/isa/ktrace.h"
#include "model/isa/ktrace_instruction.h"

namespace npulab::isa {

class KtraceParser {
 public:
  KtraceParser(std::string_view text, const std::string& file, const KtraceParameters& parameters)
      : tokens_(text, file), overrides_(parameters), instructions_(tokens_, scope_, kernel_) {}

  Kernel parse();

 private:
  enum class Role : std::uint8_t { any, cube, vector };
  struct Opened { bool is_loop; bool broken; std::uint32_t op; };

  void header();
  void line();
  void statement(const Token& word);
  void declaration(const Token& word);
  void recover(const Token& word);
  void end_of_line();
  void finish();
  void kernel_name(const Token& word);
  void parameter();
  void block_variable();
  void buffer();
  void program(const Token& word);
  void open_program(const std::string& name, Role role);
  void loop(const Token& word);
  void open_loop(const std::string& counter, std::int64_t count, std::int8_t variable);
  void close(const Token& brace);
  void blocks(const Token& word, bool table);
  BlockBinding binding();
  void bind_program(const Token& key, BlockBinding& binding);
  void bind_value(const Token& key, BlockBinding& binding, std::uint32_t& given);
  bool in_loop() const { return !opened_.empty() && opened_.back().is_loop; }

  TokenReader tokens_;
  const KtraceParameters& overrides_;
  KtraceScope scope_;
  Kernel kernel_;
  InstructionLineReader instructions_;
  std::vector<Opened> opened_;
  std::vector<Role> roles_;  // of programs
  std::map<std::string, int, std::less<>> program_index_;
  std::set<std::string> declared_parameters_;
  bool named_ = false;
};

}  // namespace npulab::isa
