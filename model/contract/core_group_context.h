// SPDX-License-Identifier: Apache-2.0
// What a core group is built from, the same for both engines.
#pragma once

#include <string>

#include "model/contract/cross_flag_fabric.h"
#include "model/contract/memory_system.h"
#include "model/spec/soc_spec.h"
#include "model/trace/trace_sink.h"

namespace npulab {

struct CoreGroupContext {
  std::string path;                 // configuration path of the group, e.g. board.npu0.cube3
  int device = 0;                   // index for the trace
  int group_index = 0;              // passed back to BlockObserver
  const SocSpec* soc = nullptr;
  const CoreGroupSpec* group = nullptr;
  MemorySystem* memory = nullptr;
  CrossFlagFabric* flags = nullptr; // may be null when the SoC has no cross-core flags
  TraceSink* trace = nullptr;       // may be null
  bool functional = true;           // false: timing only, payload is never touched
};

}  // namespace npulab
