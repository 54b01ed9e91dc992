// SPDX-License-Identifier: Apache-2.0
// Statistics against sums made by hand.
#include "app/validate/scores.h"

#include <gtest/gtest.h>

#include "app/validate/validation_text.h"

namespace npulab::validate {
namespace {

/// Cases with a job each, measured and simulated task times given.
class Bench {
 public:
  DataRow& add(const std::string& id, double measured, double simulated, const std::string& family = "f") {
    DataRow row;
    row.id = id;
    row.family = family;
    row.file = "t.csv";
    row.line = static_cast<int>(rows_.size()) + 2;
    row.measured.task = measured;
    Mapping mapping;
    mapping.measured = measured;
    mapping.job = {"b.yaml", id, {}};
    SimulatedRun run;
    run.timing.task = simulated;
    rows_.push_back(row);
    mappings_.push_back(mapping);
    jobs_.push_back(mapping.job);
    runs_.push_back(run);
    return rows_.back();
  }
  Mapping& mapping() { return mappings_.back(); }
  SimulatedRun& run() { return runs_.back(); }
  std::vector<CaseResult> results() const { return make_results(rows_, mappings_, jobs_, runs_); }

 private:
  std::vector<DataRow> rows_;
  std::vector<Mapping> mappings_;
  std::vector<Job> jobs_;
  std::vector<SimulatedRun> runs_;
};

Score all(const std::vector<CaseResult>& results) {
  std::vector<const CaseResult*> cases;
  for (const CaseResult& result : results) cases.push_back(&result);
  return score_of("all", cases);
}

void set(Timing& timing, PipeColumn pipe, double us) { timing.pipe[static_cast<int>(pipe)] = us; }

TEST(Scores, unmapped_and_failed_rows_count_as_a_whole_error) {
  Bench bench;
  bench.add("a", 100, 110);  // +10 %
  bench.add("b", 100, 80);   // -20 %
  bench.add("c", 100, 100);
  bench.mapping().reason = "no kernel";
  bench.add("d", 100, 100);
  bench.run().error = "deadlock";
  const Score score = all(bench.results());
  EXPECT_EQ(score.rows, 4);
  EXPECT_EQ(score.mapped, 2);
  EXPECT_NEAR(score.mape, (0.1 + 0.2 + 1 + 1) / 4, 1e-12);
  EXPECT_NEAR(score.mape_mapped, 0.15, 1e-12);
  EXPECT_NEAR(score.bias, -0.05, 1e-12);
  EXPECT_NEAR(score.worst, -0.2, 1e-12);
  EXPECT_EQ(score.worst_id, "b");
}

TEST(Scores, what_is_no_measurement_is_not_counted) {
  Bench bench;
  bench.add("a", 100, 100);
  bench.add("capped", 100, 1000).excluded = "CAP";
  bench.add("of a simulator", 100, 1000).sanity = true;
  const Score score = all(bench.results());
  EXPECT_EQ(score.rows, 1);
  EXPECT_EQ(score.mape, 0);
}

TEST(Scores, a_measurement_in_two_tables_counts_once_where_it_is_fuller) {
  Bench bench;
  bench.add("short", 100, 90);
  bench.add("long", 100, 90);
  bench.mapping().job.kernel = "short";
  set(bench.add("other family", 100, 90, "g").measured, PipeColumn::cube, 1);
  bench.mapping().job.kernel = "short";
  std::vector<CaseResult> results = bench.results();
  EXPECT_EQ(results[0].status, Status::scored);
  EXPECT_EQ(results[1].status, Status::shown);
  EXPECT_EQ(results[1].remark, "the same as short");
  EXPECT_EQ(results[2].status, Status::scored);
}

TEST(Scores, pipes_count_from_five_percent_of_the_task) {
  Bench bench;
  DataRow& row = bench.add("a", 100, 100);
  set(row.measured, PipeColumn::cube, 50);
  set(row.measured, PipeColumn::mte1, 4.9);
  set(row.measured, PipeColumn::fixpipe, 10);
  set(row.measured, PipeColumn::scalar, 80);  // never scored
  Timing& timing = bench.run().timing;
  set(timing, PipeColumn::cube, 60);
  set(timing, PipeColumn::fixpipe, 30);
  Score score = all(bench.results());
  EXPECT_EQ(score.pipes, 2);
  EXPECT_NEAR(score.pipe_mape, (0.2 + 2.0) / 2, 1e-12);
  bench.mapping().fixpipe_scored = false;
  score = all(bench.results());
  EXPECT_EQ(score.pipes, 1);
}

TEST(Scores, the_busiest_pipe_is_met_within_a_tenth) {
  Bench bench;
  const struct { double cube, mte2, simulated_cube, simulated_mte2; bool right; } rows[] = {
      {100, 50, 90, 80, true}, {100, 50, 80, 90, false}, {100, 91, 80, 90, true}, {100, 89, 80, 90, false}};
  for (const auto& r : rows) {
    Bench one;
    DataRow& row = one.add("a", 200, 200);
    set(row.measured, PipeColumn::cube, r.cube);
    set(row.measured, PipeColumn::mte2, r.mte2);
    set(one.run().timing, PipeColumn::cube, r.simulated_cube);
    set(one.run().timing, PipeColumn::mte2, r.simulated_mte2);
    set(one.run().timing, PipeColumn::fixpipe, 150);  // nothing was published of it
    const Score score = all(one.results());
    EXPECT_EQ(score.bounds, 1);
    EXPECT_EQ(score.bounds_right, r.right ? 1 : 0) << r.mte2 << ' ' << r.simulated_mte2;
  }
}

TEST(Scores, rows_of_unknown_scale_are_compared_by_ratio) {
  Bench bench;
  for (const auto& [id, measured, simulated] : {std::tuple{"a", 1000.0, 1.0}, {"b", 2000.0, 2.0}, {"c", 4000.0, 4.0}}) {
    bench.add(id, measured, simulated);
    bench.mapping().ratio_group = "ticks";
  }
  EXPECT_NEAR(all(bench.results()).mape, 0, 1e-9);
  bench.add("d", 1000, 16);
  bench.mapping().ratio_group = "ticks";
  // The scale is now 1000 / 2: errors of -50 % three times and of +700 %.
  EXPECT_NEAR(all(bench.results()).worst, 7.0, 1e-9);
}

TEST(Scores, steps_have_a_sign_and_a_size) {
  Bench bench;
  const struct { double measured, simulated; } rows[] = {{100, 100}, {50, 60}, {50.5, 59}, {25, 70}, {12, 10}};
  for (const auto& r : rows) bench.add("s" + std::to_string(r.measured), r.measured, r.simulated).ladder = "l";
  const std::vector<Step> steps = steps_of(bench.results());
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_TRUE(steps[0].sign_right && steps[0].factor_right);   // 2.0 against 1.67
  EXPECT_TRUE(steps[1].sign_right && steps[1].factor_right);   // both within the noise
  EXPECT_FALSE(steps[2].sign_right);                           // 2.02 against 0.84
  EXPECT_TRUE(steps[3].sign_right);                            // 2.08 against 7
  EXPECT_FALSE(steps[3].factor_right);
}

TEST(Scores, every_row_stands_in_the_table) {
  Bench bench;
  bench.add("a", 100, 110);
  bench.add("b, quoted", 100, 100);
  bench.mapping().reason = "no kernel, alas";
  const std::vector<CaseResult> results = bench.results();
  const std::string csv = results_csv(results);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find("\"b, quoted\""), std::string::npos);
  EXPECT_NE(csv.find("\"no kernel, alas\""), std::string::npos);
  EXPECT_NE(describe_unmapped(results).find("t.csv (f): not mapped: no kernel, alas; 1 row, line 3"), std::string::npos);
  EXPECT_NE(describe_cases(results).find("+10.0 %"), std::string::npos);
}

}  // namespace
}  // namespace npulab::validate
