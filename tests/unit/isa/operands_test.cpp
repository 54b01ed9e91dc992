// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "model/isa/operand_fields.h"
#include "model/isa/operand_words.h"
#include "model/isa/program_builder.h"

namespace npulab::isa::test {
namespace {

Operands copy(Space src, Space dst) {
  Operands operands;
  operands.opcode = Opcode::copy;
  operands.block.copy = {src, dst, 1, 32, 32, 32};
  return operands;
}

TEST(Operands, copies_run_on_the_pipe_of_their_path) {
  struct Row { Space src, dst; Pipe pipe; GmAccess gm; };
  const Row rows[] = {{Space::gm, Space::l1, Pipe::mte2, GmAccess::read},  {Space::gm, Space::ub, Pipe::mte2, GmAccess::read},
                      {Space::ub, Space::gm, Pipe::mte3, GmAccess::write}, {Space::l1, Space::gm, Pipe::mte3, GmAccess::write},
                      {Space::ub, Space::l1, Pipe::mte3, GmAccess::none},  {Space::l1, Space::ub, Pipe::mte1, GmAccess::none},
                      {Space::l1, Space::bt, Pipe::mte1, GmAccess::none},  {Space::l1, Space::fb, Pipe::fix, GmAccess::none},
                      {Space::ub, Space::ub, Pipe::v, GmAccess::none}};
  for (const Row& row : rows) {
    EXPECT_EQ(pipe_of(copy(row.src, row.dst)), row.pipe) << name_of(row.src) << "->" << name_of(row.dst);
    EXPECT_EQ(gm_access(copy(row.src, row.dst)), row.gm) << name_of(row.src) << "->" << name_of(row.dst);
  }
}

TEST(Operands, other_instructions_run_on_their_pipe) {
  const auto check = [](Opcode opcode, Pipe pipe, GmAccess gm, void (*set)(OperandBlock&)) {
    Operands operands;
    operands.opcode = opcode;
    set(operands.block);
    EXPECT_EQ(pipe_of(operands), pipe) << name_of(opcode);
    EXPECT_EQ(gm_access(operands), gm) << name_of(opcode);
  };
  check(Opcode::copy_nd2nz, Pipe::mte2, GmAccess::read, [](OperandBlock&) {});
  check(Opcode::fill, Pipe::mte2, GmAccess::none, [](OperandBlock& b) { b.fill.dst = Space::l1; });
  check(Opcode::fill, Pipe::v, GmAccess::none, [](OperandBlock& b) { b.fill.dst = Space::ub; });
  check(Opcode::load_2d, Pipe::mte1, GmAccess::none, [](OperandBlock&) {});
  check(Opcode::load_3d, Pipe::mte1, GmAccess::none, [](OperandBlock&) {});
  check(Opcode::mmad, Pipe::m, GmAccess::none, [](OperandBlock&) {});
  check(Opcode::fixpipe, Pipe::fix, GmAccess::write, [](OperandBlock& b) { b.fixpipe.dst = Space::gm; });
  check(Opcode::fixpipe, Pipe::fix, GmAccess::none, [](OperandBlock& b) { b.fixpipe.dst = Space::l1; });
  check(Opcode::fixpipe, Pipe::v, GmAccess::none, [](OperandBlock& b) { b.fixpipe.dst = Space::ub; });
  check(Opcode::broadcast_bias, Pipe::v, GmAccess::none, [](OperandBlock&) {});
  check(Opcode::vector, Pipe::v, GmAccess::none, [](OperandBlock&) {});
  check(Opcode::scalar, Pipe::s, GmAccess::none, [](OperandBlock&) {});
}

TEST(Operands, every_field_reads_back_and_is_independent_of_the_others) {
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
    const std::vector<OperandField>& fields = operand_fields(static_cast<Opcode>(opcode));
    for (const OperandField& field : fields) {
      OperandBlock block;
      field.set(block, 1);
      for (const OperandField& other : fields) {
        EXPECT_EQ(other.get(block), &other == &field ? 1u : 0u) << name_of(static_cast<Opcode>(opcode)) << ' ' << field.key << ' ' << other.key;
      }
    }
  }
}

/// Fields cover their struct: any byte that is not padding shows in the words.
TEST(Operands, every_byte_of_a_block_that_a_member_uses_shows_in_the_words) {
  struct Row { Opcode opcode; std::size_t used; };  // bytes without padding
  const Row rows[] = {{Opcode::copy, 2 + 8 + 16}, {Opcode::copy_nd2nz, 1 + 8 + 8 + 4}, {Opcode::fill, 1 + 8}, {Opcode::load_2d, 3 + 2 + 8},
                      {Opcode::load_3d, 3 + 6 + 10 + 12}, {Opcode::broadcast_bias, 4}, {Opcode::mmad, 6 + 6}, {Opcode::fixpipe, 7 + 4 + 4 + 16},
                      {Opcode::vector, 5 + 4 + 6 + 8 + 16}};
  for (const Row& row : rows) {
    const std::vector<std::uint64_t> zero = operand_words([&] { Operands o; o.opcode = row.opcode; return o; }());
    std::size_t seen = 0;
    for (std::size_t byte = 0; byte < sizeof(OperandBlock); ++byte) {
      Operands operands;
      operands.opcode = row.opcode;
      reinterpret_cast<unsigned char*>(&operands.block)[byte] = 1;
      seen += operand_words(operands) != zero ? 1u : 0u;
    }
    EXPECT_EQ(seen, row.used) << name_of(row.opcode);
  }
}

TEST(ProgramBuilder, equal_operands_are_stored_once) {
  KernelBuilder builder("k", "op");
  builder.program("p", [&](ProgramBuilder& b) {
    b.copy({Space::gm, Space::ub, 2, 64, 64, 64}, 0, 0);
    b.copy({Space::gm, Space::ub, 2, 64, 64, 64}, 64, 0);
    b.copy({Space::gm, Space::ub, 3, 64, 64, 64}, 0, 0);
  });
  const Kernel kernel = builder.build();
  EXPECT_EQ(kernel.operands.size(), 2u);
  EXPECT_EQ(kernel.programs[0].ops[0].head.operands, kernel.programs[0].ops[1].head.operands);
  EXPECT_NE(kernel.programs[0].ops[0].head.operands, kernel.programs[0].ops[2].head.operands);
}

TEST(ProgramBuilder, flags_run_on_the_pipe_that_acts) {
  KernelBuilder builder("k", "op");
  builder.program("p", [&](ProgramBuilder& b) {
    b.set_flag(Pipe::mte2, Pipe::mte1, 3);
    b.wait_flag(Pipe::mte2, Pipe::mte1, 3);
    b.barrier(Pipe::v);
    b.barrier_all();
    b.cross_set(Pipe::fix, 2, 5);
    b.cross_wait(Pipe::s, 6);
  });
  const std::vector<ProgramOp> ops = builder.build().programs[0].ops;
  const auto head = [&](std::size_t i) { return ops[i].head; };
  EXPECT_EQ(head(0).pipe, Pipe::mte2);
  EXPECT_EQ(head(0).peer, static_cast<std::uint8_t>(Pipe::mte1));
  EXPECT_EQ(head(1).pipe, Pipe::mte1);
  EXPECT_EQ(head(1).peer, static_cast<std::uint8_t>(Pipe::mte2));
  EXPECT_EQ(head(1).event, 3);
  EXPECT_EQ(head(2).pipe, Pipe::v);
  EXPECT_EQ(head(3).pipe, Pipe::s);
  EXPECT_EQ(head(3).peer, kAllPipes);
  EXPECT_EQ(head(4).pipe, Pipe::fix);
  EXPECT_EQ(head(4).peer, 2);
  EXPECT_EQ(head(4).event, 5);
  EXPECT_EQ(head(5).pipe, Pipe::s);
  EXPECT_EQ(head(5).event, 6);
}

TEST(ProgramBuilder, names_are_used_once) {
  KernelBuilder builder("k", "op");
  builder.block_variable("x");
  EXPECT_THROW(builder.block_variable("x"), InternalError);
  builder.buffer("b", Space::gm, 0, 1);
  builder.buffer("b", Space::l1, 0, 1);
  EXPECT_THROW(builder.buffer("b", Space::gm, 4, 1), InternalError);
  builder.program("p", [](ProgramBuilder&) {});
  builder.program("p", [](ProgramBuilder&) {});
  builder.program("p", [](ProgramBuilder&) {});
  const Kernel kernel = builder.build();
  EXPECT_EQ(kernel.programs[1].name, "p.2");
  EXPECT_EQ(kernel.programs[2].name, "p.3");
}

TEST(ProgramBuilder, limits_of_variables_and_depth_are_kept) {
  KernelBuilder builder("k", "op");
  for (int i = 0; i < kMaxBlockVariables; ++i) builder.block_variable("x" + std::to_string(i));
  EXPECT_THROW(builder.block_variable("y"), InternalError);
  const std::function<void(ProgramBuilder&, int)> nest = [&](ProgramBuilder& b, int depth) {
    if (depth > 0) b.loop(2, [&](Variable) { nest(b, depth - 1); });
  };
  builder.program("deep", [&](ProgramBuilder& b) { nest(b, kMaxLoopDepth); });
  EXPECT_THROW(builder.program("deeper", [&](ProgramBuilder& b) { nest(b, kMaxLoopDepth + 1); }), InternalError);
}

}  // namespace
}  // namespace npulab::isa::test
