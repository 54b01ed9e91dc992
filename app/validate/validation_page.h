// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: statistics, a scatter of simulated against measured, ladders of optimisation, every case.
#pragma once

#include <string>
#include <vector>

#include "app/validate/scores.h"

namespace npulab::validate {

std::string validation_page(const std::vector<CaseResult>& results, const std::vector<Step>& steps);

}  // namespace npulab::validate
