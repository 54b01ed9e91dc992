// SPDX-License-Identifier: Apache-2.0
#include "model/isa/ktrace_parser.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/base/nearest_name.h"

namespace npulab::isa {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

const std::vector<std::string> kDeclarations = {"kernel", "op", "param", "var", "buffer", "program", "block", "blocks"};

std::vector<std::string> words_of_a_program() {
  std::vector<std::string> words = InstructionLineReader::words();
  words.push_back("loop");
  return words;
}

}  // namespace

Kernel KtraceParser::parse() {
  header();
  while (tokens_.peek().kind != Token::Kind::text_end && tokens_.problems().size() < kMaxKtraceProblems) line();
  if (tokens_.problems().size() < kMaxKtraceProblems) finish();
  if (!tokens_.problems().empty()) {
    std::vector<Diagnostic>& problems = tokens_.problems();
    if (problems.size() > kMaxKtraceProblems) problems.resize(kMaxKtraceProblems);
    throw UserError(std::move(problems));
  }
  return std::move(kernel_);
}

void KtraceParser::header() {
  while (tokens_.peek().kind == Token::Kind::line_end) tokens_.take();
  const Token first = tokens_.peek();
  const std::string wanted = fmt::format("'npulab-ktrace {}' on the first line", kKtraceFormat);
  try {
    if (!first.is_word("npulab")) tokens_.fail_expected(first, wanted);
    tokens_.take();
    if (!tokens_.accept("-") || !tokens_.peek().is_word("ktrace")) tokens_.fail_expected(tokens_.peek(), wanted);
    tokens_.take();
    const Token version = tokens_.peek();
    if (version.kind != Token::Kind::number) tokens_.fail_expected(version, wanted);
    if (version.value != static_cast<std::uint64_t>(kKtraceFormat)) {
      tokens_.fail(version, fmt::format("expected format {}, the only one this program reads, found format {}", kKtraceFormat, version.value));
    }
    tokens_.take();
    end_of_line();
  } catch (const LineProblem&) {
    tokens_.skip_line();
  }
}

void KtraceParser::line() {
  const Token word = tokens_.peek();
  if (word.kind == Token::Kind::line_end) {
    tokens_.take();
    return;
  }
  try {
    if (word.is("}")) {
      close(tokens_.take());
    } else {
      if (word.kind != Token::Kind::name || word.quoted) {
        tokens_.fail_expected(word, opened_.empty() ? "a declaration" : "an instruction, 'loop' or '}'");
      }
      statement(tokens_.take());
    }
    end_of_line();
  } catch (const LineProblem&) {
    recover(word);
  }
}

/// A broken loop or program still opens its braces, so that one slip of the hand is one message.
void KtraceParser::recover(const Token& word) {
  const bool opens = tokens_.skip_line();
  if (!opens) return;
  if (word.is_word("program") && opened_.empty()) open_program("", Role::any);
  if (word.is_word("loop") && !opened_.empty()) opened_.push_back({true, true, 0});
}

void KtraceParser::end_of_line() {
  const Token token = tokens_.peek();
  if (token.kind == Token::Kind::text_end) return;
  if (token.kind != Token::Kind::line_end) tokens_.fail_expected(token, "the end of the line");
  tokens_.take();
}

void KtraceParser::statement(const Token& word) {
  if (opened_.empty()) return declaration(word);
  if (word.text == "loop") return loop(word);
  if (InstructionLineReader::knows(word.text)) return instructions_.read(word, kernel_.programs.back());
  if (std::find(kDeclarations.begin(), kDeclarations.end(), word.text) != kDeclarations.end()) {
    tokens_.fail(word, fmt::format("expected '}}' before the next declaration, found {}", describe(word)));
  }
  tokens_.fail_expected(word, "an instruction, 'loop' or '}'", nearest_hint(std::string(word.text), words_of_a_program()));
}

