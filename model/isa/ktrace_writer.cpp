// SPDX-License-Identifier: Apache-2.0
#include "model/isa/ktrace_writer.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/base/errors.h"
#include "model/isa/head_parts.h"
#include "model/isa/kernel_equality.h"
#include "model/isa/kernel_structure.h"
#include "model/isa/ktrace.h"
#include "model/isa/operand_fields.h"

namespace npulab::isa {
namespace {

class KernelWriter {
 public:
  explicit KernelWriter(const Kernel& kernel) : kernel_(kernel) { choose_names(); }

  std::string write();

 private:
  void choose_names();
  void check_names() const;
  void write_program(std::size_t index);
  void write_loop(const ProgramOp& op);
  std::string instruction(const ProgramOp& op, const std::vector<AffineTerm>& terms) const;
  std::string with_operands(const ProgramOp& op, const std::vector<AffineTerm>& terms) const;
  std::string fields(const Operands& operands) const;
  std::string field(const OperandField& field, const Operands& operands) const;
  std::string starts(const ProgramOp& op, const std::vector<AffineTerm>& terms) const;
  std::string address(const AddressSlot& slot, const Operands& operands, const ProgramOp& op, const std::vector<AffineTerm>& terms,
                      bool whole) const;
  std::string plain_sum(std::int64_t constant, const std::vector<AffineTerm>& terms) const;
  const char* role(int program) const;

