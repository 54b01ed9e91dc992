// SPDX-License-Identifier: Apache-2.0
#include "model/isa/instruction_source.h"

#include <gtest/gtest.h>

#include "model/isa/program_builder.h"
#include "tests/unit/isa/random_kernel.h"

namespace npulab::isa::test {
namespace {

struct Seen {
  Instruction head;
  std::uint32_t position;
};

/// The plain meaning of a program: loops by recursion, terms added one by one.
class Expander {
 public:
  Expander(const Program& program, const BlockBinding& binding) : program_(program) {
    for (std::size_t v = 0; v < binding.values.size(); ++v) values_[v] = binding.values[v];
  }

  std::vector<Seen> run(std::size_t limit) {
    limit_ = limit;
    range(0, program_.ops.size());
    return seen_;
  }

 private:
  void range(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && seen_.size() < limit_; ++i) {
      const ProgramOp& op = program_.ops[i];
      if (op.kind == ProgramOp::Kind::instruction) {
        instruction(i);
        continue;
      }
      const std::int64_t trips = op.count_variable >= 0 ? values_[op.count_variable] : op.trip_count;
      for (std::int64_t trip = 0; trip < trips && seen_.size() < limit_; ++trip) {
        values_[kMaxBlockVariables + op.depth] = trip;
        range(i + 1, op.partner);
      }
      i = op.partner;
    }
  }

  void instruction(std::size_t i) {
    const ProgramOp& op = program_.ops[i];
    Instruction head = op.head;
    for (std::size_t t = 0; t < op.term_count; ++t) {
      const AffineTerm& term = program_.terms[op.first_term + t];
      std::int64_t value = values_[term.variable];
      if (term.modulus > 0) value = value % term.modulus;
      const auto added = static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(term.coefficient);
      if (term.field == HeadField::dst) head.dst += added;
      if (term.field == HeadField::src0) head.src0 += added;
      if (term.field == HeadField::src1) head.src1 += added;
      if (term.field == HeadField::event) head.event = static_cast<std::uint8_t>(head.event + added);
    }
    seen_.push_back({head, static_cast<std::uint32_t>(i)});
  }

  const Program& program_;
  std::int64_t values_[kMaxVariables] = {};
  std::vector<Seen> seen_;
  std::size_t limit_ = 0;
};

bool same(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.pipe == b.pipe && a.peer == b.peer && a.event == b.event && a.operands == b.operands &&
         a.dst == b.dst && a.src0 == b.src0 && a.src1 == b.src1;
}

constexpr std::size_t kLimit = 20000;

TEST(InstructionSource, random_programs_expand_as_by_hand) {
  std::size_t total = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Kernel kernel = random_kernel(seed);
    for (std::size_t p = 0; p < kernel.programs.size(); ++p) {
      BlockBinding binding;
      for (std::size_t v = 0; v < kernel.variables.size(); ++v) binding.values.push_back(static_cast<std::int64_t>((seed + v) % 7) - 2);
      const std::vector<Seen> expected = Expander(kernel.programs[p], binding).run(kLimit);
      InstructionSource source(kernel, static_cast<int>(p), binding);
      Instruction head;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_TRUE(source.next(head)) << "seed " << seed << " program " << p << " instruction " << i;
        ASSERT_TRUE(same(head, expected[i].head)) << "seed " << seed << " program " << p << " instruction " << i;
        ASSERT_EQ(source.position(), expected[i].position);
      }
      if (expected.size() < kLimit) {
        ASSERT_FALSE(source.next(head)) << "seed " << seed << " program " << p;
        ASSERT_FALSE(source.next(head));
        ASSERT_TRUE(source.at_end());
      }
      total += expected.size();
    }
  }
  EXPECT_GT(total, 50000u);
}

Kernel nest() {
  KernelBuilder builder("k", "op");
  const Variable count = builder.block_variable("count");
  builder.program("p", [&](ProgramBuilder& b) {
    b.loop(count, [&](Variable i) {
      b.scalar(1);
      b.loop(3, [&](Variable j) { b.fill({Space::ub, 32, 0}, i * 100 + modulo(j, 2) * 10 + 5); });
    });
    b.barrier_all();
  });
  return builder.build();
}

BlockBinding with_count(std::int64_t count) {
  BlockBinding binding;
  binding.values = {count};
  return binding;
}

TEST(InstructionSource, a_count_of_zero_or_less_skips_the_body) {
  const Kernel kernel = nest();
  for (std::int64_t count : {0, -3}) {
    InstructionSource source(kernel, 0, with_count(count));
    Instruction head;
    ASSERT_TRUE(source.next(head));
    EXPECT_EQ(head.opcode, Opcode::pipe_barrier);
    EXPECT_FALSE(source.next(head));
  }
}

TEST(InstructionSource, a_copy_goes_on_from_where_it_was_taken) {
  const Kernel kernel = nest();
  InstructionSource source(kernel, 0, with_count(2));
  Instruction head;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(source.next(head));
  EXPECT_EQ(head.dst, 105u);
  InstructionSource copy = source;
  std::vector<std::uint64_t> first, second;
  while (source.next(head)) first.push_back(head.dst);
  while (copy.next(head)) second.push_back(head.dst);
  EXPECT_EQ(first, (std::vector<std::uint64_t>{115, 105, 0}));
  EXPECT_EQ(second, first);
}

TEST(InstructionSource, rewind_starts_again) {
  const Kernel kernel = nest();
  InstructionSource source(kernel, 0, with_count(3));
  Instruction head;
  int first = 0, second = 0;
  while (source.next(head)) ++first;
  source.rewind();
  while (source.next(head)) ++second;
  EXPECT_EQ(first, 3 * 4 + 1);
  EXPECT_EQ(second, first);
}

TEST(InstructionSource, large_and_negative_variables_take_the_exact_remainder) {
  KernelBuilder builder("k", "op");
  const Variable x = builder.block_variable("x");
  builder.program("p", [&](ProgramBuilder& b) {
    b.fill({Space::ub, 32, 0}, modulo(x, 7) + 1000);
    b.fill({Space::ub, 32, 0}, modulo(x, std::int64_t{1} << 40));
    b.fill({Space::ub, 32, 0}, modulo(x, 8));
  });
  const Kernel kernel = builder.build();
  for (std::int64_t value : {std::int64_t{-10}, std::int64_t{-1}, (std::int64_t{1} << 45) + 12345, std::int64_t{4294967295}, std::int64_t{13}}) {
    BlockBinding binding;
    binding.values = {value};
    InstructionSource source(kernel, 0, binding);
    Instruction head;
    ASSERT_TRUE(source.next(head));
    EXPECT_EQ(static_cast<std::int64_t>(head.dst), value % 7 + 1000);
    ASSERT_TRUE(source.next(head));
    EXPECT_EQ(static_cast<std::int64_t>(head.dst), value % (std::int64_t{1} << 40));
    ASSERT_TRUE(source.next(head));
    EXPECT_EQ(static_cast<std::int64_t>(head.dst), value % 8);
  }
}

}  // namespace
}  // namespace npulab::isa::test
