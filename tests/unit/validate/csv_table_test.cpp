// SPDX-License-Identifier: Apache-2.0
#include "app/validate/csv_table.h"

#include <gtest/gtest.h>

namespace npulab::validate {
namespace {

using Cells = std::vector<std::string>;

std::string first_problem(const std::string& text) {
  const CsvTable table = parse_csv(text, "t.csv");
  return table.problems.empty() ? "" : to_string(table.problems.front());
}

TEST(CsvTable, reads_quotes_commas_line_breaks_and_empty_fields) {
  const CsvTable table = parse_csv("a,b,c\n\"x, y\",\"he said \"\"no\"\"\",\n,\"two\nlines\",3\n\n4,5,6", "t.csv");
  EXPECT_TRUE(table.problems.empty());
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].cells, (Cells{"x, y", "he said \"no\"", ""}));
  EXPECT_EQ(table.rows[1].cells, (Cells{"", "two\nlines", "3"}));
  EXPECT_EQ(table.rows[2].cells, (Cells{"4", "5", "6"}));
  EXPECT_EQ(table.rows[1].line, 3);
  EXPECT_EQ(table.rows[2].line, 6);
}

TEST(CsvTable, a_byte_order_mark_and_carriage_returns_are_no_part_of_it) {
  const CsvTable table = parse_csv("\xEF\xBB\xBF" "a,b\r\n1,2\r\n\"3\",4\r\n", "t.csv");
  EXPECT_TRUE(table.problems.empty());
  EXPECT_EQ(table.header, (Cells{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells, (Cells{"1", "2"}));
  EXPECT_EQ(table.rows[1].cells, (Cells{"3", "4"}));
}

TEST(CsvTable, names_that_come_again_stay_apart) {
  const CsvTable table = parse_csv("flag,x,flag\n1,2,3\n", "t.csv");
  EXPECT_EQ(table.column("flag"), 0);
  EXPECT_EQ(table.column("flag#2"), 2);
  EXPECT_FALSE(table.has("flag#3"));
}

TEST(CsvTable, says_where_a_line_is_wrong_and_reads_the_others) {
  const CsvTable table = parse_csv("a,b\n1\n1,2\n1,2,3\n", "t.csv");
  ASSERT_EQ(table.problems.size(), 2u);
  EXPECT_EQ(to_string(table.problems[0]), "t.csv:2:1: expected 2 fields, found 1");
  EXPECT_EQ(to_string(table.problems[1]), "t.csv:4:5: expected 2 fields, found 3");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].line, 3);
  EXPECT_EQ(first_problem(""), "t.csv:1:1: expected a line of column names, found an empty file");
  EXPECT_EQ(first_problem("a,b\n1,\"2\n"), "t.csv:2:3: expected a closing quote, found the end of the file");
  EXPECT_EQ(first_problem("a,b\n\"1\"x,2\n"), "t.csv:2:4: expected a comma or the end of the line after a closing quote, found 'x'");
}

TEST(CsvTable, any_bytes_are_survived) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 37 % 251);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 17) parse_csv(bytes.substr(cut), "t.csv");
}

}  // namespace
}  // namespace npulab::validate
