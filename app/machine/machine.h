// SPDX-License-Identifier: Apache-2.0
// One board, typed and wired: host, PCIe tree, and for each device its memory, core groups, flags and firmware. The one place
// that knows all parts. One machine a process (SystemC elaborates once).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/machine/host_thread_module.h"
#include "app/machine/timeline_module.h"
#include "cores/units/core_effects.h"
#include "firmware/device/device.h"
#include "memory/shared/memory_module.h"
#include "model/contract/kernel_store.h"
#include "model/contract/task_ledger.h"
#include "model/spec/board_spec.h"
#include "pcie/fabric_module.h"

namespace npulab::machine {

struct MachineOptions {
  bool functional = true;
  TraceSink* trace = nullptr;  // may be null
};

class Machine {
 public:
  Machine(const BoardSpec& board, const MachineOptions& options);
  ~Machine();

  /// Powers everything on and runs `host_program` to its end. `keep_going` is asked now and then; false ends the run early.
  /// Rethrows what the program threw; SimulationError naming what is stuck when nothing can go on.
  void run(std::function<void()> host_program, const std::function<bool()>& keep_going);
  bool interrupted() const { return interrupted_; }

  HostThread& host() { return host_; }
  Timeline& timeline() { return timeline_; }
  pcie::Fabric& fabric() { return fabric_->fabric(); }
  TaskLedger& ledger() { return ledger_; }
  KernelStore& kernels(int device);
  firmware::device::Device& device(int device);
  memory::MemoryModule& memory(int device);
  /// Functional faces of all cores of a device, for fault points; empty in timing-only runs.
  std::vector<cores::CoreEffects*> effects(int device);

 private:
  struct DeviceParts;
  std::string stuck() const;

  TimelineModule timeline_;
  HostThreadModule host_;
  TaskLedger ledger_;
  std::vector<std::unique_ptr<DeviceParts>> devices_;
  std::unique_ptr<pcie::FabricModules> fabric_;
  bool interrupted_ = false;
};

}  // namespace npulab::machine