  const Kernel& kernel_;
  std::vector<std::string> names_;  // of the affine variables, as written
  std::string text_;
};

/// What of a head field belongs to one slot: all of it, or one half.
WrittenSum part_of(const ProgramOp& op, const std::vector<AffineTerm>& terms, HeadField field, bool whole, bool high) {
  WrittenSum sum;
  const auto part = [&](std::int64_t value) { return whole ? value : high ? high_half(value) : low_half(value); };
  sum.constant = part(head_value(op.head, field));
  for (AffineTerm term : terms) {
    term.coefficient = part(term.coefficient);
    if (term.field == field && term.coefficient != 0) sum.terms.push_back(term);
  }
  return sum;
}

[[noreturn]] void unwritable(const Kernel& kernel, const std::string& why) {
  throw InternalError("kernel '" + kernel.name + "' has no text form: " + why);
}

void KernelWriter::choose_names() {
  std::set<std::string> taken(kernel_.variables.begin(), kernel_.variables.end());
  for (const KernelBuffer& buffer : kernel_.buffers) taken.insert(buffer.name);
  names_.assign(kMaxVariables, "");
  for (std::size_t i = 0; i < kernel_.variables.size() && i < names_.size(); ++i) names_[i] = written_name(kernel_.variables[i]);
  static const char* const counters[kMaxLoopDepth] = {"i", "j", "k", "l", "n", "p", "q", "r"};
  for (int depth = 0; depth < kMaxLoopDepth; ++depth) {
    std::string name = counters[depth];
    while (taken.count(name) != 0) name += '_';
    names_[static_cast<std::size_t>(kMaxBlockVariables + depth)] = name;
  }
}

void KernelWriter::check_names() const {
  std::set<std::string> variables(kernel_.variables.begin(), kernel_.variables.end()), programs;
  std::set<std::pair<Space, std::string>> buffers;
  for (const Program& program : kernel_.programs) programs.insert(program.name);
  for (const KernelBuffer& buffer : kernel_.buffers) buffers.insert({buffer.space, buffer.name});
  if (variables.size() != kernel_.variables.size()) unwritable(kernel_, "two block variables share a name");
  if (programs.size() != kernel_.programs.size()) unwritable(kernel_, "two programs share a name");
  if (buffers.size() != kernel_.buffers.size()) unwritable(kernel_, "two buffers of one space share a name");
}

/// "cube " or "vector " when the blocks run the program on one side only.
const char* KernelWriter::role(int program) const {
  bool cube = false, vector = false;
  for (const BlockBinding& block : kernel_.blocks) {
    cube = cube || block.cube == program;
    vector = vector || block.vector[0] == program || block.vector[1] == program;
  }
  return cube == vector ? "" : cube ? "cube " : "vector ";
}

std::string KernelWriter::write() {
  if (const std::string broken = structure_problem(kernel_); !broken.empty()) unwritable(kernel_, broken);
  check_names();
  text_ = fmt::format("npulab-ktrace {}\nkernel {}\nop {}\n", kKtraceFormat, written_name(kernel_.name), written_name(kernel_.op_type));
  for (const std::string& variable : kernel_.variables) text_ += "var " + written_name(variable) + '\n';
  for (const KernelBuffer& buffer : kernel_.buffers) {
    if ((buffer.address | buffer.bytes) >> 63 != 0) unwritable(kernel_, "buffer '" + buffer.name + "' is out of range");
    text_ += fmt::format("buffer {} {} {} {}\n", written_name(buffer.name), name_of(buffer.space),
                         written_number(static_cast<std::int64_t>(buffer.address)), written_number(static_cast<std::int64_t>(buffer.bytes)));
  }
  for (std::size_t i = 0; i < kernel_.programs.size(); ++i) write_program(i);
  if (!kernel_.blocks.empty()) text_ += '\n' + written_blocks(kernel_);
  return std::move(text_);
}

void KernelWriter::write_program(std::size_t index) {
  const Program& program = kernel_.programs[index];
  text_ += fmt::format("\nprogram {}{} {{\n", role(static_cast<int>(index)), written_name(program.name));
  std::size_t indent = 2;
  for (const ProgramOp& op : program.ops) {
    if (op.kind == ProgramOp::Kind::loop_end) indent -= 2;
    text_.append(indent, ' ');
    if (op.kind == ProgramOp::Kind::instruction) text_ += instruction(op, canonical_terms(program, op)) + '\n';
    else if (op.kind == ProgramOp::Kind::loop_end) text_ += "}\n";
    else write_loop(op);
    if (op.kind == ProgramOp::Kind::loop_begin) indent += 2;
  }
  text_ += "}\n";
}

void KernelWriter::write_loop(const ProgramOp& op) {
  const std::string count = op.count_variable >= 0 ? names_[static_cast<std::size_t>(op.count_variable)] : written_number(op.trip_count);
  text_ += fmt::format("loop {} {} {{\n", names_[static_cast<std::size_t>(kMaxBlockVariables + op.depth)], count);
}

std::string KernelWriter::plain_sum(std::int64_t constant, const std::vector<AffineTerm>& terms) const {
  return written_sum({constant, terms}, names_, "");
}

std::string KernelWriter::instruction(const ProgramOp& op, const std::vector<AffineTerm>& terms) const {
  const Instruction& head = op.head;
  const char* own = name_of(head.pipe);
  const std::string word = name_of(head.opcode);
  switch (head.opcode) {
    case Opcode::scalar: return word + ' ' + plain_sum(static_cast<std::int64_t>(head.dst), terms);
    case Opcode::set_flag: case Opcode::wait_flag: {
      if (head.peer >= kPipeCount) unwritable(kernel_, "a flag's pipe is out of range");
      const char* peer = name_of(static_cast<Pipe>(head.peer));
      const bool sets = head.opcode == Opcode::set_flag;
      return fmt::format("{} {} {} {}", word, sets ? own : peer, sets ? peer : own, plain_sum(head.event, terms));
    }
    case Opcode::pipe_barrier: return word + ' ' + (head.peer == kAllPipes ? "all" : own);
    case Opcode::cross_set: return fmt::format("{} {} {} {}", word, own, head.peer, plain_sum(head.event, terms));
    case Opcode::cross_wait: return fmt::format("{} {} {}", word, own, plain_sum(head.event, terms));
    default: return with_operands(op, terms);
  }
}

std::string KernelWriter::address(const AddressSlot& slot, const Operands& operands, const ProgramOp& op,
                                  const std::vector<AffineTerm>& terms, bool whole) const {
  int space = 0;
  while ((slot.spaces >> space & 1) == 0) ++space;
  for (const OperandField& field : operand_fields(operands.opcode)) {
    if (slot.space_key != nullptr && field.kind == FieldKind::space && std::string_view(field.key) == slot.space_key) {
      space = static_cast<int>(field.get(operands.block));
    }
  }
  // Quantisation words lie where the results go to UB, else in FB.
  if (operands.opcode == Opcode::fixpipe && slot.field == HeadField::src1) {
    space = static_cast<int>(operands.block.fixpipe.dst == Space::ub ? Space::ub : Space::fb);
  }
  WrittenSum sum = part_of(op, terms, slot.field, whole, slot.high_half);
  std::string base;
  for (const KernelBuffer& buffer : kernel_.buffers) {
    const std::uint64_t inside = static_cast<std::uint64_t>(sum.constant) - buffer.address;
    const bool clear = std::find(kernel_.variables.begin(), kernel_.variables.end(), buffer.name) == kernel_.variables.end();
    if (buffer.space != static_cast<Space>(space) || sum.constant < 0 || inside >= buffer.bytes || !clear) continue;
    base = written_name(buffer.name);
    sum.constant = static_cast<std::int64_t>(inside);
    break;
  }
  return fmt::format("{}[{}]", name_of(static_cast<Space>(space)), written_sum(sum, names_, base));
}

std::string KernelWriter::with_operands(const ProgramOp& op, const std::vector<AffineTerm>& terms) const {
  const Operands& operands = kernel_.operands[op.head.operands];
  if (operands.opcode != op.head.opcode || pipe_of(operands) != op.head.pipe) unwritable(kernel_, "an instruction and its operands differ");
  std::string text = name_of(op.head.opcode);
  if (op.head.opcode == Opcode::vector) text += ' ' + names_of(FieldKind::vector_op)[static_cast<std::size_t>(operands.block.vector.op)];
  const bool split = operands.opcode == Opcode::mmad && operands.block.mmad.bias;
  for (const AddressSlot& slot : address_slots(op.head.opcode)) {
    const WrittenSum sum = part_of(op, terms, slot.field, !split, slot.high_half);
    const bool needed = !slot.optional || (slot.high_half ? split : sum.constant != 0 || !sum.terms.empty());
    const bool read = operands.opcode == Opcode::vector ? reads_second_source(operands.block.vector.op)
                                                            : operands.opcode == Opcode::fixpipe &&
                                                                  has_column_words(operands.block.fixpipe.quant);
    if (needed || (slot.optional && read)) text += ' ' + address(slot, operands, op, terms, !split || slot.field != HeadField::src1);
  }
  return text + starts(op, terms) + fields(operands);
}

std::string KernelWriter::starts(const ProgramOp& op, const std::vector<AffineTerm>& terms) const {
  if (op.head.opcode != Opcode::load_3d) return "";
  const WrittenSum m = part_of(op, terms, HeadField::src1, false, false), k = part_of(op, terms, HeadField::src1, false, true);
  return " m_start=" + written_sum(m, names_, "") + " k_start=" + written_sum(k, names_, "");
}

std::string KernelWriter::fields(const Operands& operands) const {
  const bool one_type = (operands.opcode == Opcode::mmad && operands.block.mmad.a == operands.block.mmad.b) ||
                        (operands.opcode == Opcode::vector && operands.block.vector.dst_type == operands.block.vector.src_type);
  std::string text;
  bool type_written = false;
  for (const OperandField& each : operand_fields(operands.opcode)) {
    if (one_type && each.kind == FieldKind::type) {
      if (!type_written) text += " type=" + names_of(FieldKind::type)[each.get(operands.block)];
      type_written = true;
    } else {
      text += field(each, operands);
    }
  }
  return text;
}

std::string KernelWriter::field(const OperandField& field, const Operands& operands) const {
  const std::uint64_t value = field.get(operands.block);
  if (field.kind == FieldKind::space || field.kind == FieldKind::vector_op) return "";
  if (field.kind == FieldKind::flag) {
    const bool said = operands.opcode == Opcode::mmad && std::string_view(field.key) == "bias";  // by the bias table's address
    return value != 0 && !said ? std::string(" ") + field.key : "";
  }
  std::uint64_t standard = static_cast<std::uint64_t>(field.standard);
  for (const OperandField& other : operand_fields(operands.opcode)) {
    if (field.standard_from != nullptr && std::string_view(other.key) == field.standard_from) standard = other.get(operands.block);
  }
  if (!field.required && value == standard) return "";
  if (field.kind == FieldKind::number) {
    // Sizes read best in decimal; the smallest number exists as a bit pattern only.
    const bool smallest = value == std::uint64_t{1} << 63;
    return fmt::format(" {}=", field.key) + (smallest ? written_number(field.least) : std::to_string(static_cast<std::int64_t>(value)));
  }
  if (field.kind == FieldKind::bits) return fmt::format(" {}=0x{:x}", field.key, value);
  return fmt::format(" {}={}", field.key, names_of(field.kind)[value]);
}

}  // namespace

std::string write_ktrace(const Kernel& kernel) { return KernelWriter(kernel).write(); }

}  // namespace npulab::isa
