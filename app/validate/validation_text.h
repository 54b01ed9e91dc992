// SPDX-License-Identifier: Apache-2.0
// What `npulab validate` prints: every case by family, what could not be run and why, statistics, steps.
#pragma once

#include <string>
#include <vector>

#include "app/validate/scores.h"

namespace npulab::validate {

std::string describe_cases(const std::vector<CaseResult>& results);
/// Rows that were not run, gathered by file and reason with their lines.
std::string describe_unmapped(const std::vector<CaseResult>& results);
std::string describe_scores(const std::vector<CaseResult>& results);
std::string describe_steps(const std::vector<Step>& steps);

/// One line a row of the data, mapped or not.
std::string results_csv(const std::vector<CaseResult>& results);

const char* name_of(Status status);
/// "+12.3 %"
std::string percent(double ratio);

}  // namespace npulab::validate
