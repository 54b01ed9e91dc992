// SPDX-License-Identifier: Apache-2.0
#include "app/validate/scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace npulab::validate {
namespace {

constexpr double kLeastShare = 0.05;   // of the task, for a pipe to count
constexpr double kNearTop = 0.10;      // pipes this near the busiest may bound as well
constexpr double kNoise = 0.05;        // of task times, as the data says
constexpr double kFactorMargin = 0.25;

int busiest(const Timing& timing) {
  int best = -1;
  for (int p = 0; p < kPipeColumns; ++p) {
    if (timing.pipe[p] > 0 && (best < 0 || timing.pipe[p] > timing.pipe[best])) best = p;
  }
  return best;
}

void find_bounds(CaseResult& result) {
  const Timing& measured = result.row.measured;
  int published = 0;
  for (double pipe : measured.pipe) published += pipe > 0 ? 1 : 0;
  result.bound_simulated = busiest(result.run.timing);
  if (published < 2 || result.bound_simulated < 0) return;  // one pipe alone tells nothing
  result.bound_measured = busiest(measured);
  // Only pipes that were published can be found to bound.
  Timing comparable = result.run.timing;
  for (int p = 0; p < kPipeColumns; ++p) comparable.pipe[p] = measured.pipe[p] > 0 ? comparable.pipe[p] : -1;
  result.bound_simulated = busiest(comparable);
  if (result.bound_simulated < 0) return;
  result.bound_right = measured.pipe[result.bound_simulated] >= (1 - kNearTop) * measured.pipe[result.bound_measured];
}

/// Rows of unknown scale: the factor that makes the mean of their logarithms agree.
void scale_ratio_groups(std::vector<CaseResult>& results) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const CaseResult& result : results) {
    if (!result.known() || result.mapping.ratio_group.empty()) continue;
    auto& [sum, count] = sums[result.mapping.ratio_group];
    sum += std::log(result.mapping.measured / result.simulated);
    ++count;
  }
  for (CaseResult& result : results) {
    const auto found = sums.find(result.mapping.ratio_group);
    if (!result.known() || found == sums.end()) continue;
    result.simulated *= std::exp(found->second.first / found->second.second);
    result.error = result.simulated / result.mapping.measured - 1;
  }
}

int published_columns(const DataRow& row) {
  int count = 0;
  for (double pipe : row.measured.pipe) count += pipe >= 0 ? 1 : 0;
  return count;
}

/// The same measurement in two tables counts once, where most of it was published.
void mark_repeats(std::vector<CaseResult>& results) {
  std::map<std::pair<std::string, std::string>, CaseResult*> seen;
  for (CaseResult& result : results) {
    if (result.status != Status::scored) continue;
    const auto key = std::make_pair(result.row.family, result.mapping.job.text() + name_of(result.mapping.metric));
    CaseResult*& first = seen[key];
    if (first == nullptr) {
      first = &result;
      continue;
    }
    // Two measurements that differ are two, not one.
    if (std::abs(first->mapping.measured / result.mapping.measured - 1) > 0.005) continue;
    CaseResult& less = published_columns(result.row) > published_columns(first->row) ? *first : result;
    if (&less == first) first = &result;
    less.status = Status::shown;
    less.remark = "the same as " + first->row.id;
  }
}

void judge(CaseResult& result) {
  if (!result.row.excluded.empty()) {
    result.status = Status::excluded;
    result.remark = result.row.excluded;
  } else if (!result.mapping.reason.empty()) {
    result.status = Status::unmapped;
    result.remark = result.mapping.reason;
  } else if (!result.run.error.empty()) {
    result.status = Status::failed;
    result.remark = result.run.error;
  } else {
    result.simulated = value_of(result.run.timing, result.mapping.metric);
    result.status = result.simulated > 0 ? Status::scored : Status::failed;
    result.error = result.simulated / result.mapping.measured - 1;
    if (result.status == Status::failed) result.remark = std::string("the run has no ") + name_of(result.mapping.metric) + " time";
    find_bounds(result);
  }
  if (result.row.sanity && (result.status == Status::scored || result.status == Status::unmapped)) {
    result.status = result.status == Status::scored ? Status::shown : Status::excluded;
    result.remark = "a sanity check: " + (result.remark.empty() ? std::string("simulator or vendor's table") : result.remark);
  }
}

