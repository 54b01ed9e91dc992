// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "model/base/errors.h"
#include "model/isa/kernel_equality.h"
#include "model/isa/ktrace.h"
#include "model/isa/program_checker.h"
#include "tests/unit/isa/random_kernel.h"
#include "tests/unit/isa/small_soc.h"

namespace npulab::isa::test {
namespace {

int rounds() {
  const char* factor = std::getenv("NPULAB_FUZZ_ROUNDS");
  return factor == nullptr ? 1 : std::max(1, std::atoi(factor));
}

const char* const kSeedText = R"(npulab-ktrace 1
kernel gemm
op QGemm
param steps = 1024/128
var m_base
var count
buffer a gm 0 0x1000000
buffer "a b" l1 0 0x8000
program cube main {
  loop i steps {
    wait_flag mte1 mte2 (i % 2)
    copy_nd2nz l1["a b" + 0x4000*(i % 2)] gm[a + 1024*m_base + 128*i] type=int8 rows=128 columns=128 src_pitch=1024 dst_rows=128
    set_flag mte2 mte1 (i % 2)
    loop j count {
      load_2d l0b[0] l1[512*j] type=int8 repeats=4 transpose
      mmad l0c[0] l0a[0] l0b[0x4000] bt[64*i] m=128 n=256 k=128 type=int8
    }
  }
  pipe_barrier all
  fixpipe gm[a] l0c[0] fb[0] m=128 n=256 src_rows=128 dst_pitch=4096 quant=vreq8 src_type=int32 signed
  cross_set fix 2 3
  cross_wait s 4
  scalar 10
}
program vector v {
  vector adds ub[0] ub[256] type=fp32 repeats=8 scalar=0x3f800000
}
blocks 4 cube=main vector=v m_base=index/2*128 count=index%2+1
block cube=main m_base=7 count=0
)";

/// Whatever the bytes are: a kernel that survives everything done to it, or a UserError.
bool survives(const std::string& text) {
  try {
    const Kernel kernel = parse_ktrace(text, "fuzz");
    const std::string written = write_ktrace(kernel);
    EXPECT_TRUE(equal(parse_ktrace(written, "again"), kernel)) << text;
    CheckLimits limits;
    limits.instructions = 20000;
    ProgramChecker(split_soc(), limits).check(kernel);
    ProgramChecker(fused_soc(), limits).check(kernel);
    return true;
  } catch (const UserError& error) {
    EXPECT_FALSE(error.diagnostics().empty());
    EXPECT_LE(error.diagnostics().size(), kMaxKtraceProblems);
    return false;
  }
}

std::string damaged(std::string text, std::mt19937& random) {
  static const char* const pieces[] = {"{", "}", "[", "]", "\n", "\"", "\\x", "%", "0x", "99999999999999999999", "-", "=", "loop i 3 {", "blocks 9",
                                       "<<", "(((", "i", "steps", "\xff", "#", "kernel", "var ", "index", "*"};
  for (int edits = 1 + static_cast<int>(random() % 4); edits-- > 0 && !text.empty();) {
    const std::size_t at = random() % text.size(), length = std::min<std::size_t>(random() % 30, text.size() - at);
    switch (random() % 6) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(random() % text.size(), length)); break;
      case 3: text.insert(at, pieces[random() % std::size(pieces)]); break;
      case 4: text[at] = static_cast<char>(text[at] ^ (1 << random() % 8)); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

TEST(KtraceFuzz, the_seed_text_is_right) { EXPECT_TRUE(survives(kSeedText)); }

TEST(KtraceFuzz, damaged_texts_are_read_or_refused) {
  std::mt19937 random(1);
  int read = 0, count = 20000 * rounds();
  for (int n = 0; n < count; ++n) read += survives(damaged(kSeedText, random)) ? 1 : 0;
  // Both outcomes take place, so both are tested.
  EXPECT_GT(read, count / 50);
  EXPECT_LT(read, count * 9 / 10);
}

TEST(KtraceFuzz, damaged_random_kernels_are_read_or_refused) {
  std::mt19937 random(2);
  for (int n = 0; n < 3000 * rounds(); ++n) survives(damaged(write_ktrace(random_kernel(random() % 500)), random));
}

TEST(KtraceFuzz, random_bytes_are_refused) {
  std::mt19937 random(3);
  for (int n = 0; n < 3000 * rounds(); ++n) {
    std::string text = n % 2 == 0 ? "npulab-ktrace 1\n" : "";
    for (std::size_t length = random() % 400; length-- > 0;) text += static_cast<char>(random());
    survives(text);
  }
}

TEST(KtraceFuzz, random_kernels_are_checked_without_harm) {
  CheckLimits limits;
  limits.instructions = 20000;
  for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(2000 * rounds()); ++seed) {
    const Kernel kernel = random_kernel(seed);
    const auto problems = ProgramChecker(split_soc(), limits).check(kernel);
    EXPECT_LE(problems.size(), limits.problems);
    ProgramChecker(fused_soc(), limits).check(kernel);
  }
}

}  // namespace
}  // namespace npulab::isa::test
