// SPDX-License-Identifier: Apache-2.0
// The rule of each family on rows invented here: which kernel, which options, which time.
#include "app/validate/rules.h"

#include <gtest/gtest.h>

namespace npulab::validate {
namespace {

DataRow row_of(const std::string& family, const std::string& chip, const std::string& case_name, const std::string& shapes = "",
               std::map<std::string, std::string> cells = {}) {
  DataRow row;
  row.family = family;
  row.chip = chip;
  row.case_name = case_name;
  row.shapes = shapes;
  row.cells = std::move(cells);
  row.measured.task = 10;
  return row;
}

std::string option(const Mapping& mapping, const std::string& name) {
  const auto found = mapping.job.options.find(name);
  return found == mapping.job.options.end() ? "none" : found->second;
}

TEST(Rules, shapes_win_over_what_a_case_usually_is) {
  DataRow row = row_of("matmul-ladder", "910b1", "5", "M=4096;K=1024;N=2048; single 512x256; base 64x128x32; depthA1 16 stepKa 6; depthB1 8 stepKb 2", {{"cores", "12"}});
  const Mapping mapping = map_matmul_ladder(row);
  EXPECT_EQ(mapping.job.kernel, "matmul");
  for (const auto& [name, value] : {std::pair{"m", "4096"}, {"k", "1024"}, {"n", "2048"}, {"single_m", "512"}, {"single_n", "256"}, {"base_m", "64"}, {"base_n", "128"}, {"base_k", "32"},
                                    {"step_ka", "6"}, {"step_kb", "2"}, {"cores", "12"}, {"template", "mdl"}, {"unit_flag", "off"}})
    EXPECT_EQ(option(mapping, name), value) << name;
}

TEST(Rules, a_ladder_row_without_shapes_is_the_case_it_names) {
  DataRow row = row_of("matmul-ladder", "950pr", "C2", "", {{"blocks", "32"}});
  Mapping mapping = map_matmul_ladder(row);
  EXPECT_EQ(option(mapping, "single_m") + 'x' + option(mapping, "single_n"), "4096x512");
  EXPECT_EQ(option(mapping, "template"), "norm");
  EXPECT_FALSE(mapping.fixpipe_scored);
  row = row_of("matmul-ladder", "a2", "C8 unit flag (cube/fixpipe overlap)", "", {{"blocks", "24"}});
  mapping = map_matmul_ladder(row);
  EXPECT_EQ(option(mapping, "unit_flag"), "on");
  EXPECT_EQ(option(mapping, "constant_tiling"), "yes");
  EXPECT_EQ(option(mapping, "single_m"), "1024");
  EXPECT_TRUE(mapping.fixpipe_scored);
  row.case_name = "C9";
  EXPECT_NE(map_matmul_ladder(row).reason, "");
}

TEST(Rules, a_ladder_row_and_a_case_of_the_same_kernel_share_a_simulation) {
  DataRow a = row_of("matmul-ladder", "910b1", "3", "M=8192;K=8192;N=8192; single 2048x1536 (last column 512); base 128x256x64", {{"cores", "24"}});
  DataRow b = row_of("matmul-ladder", "a2", "C3 24 cores split 4x6", "", {{"blocks", "24"}});
  EXPECT_EQ(map_matmul_ladder(a).job.text(), map_matmul_ladder(b).job.text());
  a = row_of("matmul-basic-api", "910b1", "2", "M=8192;K=8192;N=8192; single 1024x1536 x 2 rounds", {{"cores", "24"}});
  b = row_of("matmul-basic-api", "a2", "basic API L2 split", "", {{"blocks", "24"}});
  EXPECT_EQ(map_matmul_basic(a).job.text(), map_matmul_basic(b).job.text());
}

TEST(Rules, add_steps_by_number_and_by_words) {
  const std::pair<const char*, const char*> same[] = {{"1", "vector"}, {"2", "multi-core 8 KB copies"}, {"3", "32 KB copies"}, {"4", "double buffer"}, {"5", "L2 bypass for single-use data"}, {"6", "+ no bank conflict"}};
  for (const auto& [number, words] : same) {
    DataRow a = row_of("add", "910b1", number), b = row_of("add", "910b1", words);
    EXPECT_EQ(map_add(a).job.text(), map_add(b).job.text()) << number;
  }
  DataRow row = row_of("add", "950pr", "3", "M=8192;N=8192; contiguous copies of 16512 elements");
  EXPECT_EQ(option(map_add(row), "copy_elements"), "16512");
  EXPECT_EQ(option(map_add(row), "cores"), "64");
  row.case_name = "poem";
  EXPECT_NE(map_add(row).reason, "");
}

TEST(Rules, copies_by_description_and_by_words) {
  DataRow a = row_of("data-copy-gm-ub", "910b1", "7", "tensor 6144x512", {{"description", "every core reads the whole matrix, same order, L2 hint off"}});
  DataRow b = row_of("data-copy-gm-ub", "a2", "6144x512 all cores same order (same-address conflict)");
  EXPECT_EQ(map_data_copy(a).job.text(), map_data_copy(b).job.text());
  EXPECT_EQ(option(map_data_copy(a), "share"), "all_same");
  a = row_of("data-copy-gm-l1", "950pr", "5", "tensor 12288x12288", {{"description", "ND2NZ tile 64x1024, 4 column slices each 4 times"}});
  EXPECT_EQ(option(map_data_copy(a), "slices"), "4");
  EXPECT_EQ(option(map_data_copy(a), "passes"), "4");
  EXPECT_EQ(option(map_data_copy(a), "cores"), "32");
  b = row_of("data-copy-gm-l1", "950pr", "4x sliced");
  EXPECT_EQ(map_data_copy(a).job.text(), map_data_copy(b).job.text());
}

TEST(Rules, bank_conflicts_take_addresses_and_strides_from_the_description) {
  DataRow row = row_of("bank-conflict-ub", "910b1", "8", "Add of 4096 elements = 64 repeats, executed 1000 times, one core",
                       {{"ticks", "1000"}, {"description", "no conflict; src0 0 src1 0x10100 dst 0x4020; src0 block stride 0 repeat stride 8"}});
  const Mapping mapping = map_bank_conflict_ub(row);
  EXPECT_EQ(mapping.reason, "");
  EXPECT_NEAR(mapping.measured, 20, 1e-9) << "ticks of 20 ns";
  EXPECT_EQ(option(mapping, "src1"), "0x10100");
  EXPECT_EQ(option(mapping, "dst"), "0x4020");
  EXPECT_EQ(option(mapping, "src0_block_stride"), "0");
  EXPECT_EQ(option(mapping, "repeats"), "64");
  EXPECT_EQ(option(mapping, "count"), "1000");
  row.cells["description"] = "somewhere";
  EXPECT_NE(map_bank_conflict_ub(row).reason, "");
}

TEST(Rules, grouped_products_by_number_and_by_words) {
  const std::pair<const char*, const char*> same[] = {{"0", "1 AIC:1 AIV no pipelining"}, {"1", "1 AIC:2 AIV"}, {"2", "1:2 + 4-deep cube/vector pipeline"}};
  for (const auto& [number, words] : same) {
    DataRow a = row_of("quant-group-matmul", "910b1", number), b = row_of("quant-group-matmul", "910b1", words);
    EXPECT_EQ(map_quant_group_matmul(a).job.text(), map_quant_group_matmul(b).job.text()) << number;
  }
}

TEST(Rules, tuning_pairs_differ_in_one_thing) {
  DataRow before = row_of("tuning-pairs", "a2", "MDL large copies / before"), after = row_of("tuning-pairs", "a2", "MDL large copies / after");
  const Mapping a = map_tuning_pair(before), b = map_tuning_pair(after);
  EXPECT_EQ(option(a, "template"), "norm");
  EXPECT_EQ(option(b, "template"), "mdl");
  int differences = 0;
  for (const auto& [name, value] : a.job.options) differences += option(b, name) == value ? 0 : 1;
  EXPECT_EQ(differences, 1);
  DataRow docs = row_of("docs-matmul-tuning", "a2", "before");
  docs.id = "docs-mdl-off";
  EXPECT_EQ(map_docs_matmul(docs).job.text(), a.job.text());
  docs.id = "docs-poem-off";
  EXPECT_NE(map_docs_matmul(docs).reason, "");
}

TEST(Rules, library_products_take_shapes_alone) {
  DataRow row = row_of("int8-matmul-library", "910b2", "1", "", {{"M", "999"}, {"N", "1025"}, {"K", "1040"}, {"batch", "8"}, {"out", "fp16"}, {"extra", "bias"}});
  EXPECT_EQ(map_int8_library(row).job.text(), " library_matmul batch=8 extra=bias k=1040 m=999 n=1025 result=fp16 type=int8");
  row = row_of("int8-matmul-library", "910b2", "1", "", {{"M", "999"}, {"N", "1025"}, {"K", "1040"}, {"out", "bf16"}});
  EXPECT_EQ(map_int8_library(row).reason, "FixPipe makes no bf16 from int8, and no generator has the vector stage that does");
  row = row_of("catlass-quant-matmul", "910b2", "34 fp16", "M,N,K=128,256,4096");
  EXPECT_EQ(option(map_catlass(row), "k"), "4096");
  row.shapes = "M,N,K=128,256,80000";
  EXPECT_EQ(map_catlass(row).reason, "k above 65535, which library_matmul cannot tile");
  row.shapes = "big";
  EXPECT_NE(map_catlass(row).reason, "");
}

}  // namespace
}  // namespace npulab::validate
