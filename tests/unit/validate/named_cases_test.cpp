// SPDX-License-Identifier: Apache-2.0
#include "app/validate/named_cases.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace npulab::validate {
namespace {

CaseResult result_of(const std::string& id, const std::string& kernel) {
  CaseResult result;
  result.row.id = id;
  result.row.family = "f";
  result.mapping.job.kernel = kernel;
  result.status = Status::scored;
  return result;
}

TEST(NamedCases, a_case_that_gave_a_parameter_is_not_scored_under_any_name) {
  std::vector<CaseResult> results = {result_of("a", "k"), result_of("the same again", "k"), result_of("b", "l")};
  exclude_named({{"contention", "x.y", "a", "MTE1"}}, results);
  EXPECT_EQ(results[0].status, Status::shown);
  EXPECT_EQ(results[0].remark, "calibrates: contention");
  EXPECT_EQ(results[1].status, Status::shown);
  EXPECT_EQ(results[2].status, Status::scored);
}

TEST(NamedCases, times_have_names) {
  Timing timing;
  timing.task = 3;
  timing.aiv = 2;
  timing.pipe[static_cast<int>(PipeColumn::mte1)] = 1;
  EXPECT_EQ(time_named(timing, "task"), 3);
  EXPECT_EQ(time_named(timing, "core"), 2);
  EXPECT_EQ(time_named(timing, "MTE1"), 1);
  EXPECT_LT(time_named(timing, "cube"), 0);
  EXPECT_TRUE(is_time("FixPipe"));
  EXPECT_FALSE(is_time("tea"));
}

TEST(NamedCases, a_malformed_table_is_told) {
  const std::string path = (std::filesystem::temp_directory_path() / ("npulab_cases_" + std::to_string(::getpid()) + ".csv")).string();
  const auto message = [&](const std::string& text) -> std::string {
    std::ofstream(path) << text;
    try {
      read_named_cases(path);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("mechanism,parameter,case,time\nm,p,c,task\n"), "");
  EXPECT_NE(message("mechanism,parameter,case,time\nm,p,c,tea\n").find(":2:1: time: expected task, core or the name of a pipe, found 'tea'"), std::string::npos);
  EXPECT_NE(message("mechanism,parameter\nm,p\n").find("case: expected a column of this name"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_TRUE(read_named_cases(path).empty());
}

}  // namespace
}  // namespace npulab::validate
