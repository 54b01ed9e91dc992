// SPDX-License-Identifier: Apache-2.0
// Rows to simulations: what is asked for, and why not.
#include "app/validate/mapping.h"

#include <gtest/gtest.h>

#include <set>

namespace npulab::validate {
namespace {

DataRow micro(const std::string& kind, const std::string& table, std::map<std::string, std::string> cells, const std::string& chip = "910b1") {
  DataRow row;
  row.family = "micro-" + kind;
  row.chip = chip;
  row.case_name = table;
  row.cells = std::move(cells);
  return row;
}

TEST(Mapping, families_are_unlike_and_grouped) {
  std::set<std::string> names;
  for (const Family& family : families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_NE(family.map, nullptr);
  }
  EXPECT_EQ(find_family("no such family"), nullptr);
}

TEST(Mapping, a_rate_becomes_a_time) {
  // 500 moves of 2 KiB at 1 GiB/s: 2^20 * 500 / 2^9 / 2^30 s.
  DataRow row = micro("move", "L1_TO_L0A", {{"x", "2"}, {"rate", "1"}});
  const Mapping mapping = map_row(row);
  EXPECT_EQ(mapping.reason, "");
  EXPECT_NEAR(mapping.measured, 500.0 * 2048 / 1073741824.0 * 1e6, 1e-6);
  EXPECT_EQ(mapping.job.board, "card_910b1.yaml");
  EXPECT_EQ(mapping.job.kernel, "micro_move");
  EXPECT_EQ(mapping.job.options.at("bytes"), "2048");
  EXPECT_EQ(mapping.metric, Metric::core);
}

TEST(Mapping, says_why_there_is_no_kernel) {
  DataRow row = micro("move", "L0A_TO_MOON", {{"x", "2"}, {"rate", "1"}});
  EXPECT_EQ(map_row(row).reason, "no such move in the instruction set: L0A_TO_MOON");
  row = micro("move", "L1_TO_L0A", {{"x", "2"}, {"rate", "quick"}});
  row.line = 7;
  EXPECT_EQ(map_row(row).reason, "line 7: rate: expected a number, found 'quick'");
  row = micro("move", "L1_TO_L0A", {{"x", "2"}, {"rate", ""}});
  EXPECT_EQ(map_row(row).reason, "no published core time");
  row = micro("move", "L1_TO_L0A", {{"x", "2"}, {"rate", "1"}}, "1234");
  EXPECT_EQ(map_row(row).reason, "no board for chip '1234'");
  row.family = "poetry";
  EXPECT_EQ(map_row(row).reason, "no rule for family poetry");
  row = micro("vector-fit", "VADD_FP32_FP32_FP32_1_core", {{"rate", "-371"}, {"cycles", "5080"}});
  EXPECT_NE(map_row(row).reason.find("the fit has no meaning"), std::string::npos);
}

TEST(Mapping, a_smaller_950_has_its_own_board) {
  DataRow row;
  row.chip = "950pr";
  EXPECT_EQ(board_of(row), "card_950pr.yaml");
  row.cells["cores"] = "28 56";
  EXPECT_EQ(board_of(row), "card_950pr_28core.yaml");
}

TEST(Mapping, equal_jobs_are_one) {
  const Job a{"b.yaml", "k", {{"m", "1"}}}, b{"b.yaml", "k", {{"m", "2"}}};
  EXPECT_TRUE(a < b);
  EXPECT_FALSE(b < a);
  EXPECT_FALSE(a < a);
  EXPECT_EQ(a.text(), "b k m=1");
}

}  // namespace
}  // namespace npulab::validate
