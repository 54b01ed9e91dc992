// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "model/isa/kernel_equality.h"
#include "model/isa/ktrace.h"
#include "model/isa/program_builder.h"
#include "tests/unit/isa/random_kernel.h"

namespace npulab::isa::test {
namespace {

TEST(KtraceRoundTrip, random_kernels_come_back_equal_and_their_text_is_stable) {
  std::size_t ops = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const Kernel kernel = random_kernel(seed);
    const std::string text = write_ktrace(kernel);
    try {
      const Kernel again = parse_ktrace(text, "random");
      ASSERT_TRUE(equal(kernel, again)) << "seed " << seed << '\n' << text;
      ASSERT_EQ(write_ktrace(again), text) << "seed " << seed;
    } catch (const UserError& error) {
      FAIL() << "seed " << seed << '\n' << error.what() << '\n' << text;
    }
    for (const Program& program : kernel.programs) ops += program.ops.size();
  }
  EXPECT_GT(ops, 20000u);  // the generator does generate
}

/// Every way in which two kernels can differ is one that `equal` sees.
TEST(KtraceRoundTrip, equality_sees_each_difference) {
  const auto base = [] {
    KernelBuilder builder("k", "op");
    const Variable x = builder.block_variable("x");
    builder.buffer("b", Space::gm, 0, 64);
    builder.program("p", [&](ProgramBuilder& b) {
      b.loop(3, [&](Variable i) { b.copy({Space::gm, Space::ub, 2, 64, 64, 64}, i * 64 + modulo(i, 2) * 32, x + 5); });
    });
    BlockBinding block;
    block.vector[0] = 0;
    block.values = {7};
    builder.block(block);
    return builder.build();
  };
  ASSERT_TRUE(equal(base(), base()));
  using Change = void (*)(Kernel&);
  const Change changes[] = {
      [](Kernel& k) { k.name = "other"; }, [](Kernel& k) { k.op_type = "other"; }, [](Kernel& k) { k.variables[0] = "y"; },
      [](Kernel& k) { k.buffers[0].bytes = 65; }, [](Kernel& k) { k.buffers[0].address = 1; }, [](Kernel& k) { k.buffers[0].space = Space::l1; },
      [](Kernel& k) { k.buffers.clear(); }, [](Kernel& k) { k.operands[0].block.copy.rows = 3; }, [](Kernel& k) { k.programs[0].name = "q"; },
      [](Kernel& k) { k.programs[0].ops[0].trip_count = 4; }, [](Kernel& k) { k.programs[0].ops[0].count_variable = 0; },
      [](Kernel& k) { k.programs[0].ops[1].head.src0 = 6; }, [](Kernel& k) { k.programs[0].ops[1].head.pipe = Pipe::s; },
      [](Kernel& k) { k.programs[0].terms[0].coefficient = 65; }, [](Kernel& k) { k.programs[0].terms[1].modulus = 3; },
      [](Kernel& k) { k.programs[0].terms[2].variable = 8; }, [](Kernel& k) { k.programs[0].terms[0].field = HeadField::src1; },
      [](Kernel& k) { k.programs[0].ops.pop_back(); }, [](Kernel& k) { k.blocks[0].values[0] = 8; }, [](Kernel& k) { k.blocks[0].cube = 0; },
      [](Kernel& k) { k.blocks[0].vector[1] = 0; }, [](Kernel& k) { k.blocks.clear(); }};
  int number = 0;
  for (const Change change : changes) {
    Kernel other = base();
    change(other);
    EXPECT_FALSE(equal(base(), other)) << "change " << number;
    EXPECT_FALSE(equal(other, base())) << "change " << number;
    ++number;
  }
}

TEST(KtraceRoundTrip, split_terms_and_left_out_zeros_are_the_same_kernel) {
  const auto kernel = [](bool split) {
    KernelBuilder builder("k", "op");
    const Variable x = builder.block_variable("x");
    builder.program("p", [&](ProgramBuilder& b) {
      b.loop(3, [&](Variable i) {
        b.vector({}, split ? i * 3 + i * 2 + modulo(i, 1) + x * 0 : i * 5, 0);
      });
    });
    BlockBinding block;
    block.vector[0] = 0;
    if (split) block.values = {0};
    builder.block(block);
    return builder.build();
  };
  EXPECT_TRUE(equal(kernel(true), kernel(false)));
  EXPECT_EQ(write_ktrace(kernel(true)), write_ktrace(kernel(false)));
}

const char* const kText = R"(npulab-ktrace 1
kernel gemm  # a comment
op QGemm
param steps = 1024/128
var m_base
var n_base
buffer a gm 0 0x100000
buffer b gm a+0x100000 1<<20
buffer a l1 0 2*16384
program cube main {
  loop i steps {
    wait_flag mte1 mte2 i%2
    copy_nd2nz l1[a + 0x4000*(i%2)] gm[a + m_base*1024 + 128*i] type=int8 rows=128 columns=128 src_pitch=1024 dst_rows=128
    mmad l0c[0] l0a[0] l0b[0x4000] bt[64*i] m=128 n=256 k=128 type=int8
  }
  load_3d l0a[0] l1[a] m_start=-16 k_start=32 m=128 k=64 type=int8 in_h=14 in_w=14 channels=64
}
blocks 12 cube=main m_base=index/4*128 n_base=index%4*256
)";

