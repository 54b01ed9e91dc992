// SPDX-License-Identifier: Apache-2.0
// The PCIe fabric in the SystemC hierarchy: root complex, ports, links, endpoints, DMA channels and queue blocks stand as
// modules under their configuration path. They have names and no processes; all time is the Timeline's.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "pcie/fabric.h"

namespace npulab::pcie {

/// A place in the hierarchy, with what stands below it.
class PartModule : public sc_core::sc_module {
 public:
  explicit PartModule(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
  void add(std::unique_ptr<PartModule> part) { parts_.push_back(std::move(part)); }

 private:
  std::vector<std::unique_ptr<PartModule>> parts_;
};

/// Owns the fabric and its places. Constructed inside a module named like the board, the places have the paths of the
/// configuration: board.root_complex, board.rp0.switch.down0.npu0.link.up, ...
class FabricModules {
 public:
  FabricModules(const BoardSpec& board, Timeline& timeline, const std::vector<MemorySystem*>& memories, TraceSink* trace, bool functional);

  Fabric& fabric() { return fabric_; }

 private:
  Fabric fabric_;
  std::vector<std::unique_ptr<PartModule>> parts_;
};

}  // namespace npulab::pcie
