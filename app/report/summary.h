// SPDX-License-Identifier: Apache-2.0
// What a person reads at the end of a run.
#pragma once

#include <string>

#include "app/report/run_result.h"

namespace npulab::report {

/// The terminal summary, several lines. `color`: ANSI colours.
std::string summarize(const RunResult& run, bool color);

/// "12.3 us", "4.56 ms": a time for people.
std::string human_time(Picoseconds time);

}  // namespace npulab::report
