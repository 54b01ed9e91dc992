// SPDX-License-Identifier: Apache-2.0
// Proves a kernel sound on one chip without running it in time: operands within the encodings' limits, addresses in range and
// aligned for every loop iteration of every block, flags that pair up whatever the timing, queues that cannot lock up.
// Left out: hazards on buffer contents (two pipes on the same bytes without a flag); numbers come from SocSpec and isa_limits.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/errors.h"
#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::isa {

struct CheckLimits {
  std::size_t problems = 100;                     // reported at most
  std::int64_t instructions = 2'000'000'000;      // and ends of loops, streamed for flags over all distinct blocks
};

class ProgramChecker {
 public:
  /// `soc` must outlive the checker.
  explicit ProgramChecker(const SocSpec& soc, const CheckLimits& limits = {}) : soc_(soc), limits_(limits) {}

  /// Everything wrong with `kernel`, in the order of checks, blocks and instructions; empty when it is sound. `file` and the
  /// lines of a parsed kernel are in the diagnostics; their key names block, core and instruction.
  std::vector<Diagnostic> check(const Kernel& kernel, const std::string& file = "") const;

 private:
  const SocSpec& soc_;
  CheckLimits limits_;
};

}  // namespace npulab::isa
