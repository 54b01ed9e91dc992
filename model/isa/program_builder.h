// SPDX-License-Identifier: Apache-2.0
// Comfortable construction of kernels: loops as lambdas, affine addresses as expressions, operand blocks interned.
// KernelBuilder owns the kernel, ProgramBuilder appends to one of its programs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/isa/kernel.h"

namespace npulab::isa {

/// A loop counter or block variable, by its number among the affine variables.
struct Variable {
  std::uint8_t index = 0;
};

/// constant + sum of coefficient * (variable [% modulus]).
class Affine {
 public:
  struct Term {
    std::uint8_t variable;
    std::int64_t coefficient;
    std::int64_t modulus;
  };
  Affine(std::int64_t constant = 0) : constant_(constant) {}  // NOLINT: numbers are expressions
  Affine(Variable variable) { terms_.push_back({variable.index, 1, 0}); }  // NOLINT

  Affine operator+(const Affine& other) const;
  Affine operator*(std::int64_t factor) const;
  std::int64_t constant() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }

 private:
  friend Affine modulo(Variable variable, std::int64_t modulus);
  std::int64_t constant_ = 0;
  std::vector<Term> terms_;
};

/// variable % modulus, for ping-pong buffers and flags.
Affine modulo(Variable variable, std::int64_t modulus);
inline Affine operator*(Variable variable, std::int64_t factor) { return Affine(variable) * factor; }
inline Affine operator+(Variable variable, const Affine& other) { return Affine(variable) + other; }

class ProgramBuilder;

class KernelBuilder {
 public:
  KernelBuilder(std::string name, std::string op_type);

  /// A block variable; its value is given per block, in the order of declaration. InternalError beyond kMaxBlockVariables.
  Variable block_variable(const std::string& name);
  /// A named region; one name is used once a space (InternalError). Addresses in GM are checked against the GM buffers, if any.
  void buffer(const std::string& name, Space space, std::uint64_t address, std::uint64_t bytes);
  /// Builds a program and returns its index; a name that is taken gets `.2`, `.3`, ... added.
  int program(const std::string& name, const std::function<void(ProgramBuilder&)>& body);
  void block(const BlockBinding& binding) { kernel_.blocks.push_back(binding); }
  /// Index of an equal operand block, added if there is none.
  std::uint32_t intern(const Operands& operands);
  Kernel build() { return std::move(kernel_); }

 private:
  Kernel kernel_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> interned_;
};

class ProgramBuilder {
 public:
  ProgramBuilder(KernelBuilder& kernel, Program& program) : kernel_(kernel), program_(program) {}

  /// `body(counter)` repeated `count` times; nothing for 0, no loop for 1 unless the counter is needed as a variable.
  void loop(std::int64_t count, const std::function<void(Variable)>& body);
  /// The same with a count that each block gives.
  void loop(Variable count, const std::function<void(Variable)>& body);

  void copy(const CopyOperands& operands, const Affine& dst, const Affine& src);
  void copy_nd2nz(const Nd2NzOperands& operands, const Affine& dst, const Affine& src);
  void fill(const FillOperands& operands, const Affine& dst);
  void load_2d(const Load2dOperands& operands, const Affine& dst, const Affine& src);
  void load_3d(const Load3dOperands& operands, const Affine& dst, const Affine& src, const Affine& m_start, const Affine& k_start);
  void broadcast_bias(const BroadcastOperands& operands, const Affine& dst, const Affine& src);
  void mmad(const MmadOperands& operands, const Affine& c, const Affine& a, const Affine& b, const Affine& bias = 0);
  void fixpipe(const FixpipeOperands& operands, const Affine& dst, const Affine& src, const Affine& parameters = 0);
  void vector(const VectorOperands& operands, const Affine& dst, const Affine& src0, const Affine& src1 = 0);
  void scalar(std::int64_t cycles);
  void set_flag(Pipe source, Pipe target, const Affine& event);
  void wait_flag(Pipe source, Pipe target, const Affine& event);
  void barrier(Pipe pipe);
  void barrier_all();
  void cross_set(Pipe pipe, int mode, int flag);
  void cross_wait(Pipe pipe, int flag);

 private:
  void begin_loop(std::int64_t count, std::int8_t variable);
  void end_loop();
  void emit(const Operands& operands, const Affine& dst, const Affine& src0, const Affine& src1);
  void emit(Instruction head, const Affine& dst, const Affine& src0, const Affine& src1, const Affine& event);
  void add_terms(HeadField field, const Affine& value, ProgramOp& op);

  KernelBuilder& kernel_;
  Program& program_;
  std::vector<std::uint32_t> open_loops_;
};

}  // namespace npulab::isa
