// SPDX-License-Identifier: Apache-2.0
// Workloads on disk: a folder with workload.yaml, one .ktrace a kernel and the constants in one binary file; or a single YAML
// that names a kernel generator. What was written reads back equal.
#pragma once

#include <map>
#include <string>

#include "model/base/errors.h"
#include "model/spec/soc_spec.h"
#include "model/task/workload.h"

namespace npulab::loader {

/// Values as written for `param` lines of kernel traces and options of `generate`, from --set workload.NAME=VALUE.
using WorkloadParameters = std::map<std::string, std::string>;

/// Writes the folder, made if need be. UserError when it cannot be written.
void write_workload(const std::string& folder, const Workload& workload);

/// Reads a folder or a YAML file for `soc`. Throws UserError with every problem.
Workload load_workload(const std::string& path, const SocSpec& soc, const WorkloadParameters& parameters);

/// Everything wrong with a workload file that can be told without a chip.
std::vector<Diagnostic> check_workload(const std::string& path);

}  // namespace npulab::loader
