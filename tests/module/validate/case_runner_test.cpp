// SPDX-License-Identifier: Apache-2.0
#include "app/validate/case_runner.h"

#include <gtest/gtest.h>

#include "model/spec/board_spec.h"

namespace npulab::validate {
namespace {

RunnerOptions runner(int parallel = 2) {
  RunnerOptions options;
  options.boards = std::string(NPULAB_SOURCE_DIR) + "/configs/board";
  options.parallel = parallel;
  return options;
}

Job move(const std::string& board, const std::string& path, int count) {
  return {"card_" + board + ".yaml", "micro_move", {{"path", path}, {"bytes", "16 KiB"}, {"count", std::to_string(count)}}};
}

TEST(CaseRunner, reports_the_pipe_that_worked_in_the_time_of_its_own_clock) {
  // 100 loads of 16 KiB at the configured rate, and little else: between the bytes' own time and a tenth more.
  const BoardSpec board = load_board(runner().boards + "/card_910b1.yaml", {});
  const double cycles = 100 * 16384.0 * 1000 / static_cast<double>(board.socs[0].cube.mte1.l0b_rate.milli_per_cycle);
  const double us = cycles * 1e3 / static_cast<double>(board.socs[0].cube.clock_khz);
  const SimulatedRun run = run_jobs({move("910b1", "l1_l0b", 100)}, runner()).front();
  EXPECT_EQ(run.error, "");
  EXPECT_GE(run.timing.of(PipeColumn::mte1), us * 0.999);
  EXPECT_LE(run.timing.of(PipeColumn::mte1), us * 1.1);
  EXPECT_GE(run.timing.core, run.timing.of(PipeColumn::mte1));
  EXPECT_GT(run.timing.task, run.timing.core) << "the scheduler takes its part";
  EXPECT_EQ(run.cube_cores, 1);
  EXPECT_EQ(run.vector_cores, 0) << "cores that had no block take no part in means";
  EXPECT_LT(run.timing.of(PipeColumn::vec), 0);
  EXPECT_EQ(run.timing.of(PipeColumn::mte2), 0);
}

TEST(CaseRunner, vector_cores_have_their_own_columns) {
  const SimulatedRun run = run_jobs({move("950pr", "ub_ub", 50)}, runner()).front();
  EXPECT_EQ(run.error, "");
  EXPECT_GT(run.timing.of(PipeColumn::vec), 0);
  EXPECT_GT(run.timing.aiv, 0);
  EXPECT_LT(run.timing.core, 0);
}

TEST(CaseRunner, results_stand_in_the_order_of_jobs_whatever_ends_first) {
  std::vector<Job> jobs;
  for (int count : {400, 10, 200, 20, 1}) jobs.push_back(move("910b1", "gm_l1", count));
  const std::vector<SimulatedRun> one = run_jobs(jobs, runner(1)), many = run_jobs(jobs, runner(5));
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(one[i].timing.task, many[i].timing.task) << i;
  EXPECT_GT(one[0].timing.task, one[2].timing.task);
  EXPECT_GT(one[1].timing.task, one[4].timing.task);
}

TEST(CaseRunner, a_case_that_fails_takes_no_other_with_it) {
  Job too_large = move("910b1", "gm_ub", 1);
  too_large.options["bytes"] = "1 MiB";
  Job nowhere = move("1234", "gm_ub", 1);
  int heard = 0;
  RunnerOptions options = runner();
  options.progress = [&](int done, int total) {
    EXPECT_EQ(done, ++heard);
    EXPECT_EQ(total, 3);
  };
  const std::vector<SimulatedRun> runs = run_jobs({too_large, nowhere, move("910b1", "gm_ub", 1)}, options);
  EXPECT_EQ(runs[0].error, "ub: expected at most 196608 bytes of this buffer, found 1048576 (851968 too many)");
  EXPECT_NE(runs[1].error.find("card_1234.yaml"), std::string::npos);
  EXPECT_EQ(runs[2].error, "");
  EXPECT_EQ(heard, 3);
}

TEST(CaseRunner, overrides_reach_the_chip) {
  RunnerOptions slow = runner();
  slow.overrides = {"soc.cores.cube.mte1.l0b_rate=64 B/cycle"};
  const Job job = move("910b1", "l1_l0b", 100);
  EXPECT_NEAR(run_jobs({job}, slow)[0].timing.of(PipeColumn::mte1) / run_jobs({job}, runner())[0].timing.of(PipeColumn::mte1), 2.0, 0.1);
}

}  // namespace
}  // namespace npulab::validate
