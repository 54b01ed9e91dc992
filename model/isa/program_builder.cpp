// SPDX-License-Identifier: Apache-2.0
#include "model/isa/program_builder.h"

#include <algorithm>

#include "model/base/errors.h"
#include "model/isa/operand_words.h"

namespace npulab::isa {

Affine Affine::operator+(const Affine& other) const {
  Affine sum = *this;
  sum.constant_ += other.constant_;
  sum.terms_.insert(sum.terms_.end(), other.terms_.begin(), other.terms_.end());
  return sum;
}

Affine Affine::operator*(std::int64_t factor) const {
  Affine product = *this;
  product.constant_ *= factor;
  for (Term& term : product.terms_) term.coefficient *= factor;
  return product;
}

Affine modulo(Variable variable, std::int64_t modulus) {
  Affine value;
  value.terms_.push_back({variable.index, 1, modulus});
  return value;
}

namespace {

/// Names are how the text form and messages tell things apart.
[[noreturn]] void twice(const std::string& what, const std::string& name) {
  throw InternalError("two of one name: " + what + " '" + name + "'");
}

}  // namespace

KernelBuilder::KernelBuilder(std::string name, std::string op_type) {
  kernel_.name = std::move(name);
  kernel_.op_type = std::move(op_type);
}

Variable KernelBuilder::block_variable(const std::string& name) {
  if (kernel_.variables.size() == static_cast<std::size_t>(kMaxBlockVariables)) throw InternalError("too many block variables");
  if (std::count(kernel_.variables.begin(), kernel_.variables.end(), name) != 0) twice("block variable", name);
  kernel_.variables.push_back(name);
  return {static_cast<std::uint8_t>(kernel_.variables.size() - 1)};
}

void KernelBuilder::buffer(const std::string& name, Space space, std::uint64_t address, std::uint64_t bytes) {
  for (const KernelBuffer& other : kernel_.buffers) {
    if (other.space == space && other.name == name) twice(std::string("buffer in ") + name_of(space), name);
  }
  kernel_.buffers.push_back({name, space, address, bytes});
}

int KernelBuilder::program(const std::string& name, const std::function<void(ProgramBuilder&)>& body) {
  const auto used = [&](const std::string& candidate) {
    return std::any_of(kernel_.programs.begin(), kernel_.programs.end(), [&](const Program& p) { return p.name == candidate; });
  };
  Program program;
  program.name = name;
  for (int number = 2; used(program.name); ++number) program.name = name + '.' + std::to_string(number);
  ProgramBuilder builder(*this, program);
  body(builder);
  kernel_.programs.push_back(std::move(program));
  return static_cast<int>(kernel_.programs.size() - 1);
}

std::uint32_t KernelBuilder::intern(const Operands& operands) {
  const auto [place, added] = interned_.emplace(operand_words(operands), static_cast<std::uint32_t>(kernel_.operands.size()));
  if (added) kernel_.operands.push_back(operands);
  return place->second;
}

void ProgramBuilder::begin_loop(std::int64_t count, std::int8_t variable) {
  if (open_loops_.size() == static_cast<std::size_t>(kMaxLoopDepth)) throw InternalError("loops nested too deeply");
  ProgramOp op;
  op.kind = ProgramOp::Kind::loop_begin;
  op.depth = static_cast<std::uint8_t>(open_loops_.size());
  op.trip_count = count;
  op.count_variable = variable;
  open_loops_.push_back(static_cast<std::uint32_t>(program_.ops.size()));
  program_.ops.push_back(op);
}

void ProgramBuilder::end_loop() {
  const std::uint32_t begin = open_loops_.back();
  open_loops_.pop_back();
  ProgramOp op;
  op.kind = ProgramOp::Kind::loop_end;
  op.depth = static_cast<std::uint8_t>(open_loops_.size());
  op.partner = begin;
  program_.ops[begin].partner = static_cast<std::uint32_t>(program_.ops.size());
  program_.ops.push_back(op);
}

void ProgramBuilder::loop(std::int64_t count, const std::function<void(Variable)>& body) {
  if (count <= 0) return;
  begin_loop(count, -1);
  body({static_cast<std::uint8_t>(kMaxBlockVariables + open_loops_.size() - 1)});
  end_loop();
}

void ProgramBuilder::loop(Variable count, const std::function<void(Variable)>& body) {
  begin_loop(0, static_cast<std::int8_t>(count.index));
  body({static_cast<std::uint8_t>(kMaxBlockVariables + open_loops_.size() - 1)});
  end_loop();
}

void ProgramBuilder::add_terms(HeadField field, const Affine& value, ProgramOp& op) {
  for (const Affine::Term& term : value.terms()) {
    if (term.coefficient == 0) continue;
    program_.terms.push_back({field, term.variable, term.coefficient, term.modulus});
    ++op.term_count;
  }
}

void ProgramBuilder::emit(Instruction head, const Affine& dst, const Affine& src0, const Affine& src1, const Affine& event) {
  ProgramOp op;
  op.head = head;
  op.head.dst = static_cast<std::uint64_t>(dst.constant());
  op.head.src0 = static_cast<std::uint64_t>(src0.constant());
  op.head.src1 = static_cast<std::uint64_t>(src1.constant());
  op.head.event = static_cast<std::uint8_t>(event.constant());
  op.first_term = static_cast<std::uint32_t>(program_.terms.size());
  add_terms(HeadField::dst, dst, op);
  add_terms(HeadField::src0, src0, op);
  add_terms(HeadField::src1, src1, op);
  add_terms(HeadField::event, event, op);
  program_.ops.push_back(op);
}

void ProgramBuilder::emit(const Operands& operands, const Affine& dst, const Affine& src0, const Affine& src1) {
  Instruction head;
  head.opcode = operands.opcode;
  head.pipe = pipe_of(operands);
  head.operands = kernel_.intern(operands);
  emit(head, dst, src0, src1, 0);
}

void ProgramBuilder::copy(const CopyOperands& o, const Affine& dst, const Affine& src) {
  Operands operands;
  operands.opcode = Opcode::copy;
  operands.block.copy = o;
  emit(operands, dst, src, 0);
}

void ProgramBuilder::copy_nd2nz(const Nd2NzOperands& o, const Affine& dst, const Affine& src) {
  Operands operands;
  operands.opcode = Opcode::copy_nd2nz;
  operands.block.nd2nz = o;
  emit(operands, dst, src, 0);
}

void ProgramBuilder::fill(const FillOperands& o, const Affine& dst) {
  Operands operands;
  operands.opcode = Opcode::fill;
  operands.block.fill = o;
  emit(operands, dst, 0, 0);
}

void ProgramBuilder::load_2d(const Load2dOperands& o, const Affine& dst, const Affine& src) {
  Operands operands;
  operands.opcode = Opcode::load_2d;
  operands.block.load_2d = o;
  emit(operands, dst, src, 0);
}

void ProgramBuilder::load_3d(const Load3dOperands& o, const Affine& dst, const Affine& src, const Affine& m_start,
                             const Affine& k_start) {
  Operands operands;
  operands.opcode = Opcode::load_3d;
  operands.block.load_3d = o;
  emit(operands, dst, src, m_start + k_start * (std::int64_t{1} << 32));
}

void ProgramBuilder::broadcast_bias(const BroadcastOperands& o, const Affine& dst, const Affine& src) {
  Operands operands;
  operands.opcode = Opcode::broadcast_bias;
  operands.block.broadcast = o;
  emit(operands, dst, src, 0);
}

void ProgramBuilder::mmad(const MmadOperands& o, const Affine& c, const Affine& a, const Affine& b, const Affine& bias) {
  Operands operands;
  operands.opcode = Opcode::mmad;
  operands.block.mmad = o;
  emit(operands, c, a, b + bias * (std::int64_t{1} << 32));
}

void ProgramBuilder::fixpipe(const FixpipeOperands& o, const Affine& dst, const Affine& src, const Affine& parameters) {
  Operands operands;
  operands.opcode = Opcode::fixpipe;
  operands.block.fixpipe = o;
  emit(operands, dst, src, parameters);
}

void ProgramBuilder::vector(const VectorOperands& o, const Affine& dst, const Affine& src0, const Affine& src1) {
  Operands operands;
  operands.opcode = Opcode::vector;
  operands.block.vector = o;
  emit(operands, dst, src0, src1);
}

void ProgramBuilder::scalar(std::int64_t cycles) {
  Instruction head;
  head.opcode = Opcode::scalar;
  emit(head, cycles, 0, 0, 0);
}

void ProgramBuilder::set_flag(Pipe source, Pipe target, const Affine& event) {
  Instruction head;
  head.opcode = Opcode::set_flag;
  head.pipe = source;
  head.peer = static_cast<std::uint8_t>(target);
  emit(head, 0, 0, 0, event);
}

void ProgramBuilder::wait_flag(Pipe source, Pipe target, const Affine& event) {
  Instruction head;
  head.opcode = Opcode::wait_flag;
  head.pipe = target;
  head.peer = static_cast<std::uint8_t>(source);
  emit(head, 0, 0, 0, event);
}

void ProgramBuilder::barrier(Pipe pipe) {
  Instruction head;
  head.opcode = Opcode::pipe_barrier;
  head.pipe = pipe;
  head.peer = static_cast<std::uint8_t>(pipe);
  emit(head, 0, 0, 0, 0);
}

void ProgramBuilder::barrier_all() {
  Instruction head;
  head.opcode = Opcode::pipe_barrier;
  head.peer = kAllPipes;
  emit(head, 0, 0, 0, 0);
}

void ProgramBuilder::cross_set(Pipe pipe, int mode, int flag) {
  Instruction head;
  head.opcode = Opcode::cross_set;
  head.pipe = pipe;
  head.peer = static_cast<std::uint8_t>(mode);
  emit(head, 0, 0, 0, flag);
}

void ProgramBuilder::cross_wait(Pipe pipe, int flag) {
  Instruction head;
  head.opcode = Opcode::cross_wait;
  head.pipe = pipe;
  emit(head, 0, 0, 0, flag);
}

}  // namespace npulab::isa
