// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/base/errors.h"
#include "model/isa/ktrace.h"

namespace npulab::isa::test {
namespace {

std::vector<Diagnostic> problems_of(const std::string& text, const KtraceParameters& parameters = {}) {
  try {
    parse_ktrace(text, "f", parameters);
    return {};
  } catch (const UserError& error) {
    return error.diagnostics();
  }
}

struct Row {
  const char* text;  // after the header and the kernel line, so line 3 is its first
  int line, column;
  const char* message;
};

const Row kRows[] = {
    // Signs and words.
    {"buffer \x01", 3, 8, "expected a buffer's name, found '\\x01'"},
    {"buffer \"open", 3, 8, "expected a buffer's name, found a name without its closing quote"},
    {"buffer \"a\\q\" gm 0 1", 3, 8, "expected a buffer's name, found an unknown escape in a quoted name (known: \\\", \\\\ and \\xNN)"},
    {"param n = 12ab", 3, 11, "expected a number, a name or '(', found '12ab', which is no integer"},
    {"param n = 0x", 3, 11, "expected a number, a name or '(', found '0x', which is no integer"},
    {"param n = 99999999999999999999", 3, 11, "expected a number, a name or '(', found '99999999999999999999', which does not fit 64 bits"},
    {"param n = 9223372036854775808", 3, 11, "expected a result within 64 bits, found a larger one"},
    // Declarations.
    {"karnel k", 3, 1, "expected a declaration, found 'karnel', did you mean 'kernel'?"},
    {"kernel again", 3, 1, "expected one 'kernel' line, found a second"},
    {"param n 5", 3, 9, "expected '=', found 5"},
    {"param n = 1\nparam n = 2", 4, 7, "expected a name not yet declared, found 'n' again"},
    {"param index = 1", 3, 7, "expected another name, found 'index', which counts the blocks of a table"},
    {"param n = 1 2", 3, 13, "expected the end of the line, found 2"},
    {"var x\nvar x", 4, 5, "expected a name not yet declared, found 'x' again"},
    {"var a\nvar b\nvar c\nvar d\nvar e\nvar f\nvar g\nvar h\nvar i", 11, 5, "expected at most 8 block variables, found one more"},
    {"buffer a l2 0 1", 3, 10, "expected a space (gm, l1, l0a, l0b, l0c, ub, bt or fb), found 'l2'"},
    {"buffer a gm -1 1", 3, 13, "expected an address from 0 to 9223372036854775807, found -1"},
    {"buffer a gm 0 1\nbuffer a gm 0 1", 4, 8, "expected a name not yet declared, found 'a' again"},
    {"mmad l0c[0]", 3, 1, "expected 'program NAME {' around instructions, found 'mmad'"},
    {"}", 3, 1, "expected a declaration, found '}' with nothing to close"},
    // Expressions.
    {"param n = (1", 3, 13, "expected ')', found the end of the line"},
    {"param n = 1/0", 3, 12, "expected a divisor other than zero, found zero"},
    {"param n = 1<<63", 3, 12, "expected a shift from 0 to 62, found 63"},
    {"param n = 0x7fffffffffffffff+1", 3, 29, "expected a result within 64 bits, found a larger one"},
    {"param n = m", 3, 11, "expected a known name, found 'm'"},
    // Programs and loops.
    {"program p {\nprogram q {\n}", 4, 1, "expected '}' before the next declaration, found 'program'"},
    {"program p {\n}\nprogram p {\n}", 5, 9, "expected a name not yet declared, found 'p' again"},
    {"program p {\nloop i {\n}\n}", 4, 8, "expected a number, a name or '(', found '{'"},
    {"program p {\nloop i -1 {\n}\n}", 4, 8, "expected a count from 0, found -1"},
    {"program p {\nloop i 2 {\nloop i 2 {\n}\n}\n}", 5, 6, "expected a name with no other meaning here, found 'i'"},
    {"program p {\nloop i 2 {\nloop j i {\n}\n}\n}", 5, 8, "expected a constant or a block variable as count, found another expression"},
    // Instructions.
    {"program p {\nmmed l0c[0]\n}", 4, 1, "expected an instruction, 'loop' or '}', found 'mmed', did you mean 'mmad'?"},
    {"program p {\nset_flag mte2 mte4 0\n}", 4, 15, "expected a pipe (s, v, m, mte1, mte2, mte3 or fix), found 'mte4', did you mean 'mte1'?"},
    {"program p {\nset_flag mte2 mte1 256\n}", 4, 20, "expected an event from 0 to 255, found 256"},
    {"program p {\nset_flag mte2 mte1\n}", 4, 19, "expected a number, a name or '(', found the end of the line"},
    {"program p {\nfill l0a[0] bytes=32 pattern=0\n}", 4, 6, "expected l1[...] or ub[...], found 'l0a'"},
    {"program p {\nfill ub[0 bytes=32 pattern=0\n}", 4, 11, "expected ']', found 'bytes'"},
    {"program p {\nfill ub[0] bites=32\n}", 4, 12, "expected an operand of fill, found 'bites', did you mean 'bytes'?"},
    {"program p {\nfill ub[0] bytes=32 bytes=32\n}", 4, 21, "expected each operand once, found 'bytes' again"},
    {"program p {\ncopy_nd2nz l1[0] gm[0] rows=1\n}", 4, 1, "expected type=..., columns=..., src_pitch=..., dst_rows=..., found none"},
    {"program p {\nmmad l0c[0] l0a[0] l0b[0] m=65536 n=1 k=1 type=int8\n}", 4, 29, "expected m from 0 to 65535, found 65536"},
    {"program p {\nmmad l0c[0] l0a[0] l0b[0] m=1 n=1 k=1 type=int7\n}", 4, 44, "expected a data type, found 'int7', did you mean 'int8'?"},
    {"program p {\nvector ad ub[0] ub[0] type=fp32\n}", 4, 8, "expected a vector operation, found 'ad', did you mean 'add'?"},
    {"program p {\nloop i 2 {\nfill ub[i*i] bytes=32 pattern=0\n}\n}", 5, 10, "expected a constant on one side of '*', found two expressions that vary"},
    {"program p {\nloop i 2 {\nfill ub[(i+1)%2] bytes=32 pattern=0\n}\n}", 5, 14, "expected a single variable before '%', found an expression"},
    {"program p {\nloop i 2 {\nfill ub[i/2] bytes=32 pattern=0\n}\n}", 5, 10, "expected constants on both sides of '/', found an expression that varies"},
    {"program p {\nloop i 2 {\nfill ub[0] bytes=i pattern=0\n}\n}", 5, 18, "expected a constant for bytes, found an expression that varies"},
    {"buffer tile ub 0 64\nprogram p {\nfill ub[tyle] bytes=32 pattern=0\n}", 5, 9,
     "expected a known name or a buffer in ub, found 'tyle', did you mean 'tile'?"},
    // Blocks.
    {"block cube=p", 3, 12, "expected a program defined above, found 'p'"},
    {"program vector p {\n}\nblock cube=p", 5, 12, "expected a program for a cube core, found one for a vector core"},
    {"program p {\n}\nblock cube=p cube=p", 5, 14, "expected each core once, found it again"},
    {"var x\nprogram p {\n}\nblock cube=p", 6, 7, "expected a value of 'x' for the block, found none"},
    {"var x\nprogram p {\n}\nblock cube=p x=1 x=2", 6, 18, "expected each variable once, found 'x' again"},
    {"program p {\n}\nblock cube=p y=1", 5, 14, "expected a block variable, cube, vector, vector0 or vector1, found 'y'"},
    {"program p {\n}\nblocks 1000001 cube=p", 5, 8, "expected a number of blocks from 0 to 1000000, found 1000001"},
    {"program p {\n}\nblock cube=p\nvar x", 6, 5, "expected block variables before the first block, found one after it"},
};

TEST(KtraceErrors, each_mistake_is_found_where_it_is) {
  for (const Row& row : kRows) {
    const std::vector<Diagnostic> problems = problems_of("npulab-ktrace 1\nkernel k\n" + std::string(row.text) + '\n');
    ASSERT_EQ(problems.size(), 1u) << row.text << (problems.empty() ? "" : "\n" + to_string(problems.back()));
    EXPECT_EQ(problems[0].line, row.line) << row.text;
    EXPECT_EQ(problems[0].column, row.column) << row.text;
    EXPECT_EQ(problems[0].message, row.message) << row.text;
  }
}

TEST(KtraceErrors, the_header_and_the_kernel_line_are_required) {
  EXPECT_EQ(problems_of("").at(0).message, "expected 'npulab-ktrace 1' on the first line, found the end of the file");
  EXPECT_EQ(problems_of("npulab-ktrace 2\nkernel k\n").at(0).message, "expected format 1, the only one this program reads, found format 2");
  EXPECT_EQ(problems_of("npulab-ktrace 1\n").at(0).message, "expected a 'kernel NAME' line, found none");
  EXPECT_EQ(problems_of("hello\n").at(0).column, 1);
}

TEST(KtraceErrors, an_unclosed_loop_is_one_mistake) {
  const auto problems = problems_of("npulab-ktrace 1\nkernel k\nprogram p {\nloop i 2 {\nscalar 1\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "expected '}', found the end of the file with 2 still open");
}

TEST(KtraceErrors, a_broken_line_hides_no_other) {
  const auto problems = problems_of("npulab-ktrace 1\nkernel k\nprogram p {\nloop 7 2 {\nscaler 1\nscalar 2\n}\nwait_flag s\n}\nblock cube=q\n");
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].line, 4);
  EXPECT_EQ(problems[1].line, 5);
  EXPECT_EQ(problems[2].line, 8);
  EXPECT_EQ(problems[3].line, 10);
}

TEST(KtraceErrors, loops_nest_to_the_limit_and_no_deeper) {
  for (int depth : {kMaxLoopDepth, kMaxLoopDepth + 1}) {
    std::string text = "npulab-ktrace 1\nkernel k\nprogram p {\n";
    for (int i = 0; i < depth; ++i) text += "loop i" + std::to_string(i) + " 2 {\n";
    for (int i = 0; i < depth; ++i) text += "}\n";
    EXPECT_EQ(problems_of(text + "}\n").size(), depth > kMaxLoopDepth ? 1u : 0u);
  }
}

TEST(KtraceErrors, parentheses_nest_to_the_limit_and_no_deeper) {
  for (int depth : {64, 65, 100000}) {
    const std::string text = "npulab-ktrace 1\nkernel k\nparam n = " + std::string(depth, '(') + '1' + std::string(depth, ')') + '\n';
    EXPECT_EQ(problems_of(text).size(), depth > 64 ? 1u : 0u);
  }
}

TEST(KtraceErrors, at_most_a_hundred_are_reported) {
  std::string text = "npulab-ktrace 1\nkernel k\n";
  for (int i = 0; i < 300; ++i) text += "nonsense\n";
  EXPECT_EQ(problems_of(text).size(), kMaxKtraceProblems);
}

TEST(KtraceErrors, a_parameter_that_the_kernel_lacks_is_a_mistake) {
  const auto problems = problems_of("npulab-ktrace 1\nkernel k\nparam rows = 1\n", {{"rowz", 2}});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].key, "rowz");
  EXPECT_EQ(problems[0].message, "expected a parameter of this kernel, found none of that name, did you mean 'rows'?");
}

TEST(KtraceErrors, files_are_checked_as_a_whole) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("npulab_ktrace_test_" + std::to_string(::getpid()));
  EXPECT_THROW(load_ktrace((path / "missing").string()), UserError);
  std::ofstream(path) << "npulab-ktrace 1\nkernel k\nbad\n";
  const auto problems = check_ktrace(path.string(), {}, nullptr);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, path.string());
  EXPECT_EQ(problems[0].line, 3);
  std::ofstream(path) << "npulab-ktrace 1\nkernel k\n";
  EXPECT_TRUE(check_ktrace(path.string(), {}, nullptr).empty());
  std::filesystem::resize_file(path, kMaxKtraceBytes + 1);
  EXPECT_EQ(check_ktrace(path.string(), {}, nullptr).size(), 1u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace npulab::isa::test
