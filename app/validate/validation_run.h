// SPDX-License-Identifier: Apache-2.0
// From a folder of data to results: read, choose families, map, run, judge.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/validate/scores.h"

namespace npulab::validate {

struct ValidationRequest {
  std::string data;                    // folder of CSV files
  std::vector<std::string> families;   // none: all
  bool families_expected = true;       // one that is not in the data is a mistake
  RunnerOptions runner;
};

struct ValidationRun {
  std::vector<CaseResult> results;     // one a measurement, in the order of the data
  std::vector<Diagnostic> problems;    // lines that could not be read
};

/// UserError when there is no data or no such family.
ValidationRun run_validation(const ValidationRequest& request);

}  // namespace npulab::validate
