// SPDX-License-Identifier: Apache-2.0
// Mechanisms that show only in whole kernels: each parameter from one named case, which is then left out of the score. The table has
// the columns mechanism, parameter (a path below the chip), case (an id of the data) and time (task, core, or a pipe's name).
#pragma once

#include <string>
#include <vector>

#include "app/validate/scores.h"

namespace npulab::validate {

struct NamedCase {
  std::string mechanism, parameter, id, time;
};

/// None when `path` is not there; UserError when it is malformed.
std::vector<NamedCase> read_named_cases(const std::string& path);

/// Cases that a parameter was taken from are shown, not scored.
void exclude_named(const std::vector<NamedCase>& cases, std::vector<CaseResult>& results);

/// The time that a case names; below zero when it is not known.
double time_named(const Timing& timing, const std::string& time);
bool is_time(const std::string& time);

/// Null when there is no such row.
const CaseResult* find_case(const std::vector<CaseResult>& results, const std::string& id);

}  // namespace npulab::validate
