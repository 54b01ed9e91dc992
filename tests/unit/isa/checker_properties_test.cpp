// SPDX-License-Identifier: Apache-2.0
// Random programs whose flags are right by construction (tests/reference): the checker accepts them all, and notices when any one
// flag instruction is taken out.
#include <gtest/gtest.h>

#include <random>

#include "model/isa/program_checker.h"
#include "tests/reference/random_kernel.h"
#include "tests/unit/isa/small_soc.h"

namespace npulab::isa::test {
namespace {

/// What is wrong, without the rule that source and destination of a repeat do not overlap by half, which random addresses break.
std::string problems_of(const SocSpec& soc, const Kernel& kernel) {
  std::string text;
  for (const Diagnostic& problem : ProgramChecker(soc).check(kernel)) {
    if (problem.message.find("of a repeat to overlap") == std::string::npos) text += to_string(problem) + '\n';
  }
  return text;
}

Kernel legal_kernel(const SocSpec& soc, std::uint32_t seed) {
  npulab::test::RandomKernelShape shape;
  shape.groups = 1 + static_cast<int>(seed % 2);
  return npulab::test::random_kernel(soc, 0, shape, seed);
}

std::vector<SocSpec> chips() { return {split_soc(), split_soc(2, 2), fused_soc(), fused_soc(1)}; }

TEST(CheckerProperties, right_programs_are_accepted) {
  for (const SocSpec& soc : chips()) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) ASSERT_EQ(problems_of(soc, legal_kernel(soc, seed)), "") << soc.name << " seed " << seed;
  }
}

TEST(CheckerProperties, each_flag_instruction_is_needed) {
  std::mt19937 random(5);
  int removed = 0;
  for (const SocSpec& soc : chips()) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      Kernel kernel = legal_kernel(soc, seed);
      std::vector<ProgramOp*> flags;
      for (Program& program : kernel.programs) {
        for (ProgramOp& op : program.ops) {
          const bool flag = op.head.opcode >= Opcode::set_flag && op.head.opcode <= Opcode::cross_wait && op.head.opcode != Opcode::pipe_barrier;
          if (op.kind == ProgramOp::Kind::instruction && flag) flags.push_back(&op);
        }
      }
      if (flags.empty()) continue;
      ProgramOp& victim = *flags[random() % flags.size()];
      const std::string what = name_of(victim.head.opcode);
      victim.head = Instruction{};
      victim.term_count = 0;
      ASSERT_NE(problems_of(soc, kernel), "") << soc.name << " seed " << seed << " without a " << what;
      ++removed;
    }
  }
  EXPECT_GT(removed, 300);
}

}  // namespace
}  // namespace npulab::isa::test