TEST(KtraceRoundTrip, a_text_means_what_it_says) {
  const Kernel k = parse_ktrace(kText, "gemm.ktrace");
  EXPECT_EQ(k.name, "gemm");
  EXPECT_EQ(k.op_type, "QGemm");
  ASSERT_EQ(k.buffers.size(), 3u);
  EXPECT_EQ(k.buffers[1].address, 0x100000u);
  EXPECT_EQ(k.buffers[1].bytes, 0x100000u);
  const std::vector<ProgramOp>& ops = k.programs[0].ops;
  ASSERT_EQ(ops.size(), 6u);
  EXPECT_EQ(ops[0].trip_count, 8);
  EXPECT_EQ(ops[0].partner, 4u);
  EXPECT_EQ(ops[1].head.pipe, Pipe::mte2);
  EXPECT_EQ(ops[1].head.peer, static_cast<std::uint8_t>(Pipe::mte1));
  EXPECT_EQ(ops[1].line, 12u);
  EXPECT_EQ(k.operands[ops[2].head.operands].block.nd2nz.src_pitch, 1024);
  EXPECT_EQ(ops[3].head.src1, 0x4000u);
  EXPECT_TRUE(k.operands[ops[3].head.operands].block.mmad.bias);
  EXPECT_EQ(ops[5].head.src1, (std::uint64_t{32} << 32) - 16);
  ASSERT_EQ(k.blocks.size(), 12u);
  EXPECT_EQ(k.blocks[7].values, (std::vector<std::int64_t>{128, 768}));
  EXPECT_EQ(k.blocks[7].cube, 0);
}

TEST(KtraceRoundTrip, a_parameter_given_from_outside_replaces_the_written_one) {
  EXPECT_EQ(parse_ktrace(kText, "f", {{"steps", 3}}).programs[0].ops[0].trip_count, 3);
}

TEST(KtraceRoundTrip, regular_blocks_take_one_line) {
  const std::string text = write_ktrace(parse_ktrace(kText, "f"));
  EXPECT_NE(text.find("\nblocks 12 cube=main m_base=128*(index/4) n_base=256*(index%4)\n"), std::string::npos) << text;
}

TEST(KtraceRoundTrip, addresses_are_written_by_buffer) {
  const std::string text = write_ktrace(parse_ktrace(kText, "f"));
  EXPECT_NE(text.find("l1[a + 0x4000*(i % 2)] gm[a + 1024*m_base + 128*i]"), std::string::npos) << text;
}

TEST(KtraceRoundTrip, what_cannot_be_written_is_refused) {
  Kernel kernel = parse_ktrace(kText, "f");
  kernel.programs[0].ops.pop_back();
  kernel.programs[0].ops[4].partner = 1;
  EXPECT_THROW(write_ktrace(kernel), InternalError);
  Kernel doubled = parse_ktrace(kText, "f");
  doubled.buffers.push_back(doubled.buffers[0]);
  EXPECT_THROW(write_ktrace(doubled), InternalError);
}

}  // namespace
}  // namespace npulab::isa::test
