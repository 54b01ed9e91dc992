// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/isa/random_kernel.h"

#include <random>

#include "model/isa/operand_fields.h"
#include "model/isa/program_builder.h"

namespace npulab::isa::test {
namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed), kernel_("kernel " + std::to_string(seed), pick(2) ? "QGemm" : "odd \"op\"\n\\ type") {}

  Kernel make() {
    static const char* const names[] = {"base", "i", "cube", "index", "two words", "vector", "\xc3\xa4", "j"};
    const std::size_t variables = pick(9);
    for (std::size_t v = 0; v < variables; ++v) variables_.push_back(kernel_.block_variable(names[v]));
    for (std::size_t b = pick(6); b-- > 0;) {
      kernel_.buffer(pick(2) ? "base" + std::to_string(b) : names[b], static_cast<Space>(pick(kSpaceCount)), pick(1 << 20), pick(1 << 16));
    }
    const std::size_t programs = 1 + pick(3);
    for (std::size_t p = 0; p < programs; ++p) {
      kernel_.program(names[2 + p], [&](ProgramBuilder& builder) { body(builder, 0); });
    }
    blocks(programs);
    return kernel_.build();
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }

  std::int64_t number() {
    switch (pick(6)) {
      case 0: return 0;
      case 1: return static_cast<std::int64_t>(pick(100));
      case 2: return -static_cast<std::int64_t>(pick(5000));
      case 3: return static_cast<std::int64_t>((std::uint64_t{random_()} << 32) | random_());
      case 4: return std::int64_t{1} << pick(64);
      default: return static_cast<std::int64_t>(pick(1 << 20));
    }
  }

  Affine affine(const std::vector<Variable>& loops, bool small = false) {
    Affine value(small ? static_cast<std::int64_t>(pick(100)) : number());
    for (std::size_t t = pick(4); t-- > 0;) {
      const std::size_t which = pick(variables_.size() + loops.size() + 1);
      if (which == variables_.size() + loops.size()) continue;
      const Variable variable = which < variables_.size() ? variables_[which] : loops[which - variables_.size()];
      const std::int64_t factor = small ? static_cast<std::int64_t>(pick(1000)) - 500 : number();
      value = value + (pick(2) ? modulo(variable, 1 + static_cast<std::int64_t>(pick(9))) : Affine(variable)) * factor;
    }
    return value;
  }

  Operands operands(Opcode opcode) {
    Operands result;
    result.opcode = opcode;
    for (const OperandField& field : operand_fields(opcode)) {
      std::uint64_t value = random_();
      if (field.kind == FieldKind::number) value = pick(4) ? static_cast<std::uint64_t>(number()) : static_cast<std::uint64_t>(field.standard);
      if (field.kind == FieldKind::bits) value = pick(2) ? static_cast<std::uint64_t>(field.standard) : (value << 32 | random_());
      if (field.kind == FieldKind::flag) value %= 2;
      if (!names_of(field.kind).empty()) value %= names_of(field.kind).size();
      if (field.kind == FieldKind::space) value = space(opcode, field.key);
      field.set(result.block, value);
    }
    return result;
  }

  std::uint64_t space(Opcode opcode, const std::string& key) {
    for (const AddressSlot& slot : address_slots(opcode)) {
      if (slot.space_key == nullptr || key != slot.space_key) continue;
      for (;;) {
        const std::size_t chosen = pick(kSpaceCount);
        if ((slot.spaces >> chosen & 1) != 0) return chosen;
      }
    }
    return 0;
  }

  void with_operands(ProgramBuilder& b, const std::vector<Variable>& l, Opcode opcode) {
    const OperandBlock o = operands(opcode).block;
    switch (opcode) {
      case Opcode::copy: return b.copy(o.copy, affine(l), affine(l));
      case Opcode::copy_nd2nz: return b.copy_nd2nz(o.nd2nz, affine(l), affine(l));
      case Opcode::fill: return b.fill(o.fill, affine(l));
      case Opcode::load_2d: return b.load_2d(o.load_2d, affine(l), affine(l));
      case Opcode::load_3d: return b.load_3d(o.load_3d, affine(l), affine(l), affine(l, true), affine(l, true));
      case Opcode::broadcast_bias: return b.broadcast_bias(o.broadcast, affine(l), affine(l));
      case Opcode::mmad: return b.mmad(o.mmad, affine(l), affine(l), affine(l), o.mmad.bias ? affine(l, true) : Affine(0));
      case Opcode::fixpipe: return b.fixpipe(o.fixpipe, affine(l), affine(l), affine(l));
      default: return b.vector(o.vector, affine(l), affine(l), affine(l));
    }
  }

  void instruction(ProgramBuilder& b, const std::vector<Variable>& l) {
    const auto opcode = static_cast<Opcode>(pick(kOpcodeCount));
    const auto pipe = static_cast<Pipe>(pick(kPipeCount)), peer = static_cast<Pipe>(pick(kPipeCount));
    switch (opcode) {
      case Opcode::scalar: return b.scalar(static_cast<std::int64_t>(pick(1000)));
      case Opcode::set_flag: return b.set_flag(pipe, peer, affine(l, true));
      case Opcode::wait_flag: return b.wait_flag(pipe, peer, affine(l, true));
      case Opcode::pipe_barrier: return pick(2) ? b.barrier(pipe) : b.barrier_all();
      case Opcode::cross_set: return b.cross_set(pipe, static_cast<int>(pick(3)), static_cast<int>(pick(16)));
      case Opcode::cross_wait: return b.cross_wait(pipe, static_cast<int>(pick(16)));
      default: return with_operands(b, l, opcode);
    }
  }

  void body(ProgramBuilder& builder, std::size_t depth) {
    for (std::size_t i = pick(6); i-- > 0;) {
      if (depth == kMaxLoopDepth || pick(3) != 0) {
        instruction(builder, loops_);
        continue;
      }
      const auto inside = [&](Variable counter) {
        loops_.push_back(counter);
        body(builder, depth + 1);
        loops_.pop_back();
      };
      if (variables_.empty() || pick(3) != 0) builder.loop(1 + static_cast<std::int64_t>(pick(4)), inside);
      else builder.loop(variables_[pick(variables_.size())], inside);
    }
  }

  void blocks(std::size_t programs) {
    const std::size_t count = pick(40), columns = 1 + pick(6);
    const bool regular = pick(2) != 0;
    const std::int64_t step = number() >> 30, jump = number() >> 30;
    for (std::size_t b = 0; b < count; ++b) {
      BlockBinding binding;
      const auto program = [&] { return static_cast<int>(pick(programs + 1)) - 1; };
      binding.cube = regular ? 0 : program();
      binding.vector[0] = regular ? -1 : program();
      binding.vector[1] = regular ? -1 : program();
      for (std::size_t v = 0; v < variables_.size(); ++v) {
        const auto inner = static_cast<std::int64_t>(b % columns), outer = static_cast<std::int64_t>(b / columns);
        binding.values.push_back(regular && (b < 30 || v == 0) ? inner * step + outer * jump : number());
      }
      kernel_.block(binding);
    }
  }

  std::mt19937 random_;
  KernelBuilder kernel_;
  std::vector<Variable> variables_, loops_;
};

}  // namespace

Kernel random_kernel(std::uint32_t seed) { return Generator(seed).make(); }

}  // namespace npulab::isa::test