void add_pipes(const CaseResult& result, Score& score) {
  for (int p = 0; p < kPipeColumns; ++p) {
    if (!pipe_scored(result, static_cast<PipeColumn>(p))) continue;
    const double simulated = std::max(result.run.timing.pipe[p], 0.0);
    score.pipe_mape += std::abs(simulated / result.row.measured.pipe[p] - 1);
    ++score.pipes;
  }
  if (result.bound_measured < 0) return;
  ++score.bounds;
  score.bounds_right += result.bound_right ? 1 : 0;
}

}  // namespace

bool pipe_scored(const CaseResult& result, PipeColumn pipe) {
  static const std::set<PipeColumn> scored = {PipeColumn::cube, PipeColumn::mte1, PipeColumn::mte2, PipeColumn::fixpipe, PipeColumn::vec,
                                              PipeColumn::aiv_mte2};
  if (scored.count(pipe) == 0 || (pipe == PipeColumn::fixpipe && !result.mapping.fixpipe_scored)) return false;
  const double whole = result.row.measured.task > 0 ? result.row.measured.task : result.mapping.measured;
  return result.row.measured.of(pipe) >= kLeastShare * whole;
}

std::vector<CaseResult> make_results(const std::vector<DataRow>& rows, const std::vector<Mapping>& mappings, const std::vector<Job>& jobs,
                                     const std::vector<SimulatedRun>& runs) {
  std::map<Job, std::size_t> index;
  for (std::size_t i = 0; i < jobs.size(); ++i) index[jobs[i]] = i;
  std::vector<CaseResult> results;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CaseResult result;
    result.row = rows[i];
    result.mapping = mappings[i];
    const auto found = index.find(mappings[i].job);
    if (mappings[i].reason.empty() && found != index.end()) result.run = runs[found->second];
    judge(result);
    results.push_back(std::move(result));
  }
  scale_ratio_groups(results);
  mark_repeats(results);
  return results;
}

Score score_of(const std::string& name, const std::vector<const CaseResult*>& cases) {
  Score score;
  score.name = name;
  for (const CaseResult* result : cases) {
    if (result->status == Status::shown || result->status == Status::excluded) continue;
    ++score.rows;
    if (result->status != Status::scored) continue;
    ++score.mapped;
    score.mape_mapped += std::abs(result->error);
    score.bias += result->error;
    if (std::abs(result->error) > std::abs(score.worst)) {
      score.worst = result->error;
      score.worst_id = result->row.id;
    }
    add_pipes(*result, score);
  }
  if (score.rows > 0) score.mape = (score.mape_mapped + score.rows - score.mapped) / score.rows;
  if (score.mapped > 0) {
    score.mape_mapped /= score.mapped;
    score.bias /= score.mapped;
  }
  if (score.pipes > 0) score.pipe_mape /= score.pipes;
  return score;
}

namespace {

template <typename NameOf>
std::vector<Score> scores_by(const std::vector<CaseResult>& results, NameOf name_of_case) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const CaseResult*>> cases;
  for (const CaseResult& result : results) {
    const std::string name = name_of_case(result);
    if (cases.count(name) == 0) names.push_back(name);
    cases[name].push_back(&result);
  }
  std::vector<Score> scores;
  for (const std::string& name : names) scores.push_back(score_of(name, cases[name]));
  return scores;
}

}  // namespace

std::vector<Score> family_scores(const std::vector<CaseResult>& results) {
  return scores_by(results, [](const CaseResult& result) { return result.row.family; });
}

std::vector<Score> group_scores(const std::vector<CaseResult>& results) {
  return scores_by(results, [](const CaseResult& result) {
    const Family* family = find_family(result.row.family);
    return std::string(family == nullptr ? "no rule yet" : family->group);
  });
}

std::vector<Step> steps_of(const std::vector<CaseResult>& results) {
  std::map<std::string, const CaseResult*> last;
  std::vector<Step> steps;
  for (const CaseResult& result : results) {
    if (result.row.ladder.empty() || result.row.measured.task <= 0) continue;
    const CaseResult*& before = last[result.row.ladder];
    if (before != nullptr) {
      Step step{result.row.ladder, before->row.case_name, result.row.case_name, before->row.measured.task / result.row.measured.task, -1, false, false};
      if (before->known() && result.known()) {
        step.simulated = before->simulated / result.simulated;
        const bool both_nothing = std::abs(step.measured - 1) < kNoise && std::abs(step.simulated - 1) < kNoise;
        step.sign_right = both_nothing || (step.measured > 1) == (step.simulated > 1);
        step.factor_right = std::abs(step.simulated / step.measured - 1) <= kFactorMargin;
      }
      steps.push_back(step);
    }
    before = &result;
  }
  return steps;
}

}  // namespace npulab::validate
