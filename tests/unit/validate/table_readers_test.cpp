// SPDX-License-Identifier: Apache-2.0
// Tables are known by their columns; every row becomes a measurement, or one that no rule maps.
#include "app/validate/table_readers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace npulab::validate {
namespace {

std::vector<DataRow> rows_of(const std::string& text, const std::string& file = "any_name.csv") {
  std::vector<DataRow> rows;
  read_table(parse_csv(text, file), rows);
  return rows;
}

constexpr const char* kCases = "id,chip,evidence,family,case,shapes,cores,task_us,core_us,cube_us,mte2_us,aiv_us,vec_us,vec_ratio\n";

TEST(TableReaders, cases_carry_times_and_pipes) {
  const std::vector<DataRow> rows = rows_of(std::string(kCases) + "x-1,910B1,silicon,add,3,\"M=8;N=4, flat\",48,10.5,,,,10,,0.25\ny,a2,vendor-table,add,,,,1,,,,,,\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, "x-1");
  EXPECT_EQ(rows[0].chip, "910b1");
  EXPECT_EQ(rows[0].family, "add");
  EXPECT_EQ(rows[0].shapes, "M=8;N=4, flat");
  EXPECT_DOUBLE_EQ(rows[0].measured.task, 10.5);
  EXPECT_DOUBLE_EQ(rows[0].measured.of(PipeColumn::vec), 2.5) << "a share of the core's time";
  EXPECT_LT(rows[0].measured.of(PipeColumn::cube), 0);
  EXPECT_FALSE(rows[0].sanity);
  EXPECT_TRUE(rows[1].sanity);
}

TEST(TableReaders, a_number_that_is_none_is_told) {
  const std::vector<DataRow> rows = rows_of(std::string(kCases) + "x,a2,silicon,add,,,,fast,,,,,,\n");
  EXPECT_EQ(rows.at(0).problem, "task_us: expected a number, found 'fast'");
}

TEST(TableReaders, a_row_of_two_chips_is_two_measurements_and_caps_are_none) {
  const std::vector<DataRow> rows = rows_of("id,batch,M,N,K,out,extra,us_910B2,flag,roofline_910B2,us_950PR,flag\n1,1,2,3,4,fp16,none,10,,1,5,CAP\n2,1,2,3,4,fp16,none,7,CAP,1,,\n");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].chip, "910b2");
  EXPECT_TRUE(rows[0].excluded.empty());
  EXPECT_EQ(rows[1].chip, "950pr");
  EXPECT_DOUBLE_EQ(rows[1].measured.task, 5);
  EXPECT_FALSE(rows[1].excluded.empty());
  EXPECT_FALSE(rows[2].excluded.empty());
  EXPECT_EQ(rows[0].family, "int8-matmul-library");
}

TEST(TableReaders, one_flag_belongs_to_the_later_chip) {
  const std::vector<DataRow> rows = rows_of("id,us_910B2,roofline_us,us_950PR,flag\n1,10,1,5,CAP\n", "folder/strange.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].family, "strange");
  EXPECT_TRUE(rows[0].excluded.empty());
  EXPECT_FALSE(rows[1].excluded.empty());
}

TEST(TableReaders, ladders_are_sequences) {
  const std::vector<DataRow> rows = rows_of("device,case,blocks,task,aicore,mac,scalar,mte1,mte2,fixpipe\nA2,C0,1,9,8,1,2,3,4,5\nA2,C1,24,5,4,1,2,3,4,5\nA2,basic API,24,5,4,1,2,3,4,5\n950PR,C0,1,2,1,1,1,1,1,1\n");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].ladder, rows[1].ladder);
  EXPECT_NE(rows[1].ladder, rows[2].ladder);
  EXPECT_NE(rows[0].ladder, rows[3].ladder);
  EXPECT_EQ(rows[2].family, "matmul-basic-api");
  EXPECT_DOUBLE_EQ(rows[0].measured.of(PipeColumn::fixpipe), 5);
}

TEST(TableReaders, a_pair_in_one_row_is_two_rows_of_a_ladder) {
  const std::vector<DataRow> rows = rows_of("what,shape/conditions,before_us,after_us\nbigger copies,M=1,8,2\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ladder, rows[1].ladder);
  EXPECT_DOUBLE_EQ(rows[0].measured.task, 8);
  EXPECT_DOUBLE_EQ(rows[1].measured.task, 2);
  const std::vector<DataRow> copies = rows_of("device,path,case,task_us,mte2_us\n950PR,GM>UB,4x whole / 4x sliced,40 / 20,\n950PR 64 AIV,GM>L1,tile 64x64,5,4\n");
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0].case_name, "4x whole");
  EXPECT_DOUBLE_EQ(copies[1].measured.task, 20);
  EXPECT_EQ(copies[0].ladder, copies[1].ladder);
  EXPECT_TRUE(copies[2].ladder.empty());
  EXPECT_EQ(copies[2].family, "data-copy-gm-l1");
}

TEST(TableReaders, an_unknown_table_is_a_family_of_its_own) {
  const std::vector<DataRow> rows = rows_of("what,ever\n1,2\n", "d/odd.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].family, "odd");
  EXPECT_EQ(rows[0].line, 2);
}

TEST(TableReaders, a_folder_is_read_by_name_and_ids_are_unlike) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("npulab_rows_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b.csv") << kCases << "x,a2,silicon,add,,,,1,,,,,,\n";
  std::ofstream(folder / "a.csv") << kCases << "x,a2,silicon,add,,,,1,,,,,,\ny,a2\n";
  std::ofstream(folder / "c.txt") << "no table";
  const DataSet data = read_data(folder.string());
  std::filesystem::remove_all(folder);
  ASSERT_EQ(data.rows.size(), 2u);
  EXPECT_EQ(data.rows[0].id, "x@a:2");
  EXPECT_EQ(data.rows[1].id, "x@b:2");
  ASSERT_EQ(data.problems.size(), 1u);
  EXPECT_EQ(data.problems[0].line, 3);
  EXPECT_THROW(read_data(folder.string()), UserError);
}

TEST(TableReaders, numbers_stand_behind_their_key) {
  EXPECT_EQ(number_after("M=8192;K=64; single 4x4", "K"), 64);
  EXPECT_EQ(number_after("BLOCK=9;K=64", "K"), 64);
  EXPECT_EQ(number_after("M=1", "N"), -1);
}

}  // namespace
}  // namespace npulab::validate
