// SPDX-License-Identifier: Apache-2.0
#include "model/isa/ktrace_instruction.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/base/nearest_name.h"
#include "model/isa/operand_words.h"

namespace npulab::isa {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

std::vector<std::string> opcode_names() {
  std::vector<std::string> names;
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode) names.push_back(name_of(static_cast<Opcode>(opcode)));
  return names;
}

const std::vector<std::string>& pipe_names() {
  static const std::vector<std::string> names = {"s", "v", "m", "mte1", "mte2", "mte3", "fix"};
  return names;
}

int find_name(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::string spaces_text(std::uint32_t spaces) {
  std::string text;
  for (int space = 0; space < kSpaceCount; ++space) {
    if ((spaces >> space & 1) == 0) continue;
    text += (text.empty() ? "" : " or ") + std::string(name_of(static_cast<Space>(space))) + "[...]";
  }
  return text;
}

/// Position of the field `key`, or -1.
int find_field(Opcode opcode, std::string_view key) {
  const std::vector<OperandField>& fields = operand_fields(opcode);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].kind != FieldKind::space && fields[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> field_keys(Opcode opcode) {
  std::vector<std::string> keys = {"type"};
  for (const OperandField& field : operand_fields(opcode)) {
    if (field.kind != FieldKind::space && field.kind != FieldKind::vector_op) keys.push_back(field.key);
  }
  if (opcode == Opcode::load_3d) keys.insert(keys.end(), {"m_start", "k_start"});
  return keys;
}

}  // namespace

const std::vector<std::string>& InstructionLineReader::words() {
  static const std::vector<std::string> names = opcode_names();
  return names;
}

bool InstructionLineReader::knows(std::string_view word) { return find_name(words(), word) >= 0; }

void InstructionLineReader::read(const Token& word, Program& program) {
  const Opcode opcode = static_cast<Opcode>(find_name(words(), word.text));
  op_ = ProgramOp{};
  op_.line = static_cast<std::uint32_t>(word.line);
  op_.head.opcode = opcode;
  terms_.clear();
  switch (opcode) {
    case Opcode::scalar: scalar(); break;
    case Opcode::set_flag: case Opcode::wait_flag: flag(word); break;
    case Opcode::pipe_barrier: barrier(); break;
    case Opcode::cross_set: case Opcode::cross_wait: cross_flag(word); break;
    default: with_operands(opcode, word); break;
  }
  op_.first_term = static_cast<std::uint32_t>(program.terms.size());
  op_.term_count = static_cast<std::uint16_t>(terms_.size());
  program.terms.insert(program.terms.end(), terms_.begin(), terms_.end());
  program.ops.push_back(op_);
}

Pipe InstructionLineReader::pipe() {
  const Token token = tokens_.peek();
  const int found = token.kind == Token::Kind::name ? find_name(pipe_names(), token.text) : -1;
  if (found < 0) {
    tokens_.fail_expected(token, "a pipe (s, v, m, mte1, mte2, mte3 or fix)", nearest_hint(std::string(token.text), pipe_names()));
  }
  tokens_.take();
  return static_cast<Pipe>(found);
}

void InstructionLineReader::add(HeadField field, bool high_half, const KtraceValue& value, const Token& at) {
  const int shift = high_half ? 32 : 0;
  const std::uint64_t constant = static_cast<std::uint64_t>(value.constant) << shift;
  switch (field) {
    case HeadField::dst: op_.head.dst += constant; break;
    case HeadField::src0: op_.head.src0 += constant; break;
    case HeadField::src1: op_.head.src1 += constant; break;
    case HeadField::event: op_.head.event = static_cast<std::uint8_t>(constant); break;
  }
  for (const Affine::Term& term : value.terms) {
    const std::int64_t bound = std::int64_t{1} << 31;
    if (high_half && (term.coefficient < -bound || term.coefficient > bound)) {
      tokens_.fail(at, "expected coefficients within 32 bits, found a larger one");
    }
    const std::uint64_t coefficient = static_cast<std::uint64_t>(term.coefficient) << shift;
    terms_.push_back({field, term.variable, static_cast<std::int64_t>(coefficient), term.modulus});
  }
}

void InstructionLineReader::scalar() {
  const Token at = tokens_.peek();
  add(HeadField::dst, false, ExpressionReader(tokens_, scope_).read(), at);
}

void InstructionLineReader::flag(const Token& word) {
  const Pipe source = pipe(), target = pipe();
  const bool sets = word.text == "set_flag";
  op_.head.pipe = sets ? source : target;
  op_.head.peer = static_cast<std::uint8_t>(sets ? target : source);
  const Token at = tokens_.peek();
  const KtraceValue event = ExpressionReader(tokens_, scope_).read();
  if (event.is_constant() && (event.constant < 0 || event.constant > 255)) {
    tokens_.fail(at, fmt::format("expected an event from 0 to 255, found {}", event.constant));
  }
  add(HeadField::event, false, event, at);
}

void InstructionLineReader::barrier() {
  if (tokens_.peek().is_word("all")) {
    tokens_.take();
    op_.head.peer = kAllPipes;
    return;
  }
  op_.head.pipe = pipe();
  op_.head.peer = static_cast<std::uint8_t>(op_.head.pipe);
}

void InstructionLineReader::cross_flag(const Token& word) {
  op_.head.pipe = pipe();
  ExpressionReader numbers(tokens_, scope_);
  if (word.text == "cross_set") op_.head.peer = static_cast<std::uint8_t>(numbers.read_constant("a mode", 0, 255));
  const Token at = tokens_.peek();
  const KtraceValue flag = numbers.read();
  if (flag.is_constant() && (flag.constant < 0 || flag.constant > 255)) {
    tokens_.fail(at, fmt::format("expected a flag from 0 to 255, found {}", flag.constant));
  }
  add(HeadField::event, false, flag, at);
}

void InstructionLineReader::with_operands(Opcode opcode, const Token& word) {
  operands_ = Operands{};
  operands_.opcode = opcode;
  given_ = 0;
  m_start_given_ = k_start_given_ = false;
  if (opcode == Opcode::vector) set_field(0, static_cast<std::uint64_t>(named_value(FieldKind::vector_op, "a vector operation")), word);
  addresses(opcode);
  while (tokens_.peek().kind == Token::Kind::name) operand(opcode, tokens_.take());
  fill_in(opcode, word);
  op_.head.operands = intern();
  op_.head.pipe = pipe_of(operands_);
}

void InstructionLineReader::addresses(Opcode opcode) {
  for (const AddressSlot& slot : address_slots(opcode)) {
    const Token token = tokens_.peek();
    int space = -1;
    for (int i = 0; i < kSpaceCount; ++i) {
      if (token.is_word(name_of(static_cast<Space>(i))) && (slot.spaces >> i & 1) != 0) space = i;
    }
    if (space < 0) {
      if (slot.optional) continue;
      tokens_.fail_expected(token, spaces_text(slot.spaces));
    }
    address(opcode, slot);
  }
}

void InstructionLineReader::address(Opcode opcode, const AddressSlot& slot) {
  const Token name = tokens_.take();
  int space = 0;
  while (name.text != name_of(static_cast<Space>(space))) ++space;
  tokens_.expect("[");
  add(slot.field, slot.high_half, ExpressionReader(tokens_, scope_, space).read(), name);
  tokens_.expect("]");
  const std::vector<OperandField>& fields = operand_fields(opcode);
  for (std::size_t i = 0; slot.space_key != nullptr && i < fields.size(); ++i) {
    if (fields[i].kind == FieldKind::space && std::string_view(fields[i].key) == slot.space_key) {
      set_field(i, static_cast<std::uint64_t>(space), name);
    }
  }
  // A bias table address is what makes a multiplication start from the bias.
  if (opcode == Opcode::mmad && slot.high_half) operands_.block.mmad.bias = true;
}

void InstructionLineReader::set_field(std::size_t index, std::uint64_t value, const Token& at) {
  if ((given_ >> index & 1) != 0) tokens_.fail(at, "expected each operand once, found " + describe(at) + " again");
  given_ |= 1u << index;
  operand_fields(operands_.opcode)[index].set(operands_.block, value);
}

bool InstructionLineReader::start_of_load_3d(Opcode opcode, const Token& key) {
  const bool m = key.text == "m_start";
  if (opcode != Opcode::load_3d || (!m && key.text != "k_start")) return false;
  bool& given = m ? m_start_given_ : k_start_given_;
  if (given) tokens_.fail(key, "expected each operand once, found " + describe(key) + " again");
  given = true;
  tokens_.expect("=");
  const Token at = tokens_.peek();
  add(HeadField::src1, !m, ExpressionReader(tokens_, scope_).read(), at);
  return true;
}

void InstructionLineReader::operand(Opcode opcode, const Token& key) {
  if (start_of_load_3d(opcode, key)) return;
  const std::vector<OperandField>& fields = operand_fields(opcode);
  const int index = find_field(opcode, key.text);
  if (index < 0 && key.text == "type" && (opcode == Opcode::mmad || opcode == Opcode::vector)) {
    // One word for both types of a multiplication or vector operation.
    tokens_.expect("=");
    const std::uint64_t type = static_cast<std::uint64_t>(named_value(FieldKind::type, "a data type"));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].kind == FieldKind::type) set_field(i, type, key);
    }
    return;
  }
  if (index < 0 || fields[static_cast<std::size_t>(index)].kind == FieldKind::vector_op) {
    tokens_.fail_expected(key, fmt::format("an operand of {}", name_of(opcode)),
                          nearest_hint(std::string(key.text), field_keys(opcode)));
  }
  const OperandField& field = fields[static_cast<std::size_t>(index)];
  if (field.kind == FieldKind::flag) return set_field(static_cast<std::size_t>(index), 1, key);
  tokens_.expect("=");
  set_field(static_cast<std::size_t>(index), field_value(field), key);
}