void KtraceParser::declaration(const Token& word) {
  if (word.text == "kernel") return kernel_name(word);
  if (word.text == "op") {
    kernel_.op_type = tokens_.take_name("the operator's type");
    return;
  }
  if (word.text == "param") return parameter();
  if (word.text == "var") return block_variable();
  if (word.text == "buffer") return buffer();
  if (word.text == "program") return program(word);
  if (word.text == "block" || word.text == "blocks") return blocks(word, word.text == "blocks");
  if (InstructionLineReader::knows(word.text) || word.text == "loop") {
    tokens_.fail(word, fmt::format("expected 'program NAME {{' around instructions, found {}", describe(word)));
  }
  tokens_.fail_expected(word, "a declaration", nearest_hint(std::string(word.text), kDeclarations));
}

void KtraceParser::kernel_name(const Token& word) {
  if (named_) tokens_.fail(word, "expected one 'kernel' line, found a second");
  kernel_.name = tokens_.take_name("the kernel's name");
  named_ = true;
}

void KtraceParser::parameter() {
  const Token at = tokens_.peek();
  const std::string name = tokens_.take_name("a parameter's name");
  if (name == "index") tokens_.fail(at, "expected another name, found 'index', which counts the blocks of a table");
  if (!declared_parameters_.insert(name).second) tokens_.fail(at, "expected a name not yet declared, found " + describe(at) + " again");
  scope_.parameters[name] = 0;  // known from here on even if its value is wrong
  tokens_.expect("=");
  const std::int64_t value = ExpressionReader(tokens_, scope_).read_constant("a value", kSmallest, kLargest);
  const auto replaced = overrides_.find(name);
  scope_.parameters[name] = replaced == overrides_.end() ? value : replaced->second;
}

void KtraceParser::block_variable() {
  const Token at = tokens_.peek();
  const std::string name = tokens_.take_name("a block variable's name");
  if (std::count(kernel_.variables.begin(), kernel_.variables.end(), name) != 0) {
    tokens_.fail(at, "expected a name not yet declared, found " + describe(at) + " again");
  }
  if (kernel_.variables.size() == static_cast<std::size_t>(kMaxBlockVariables)) {
    tokens_.fail(at, fmt::format("expected at most {} block variables, found one more", kMaxBlockVariables));
  }
  if (!kernel_.blocks.empty()) tokens_.fail(at, "expected block variables before the first block, found one after it");
  kernel_.variables.push_back(name);
  scope_.variables.push_back(name);
}

void KtraceParser::buffer() {
  const Token at = tokens_.peek();
  const std::string name = tokens_.take_name("a buffer's name");
  const Token where = tokens_.peek();
  int space = 0;
  while (space < kSpaceCount && !where.is_word(name_of(static_cast<Space>(space)))) ++space;
  if (space == kSpaceCount) tokens_.fail_expected(where, "a space (gm, l1, l0a, l0b, l0c, ub, bt or fb)");
  tokens_.take();
  if (scope_.buffers[space].count(name) != 0) tokens_.fail(at, "expected a name not yet declared, found " + describe(at) + " again");
  std::int64_t& address = scope_.buffers[space][name];
  address = ExpressionReader(tokens_, scope_, space).read_constant("an address", 0, kLargest);
  const std::int64_t bytes = ExpressionReader(tokens_, scope_, space).read_constant("a size", 0, kLargest);
  kernel_.buffers.push_back({name, static_cast<Space>(space), static_cast<std::uint64_t>(address), static_cast<std::uint64_t>(bytes)});
}

void KtraceParser::program(const Token&) {
  Token name = tokens_.peek();
  std::string text = tokens_.take_name("a program's name");
  Role role = Role::any;
  if (!tokens_.peek().is("{") && (name.is_word("cube") || name.is_word("vector"))) {
    role = text == "cube" ? Role::cube : Role::vector;
    name = tokens_.peek();
    text = tokens_.take_name("a program's name");
  }
  if (program_index_.count(text) != 0) tokens_.fail(name, "expected a name not yet declared, found " + describe(name) + " again");
  tokens_.expect("{");
  open_program(text, role);
}

