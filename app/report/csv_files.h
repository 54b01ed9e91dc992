// SPDX-License-Identifier: Apache-2.0
// Tables that a spreadsheet opens: tasks.csv (ours) and the profiler's PipeUtilization, Memory and OpBasicInfo with the
// column names Ascend users know (msopprof documentation). The latter use the profiler's notion of activity: a pipe that
// waits inside an instruction counts as busy.
#pragma once

#include <string>

#include "app/report/run_result.h"

namespace npulab::report {

/// Each writes one file; UserError when it cannot be written.
void write_tasks_csv(const RunResult& run, const std::string& path);
void write_op_basic_info_csv(const RunResult& run, const std::string& path);
void write_pipe_utilization_csv(const RunResult& run, const std::string& path);
void write_memory_csv(const RunResult& run, const std::string& path);

}  // namespace npulab::report
