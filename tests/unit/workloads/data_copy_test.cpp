// SPDX-License-Identifier: Apache-2.0
// Streams of copies: legal, and every byte asked for as often as the options say.
#include "workloads/kernels/data_copy.h"

#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "model/isa/instruction_source.h"
#include "model/isa/program_checker.h"
#include "tests/unit/workloads/lowered_model.h"

namespace npulab::kernels {
namespace {

using Given = std::map<std::string, std::string>;

Workload make(const SocSpec& soc, const Given& given) {
  const KernelGenerator generator = data_copy_generator();
  std::vector<OptionProblem> problems;
  const KernelOptions options = resolve_options(generator, given, problems);
  EXPECT_TRUE(problems.empty());
  return generator.make(soc, options);
}

/// How often each byte of the matrix is read by all cores together.
std::vector<int> reads_of(const Kernel& kernel, std::size_t bytes) {
  std::vector<int> reads(bytes);
  for (const isa::BlockBinding& block : kernel.blocks) {
    for (int program : {block.cube, block.vector[0], block.vector[1]}) {
      if (program < 0) continue;
      isa::InstructionSource source(kernel, program, block);
      for (isa::Instruction head; source.next(head);) {
        const isa::Operands& o = kernel.operands[head.operands];
        const bool plain = o.opcode == isa::Opcode::copy;
        const std::int64_t rows = plain ? o.block.copy.rows : o.block.nd2nz.rows;
        const std::int64_t width = plain ? o.block.copy.row_bytes : o.block.nd2nz.columns * 2;
        const std::int64_t pitch = plain ? o.block.copy.src_pitch : o.block.nd2nz.src_pitch;
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t i = 0; i < width; ++i) ++reads.at(head.src0 + static_cast<std::uint64_t>(row * pitch + i));
        }
      }
    }
  }
  return reads;
}

TEST(DataCopy, reads_every_byte_as_often_as_it_is_told) {
  for (const char* chip : {"910b1", "950pr"}) {
    const SocSpec soc = test::test_chip(chip);
    for (const char* to : {"ub", "l1"}) {
      // The last tile of a row has 40 columns.
      for (const auto& [slices, passes] : {std::pair{"1", "1"}, {"2", "3"}}) {
        const Given given = {{"rows", "64"}, {"columns", "208"}, {"tile_rows", "16"}, {"tile_columns", "64"},
                             {"cores", "4"}, {"to", to}, {"slices", slices}, {"passes", passes}};
        const Workload workload = make(soc, given);
        const Kernel& kernel = *workload.kernels.front();
        for (const Diagnostic& problem : isa::ProgramChecker(soc).check(kernel)) ADD_FAILURE() << chip << ' ' << to << ": " << to_string(problem);
        EXPECT_EQ(reads_of(kernel, 64 * 208 * 2), std::vector<int>(64 * 208 * 2, std::stoi(passes))) << chip << ' ' << to << ' ' << slices;
      }
    }
  }
}

TEST(DataCopy, says_what_does_not_fit) {
  const SocSpec soc = test::test_chip("910b1");
  const auto message = [&](const Given& given) -> std::string {
    try {
      make(soc, given);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({{"cores", "50"}}), "cores: expected whole groups of this chip, found 50");
  EXPECT_EQ(message({{"tile_rows", "63"}}), "tile_rows: expected whole tiles for every core, found 63");
  EXPECT_EQ(message({{"slices", "5"}}), "slices: expected a divisor of columns, found 5");
  EXPECT_EQ(message({{"tile_columns", "2048"}}), "tile_columns: expected tiles of at most 196608 bytes of this buffer, found 262144 (65536 too many)");
}

}  // namespace
}  // namespace npulab::kernels
