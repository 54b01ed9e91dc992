// SPDX-License-Identifier: Apache-2.0
// Where the time of the measured iterations went, along the critical path: the chain of tasks, host work between them, and
// inside each kernel the core that finished last. Each part is tied to the parameters that set it, and so to their evidence.
#pragma once

#include <string>
#include <vector>

#include "app/report/run_result.h"

namespace npulab::report {

/// One part of the critical path.
struct PathShare {
  std::string name;           // "host software", "PCIe", "cube", "MTE2", "L2 and HBM", ...
  Picoseconds time = 0;
  Picoseconds assumed = 0;    // part of `time` set by parameters marked assumed
};

struct Attribution {
  std::vector<PathShare> shares;  // largest first; they add up to `total`
  Picoseconds total = 0;
  Picoseconds assumed = 0;
  std::string bottleneck;         // one sentence
};

Attribution attribute(const RunResult& run);

}  // namespace npulab::report
