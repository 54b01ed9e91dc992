// SPDX-License-Identifier: Apache-2.0
// Core groups of one engine on a memory system, without firmware: every block of a kernel is started at time zero on a group
// of its own, and everything that happens is recorded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"
#include "model/trace/trace_sink.h"

namespace npulab::test {

struct RigResult {
  std::vector<InstructionRecord> instructions;  // sorted by core, pipe, start
  std::vector<CoreBlockRecord> blocks;          // sorted by core
  std::vector<Picoseconds> end_times;           // by group
  std::vector<std::string> errors;              // by group; empty when all went well
  std::vector<std::uint8_t> gm;                 // the first `gm_bytes` of device memory at the end
  std::vector<std::string> blocked;             // by group: what it waits for when the run went dry
};

struct RigOptions {
  bool functional = true;
  bool records = true;
  Bytes gm_bytes = 0;
  std::uint32_t seed = 1;             // of the initial contents of device memory
  Picoseconds abort_at = -1;          // every group is aborted at this time
};

/// Runs `kernel` on the first group kind of `soc` that has as many groups as blocks. One call a process.
RigResult run_on_cores(const SocSpec& soc, int group_kind, const Kernel& kernel, EngineKind engine, const RigOptions& options);

}  // namespace npulab::test
