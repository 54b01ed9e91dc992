// SPDX-License-Identifier: Apache-2.0
// What a device's firmware is built on: the parts of one chip, by their contracts.
#pragma once

#include <vector>

#include "model/contract/compute_core.h"
#include "model/contract/endpoint_port.h"
#include "model/contract/kernel_store.h"
#include "model/contract/memory_system.h"
#include "model/contract/task_ledger.h"
#include "model/contract/timeline.h"
#include "model/spec/board_spec.h"

namespace npulab::firmware::device {

struct DeviceContext {
  Timeline* timeline = nullptr;
  EndpointPort* port = nullptr;
  MemorySystem* memory = nullptr;
  std::vector<ComputeCore*> cores;      // core i reports as group i
  const KernelStore* kernels = nullptr;
  TaskLedger* ledger = nullptr;         // may be null
  TraceSink* trace = nullptr;           // may be null
  const SocSpec* soc = nullptr;
  const DeviceSpec* device = nullptr;
  bool full_boot = false;
  const Kernel* self_test = nullptr;    // one block of it runs on each group that fits; null: groups are only looked at
};

}  // namespace npulab::firmware::device
