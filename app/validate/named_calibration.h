// SPDX-License-Identifier: Apache-2.0
// The value of each parameter that meets its named case, searched for by simulation.
#pragma once

#include <string>
#include <vector>

#include "app/validate/named_cases.h"

namespace npulab::validate {

struct NamedFit {
  NamedCase named;
  std::string problem;        // why there is no fit
  std::string configured;     // "10 cycle"
  std::string fitted;         // in the same unit
  double measured = -1, before = -1, after = -1;  // us
};

/// Looks for the value of each parameter that meets its case, by the secant rule from the configured value.
std::vector<NamedFit> fit_named(const std::vector<NamedCase>& cases, const std::vector<CaseResult>& results, const RunnerOptions& runner);
std::string describe_named(const std::vector<NamedFit>& fits);

}  // namespace npulab::validate
