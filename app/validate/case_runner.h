// SPDX-License-Identifier: Apache-2.0
// Runs simulations through the whole machine (driver, runtime, scheduler, cores), timing only, each in a child process of its own:
// SystemC elaborates once a process, and a case that fails takes no other with it. Results stand in the order of the jobs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/validate/mapping.h"

namespace npulab::validate {

struct SimulatedRun {
  std::string error;           // "" when it went well
  Timing timing;               // pipes: what a profiler would call active, means over the cores that took part
  int cube_cores = 0, vector_cores = 0;  // that took part
  std::int64_t instructions = 0;
  double wall_seconds = 0;
};

struct RunnerOptions {
  std::string boards;          // folder of the board files
  int parallel = 1;
  std::vector<std::string> overrides;  // --set of every board
  std::function<void(int done, int total)> progress = [](int, int) {};
};

std::vector<SimulatedRun> run_jobs(const std::vector<Job>& jobs, const RunnerOptions& options);

}  // namespace npulab::validate
