// SPDX-License-Identifier: Apache-2.0
// A workload around one hand-written kernel: named arrays in the arena and one task.
#pragma once

#include <string>
#include <vector>

#include "model/spec/soc_spec.h"
#include "model/task/workload.h"

namespace npulab::kernels {

/// Groups of `soc` that run cube programs.
int cube_groups(const SocSpec& soc);

/// Reserves a row-major array of `shape` in the arena and returns its offset.
std::uint64_t add_array(Workload& workload, const std::string& name, isa::DataType type, const std::vector<std::int64_t>& shape);

/// The workload's only task.
void set_task(Workload& workload, Kernel kernel);

}  // namespace npulab::kernels
