// SPDX-License-Identifier: Apache-2.0
// Simulated against measured: errors of cases, statistics of families and groups, steps of optimisation.
#pragma once

#include <string>
#include <vector>

#include "app/validate/case_runner.h"
#include "app/validate/data_row.h"
#include "app/validate/mapping.h"

namespace npulab::validate {

enum class Status {
  scored,
  shown,      // mapped and run, not counted: a sanity check, or a measurement that stands in the data twice
  unmapped,   // counts as an error of 100 %
  failed,     // mapped, but the simulation failed: the same
  excluded,   // no measurement
};

struct CaseResult {
  DataRow row;
  Mapping mapping;
  SimulatedRun run;            // empty without a job
  Status status = Status::unmapped;
  std::string remark;          // why not scored
  double simulated = -1;       // us, of the mapping's metric; scaled for ratio groups
  double error = 0;            // simulated / measured - 1
  int bound_measured = -1, bound_simulated = -1;  // PipeColumn, -1: not known
  bool bound_right = false;

  bool known() const { return simulated > 0 && mapping.measured > 0; }
};

/// How well one set of cases is met.
struct Score {
  std::string name;
  int rows = 0;                // without excluded and shown ones
  int mapped = 0;
  double mape = 0;             // mean of absolute errors, unmapped ones at 100 %
  double mape_mapped = 0;      // of the mapped alone
  double bias = 0;             // mean of errors of the mapped
  double worst = 0;            // signed
  std::string worst_id;
  int pipes = 0;               // published pipe times of at least 5 % of the task
  double pipe_mape = 0;
  int bounds = 0, bounds_right = 0;  // cases whose busiest pipe was published, and that have the same
};

/// A published pair: what the optimisation gained.
struct Step {
  std::string name, before, after;
  double measured = 1, simulated = -1;  // before / after; simulated below zero: not known
  bool sign_right = false, factor_right = false;
};

/// Puts rows, mappings and runs together. `runs[i]` is of `jobs[i]`.
std::vector<CaseResult> make_results(const std::vector<DataRow>& rows, const std::vector<Mapping>& mappings, const std::vector<Job>& jobs,
                                     const std::vector<SimulatedRun>& runs);
Score score_of(const std::string& name, const std::vector<const CaseResult*>& cases);
/// By family, in the order of their first row; then by group, then all that are known streams or library products.
std::vector<Score> family_scores(const std::vector<CaseResult>& results);
std::vector<Score> group_scores(const std::vector<CaseResult>& results);
std::vector<Step> steps_of(const std::vector<CaseResult>& results);

/// Whether a pipe time counts: at least 5 % of the task, one of cube, MTE1, MTE2, FixPipe and vector.
bool pipe_scored(const CaseResult& result, PipeColumn pipe);

}  // namespace npulab::validate