void KtraceParser::open_program(const std::string& name, Role role) {
  program_index_.emplace(name, static_cast<int>(kernel_.programs.size()));
  roles_.push_back(role);
  kernel_.programs.push_back({name, {}, {}});
  opened_.push_back({false, false, 0});
}

void KtraceParser::loop(const Token& word) {
  const Token at = tokens_.peek();
  const std::string counter = tokens_.take_name("a loop counter's name");
  const std::vector<std::string> taken = scope_.names(-1);
  if (std::find(taken.begin(), taken.end(), counter) != taken.end()) {
    tokens_.fail(at, "expected a name with no other meaning here, found " + describe(at));
  }
  const Token count_at = tokens_.peek();
  const KtraceValue count = ExpressionReader(tokens_, scope_).read();
  const bool constant = count.is_constant();
  const bool variable = !constant && count.terms.size() == 1 && count.constant == 0 && count.terms[0].coefficient == 1 &&
                        count.terms[0].modulus == 0 && count.terms[0].variable < kMaxBlockVariables;
  if (!constant && !variable) tokens_.fail(count_at, "expected a constant or a block variable as count, found another expression");
  if (constant && count.constant < 0) tokens_.fail(count_at, fmt::format("expected a count from 0, found {}", count.constant));
  if (scope_.loops.size() == static_cast<std::size_t>(kMaxLoopDepth)) {
    tokens_.fail(word, fmt::format("expected loops at most {} deep, found a deeper one", kMaxLoopDepth));
  }
  tokens_.expect("{");
  open_loop(counter, constant ? count.constant : 0, variable ? static_cast<std::int8_t>(count.terms[0].variable) : std::int8_t{-1});
}

void KtraceParser::open_loop(const std::string& counter, std::int64_t count, std::int8_t variable) {
  Program& program = kernel_.programs.back();
  ProgramOp op;
  op.kind = ProgramOp::Kind::loop_begin;
  op.depth = static_cast<std::uint8_t>(scope_.loops.size());
  op.trip_count = count;
  op.count_variable = variable;
  op.line = static_cast<std::uint32_t>(tokens_.peek().line);
  opened_.push_back({true, false, static_cast<std::uint32_t>(program.ops.size())});
  program.ops.push_back(op);
  scope_.loops.push_back(counter);
}

void KtraceParser::close(const Token& brace) {
  if (opened_.empty()) tokens_.fail(brace, "expected a declaration, found '}' with nothing to close");
  const Opened opened = opened_.back();
  opened_.pop_back();
  if (!opened.is_loop || opened.broken) return;
  std::vector<ProgramOp>& ops = kernel_.programs.back().ops;
  ProgramOp op;
  op.kind = ProgramOp::Kind::loop_end;
  op.depth = ops[opened.op].depth;
  op.partner = opened.op;
  op.line = static_cast<std::uint32_t>(brace.line);
  ops[opened.op].partner = static_cast<std::uint32_t>(ops.size());
  ops.push_back(op);
  scope_.loops.pop_back();
}

void KtraceParser::finish() {
  const Token& end = tokens_.peek();
  if (!opened_.empty()) tokens_.note(end, fmt::format("expected '}}', found the end of the file with {} still open", opened_.size()));
  if (!named_) tokens_.note(end, "expected a 'kernel NAME' line, found none");
  std::vector<std::string> known(declared_parameters_.begin(), declared_parameters_.end());
  for (const auto& [name, value] : overrides_) {
    if (declared_parameters_.count(name) != 0) continue;
    tokens_.problems().push_back({tokens_.file(), 0, 0, name,
                                 "expected a parameter of this kernel, found none of that name" + nearest_hint(name, known)});
  }
}

Kernel parse_ktrace(std::string_view text, const std::string& file, const KtraceParameters& parameters) {
  if (text.size() > kMaxKtraceBytes) {
    throw UserError({{file, 0, 0, "", fmt::format("expected at most {} bytes, found {}", kMaxKtraceBytes, text.size())}});
  }
  return KtraceParser(text, file, parameters).parse();
}

}  // namespace npulab::isa