std::uint64_t InstructionLineReader::field_value(const OperandField& field) {
  switch (field.kind) {
    case FieldKind::number:
      return static_cast<std::uint64_t>(ExpressionReader(tokens_, scope_).read_constant(field.key, field.least, field.most));
    case FieldKind::bits: {
      // Signed numbers of the field's width are patterns too.
      const bool wide = field.most < 0;
      const std::int64_t least = wide ? kSmallest : std::numeric_limits<std::int32_t>::min();
      const std::int64_t value = ExpressionReader(tokens_, scope_).read_constant(field.key, least, wide ? kLargest : field.most);
      return static_cast<std::uint64_t>(value) & static_cast<std::uint64_t>(field.most);
    }
    default: return static_cast<std::uint64_t>(named_value(field.kind, std::string("a value of ") + field.key));
  }
}

int InstructionLineReader::named_value(FieldKind kind, const std::string& what) {
  const Token token = tokens_.peek();
  const int found = token.kind == Token::Kind::name ? find_name(names_of(kind), token.text) : -1;
  if (found < 0) tokens_.fail_expected(token, what, nearest_hint(std::string(token.text), names_of(kind)));
  tokens_.take();
  return found;
}

void InstructionLineReader::fill_in(Opcode opcode, const Token& word) {
  const std::vector<OperandField>& fields = operand_fields(opcode);
  std::string missing;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const OperandField& field = fields[i];
    if ((given_ >> i & 1) != 0 || field.kind == FieldKind::space || field.kind == FieldKind::flag) continue;
    if (field.required) {
      missing += (missing.empty() ? "" : ", ") + std::string(field.key) + "=...";
      continue;
    }
    std::uint64_t value = static_cast<std::uint64_t>(field.standard);
    for (const OperandField& other : fields) {
      if (field.standard_from != nullptr && std::string_view(other.key) == field.standard_from) value = other.get(operands_.block);
    }
    field.set(operands_.block, value);
  }
  if (!missing.empty()) tokens_.fail(word, fmt::format("expected {}, found none", missing));
}

std::uint32_t InstructionLineReader::intern() {
  const auto [place, added] = interned_.emplace(operand_words(operands_), static_cast<std::uint32_t>(kernel_.operands.size()));
  if (added) kernel_.operands.push_back(operands_);
  return place->second;
}

}  // namespace npulab::isa
