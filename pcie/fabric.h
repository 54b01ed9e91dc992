// SPDX-License-Identifier: Apache-2.0
// The PCIe tree of one board, built from its specification: root complex, ports, links, endpoints and the devices' fronts.
// Nothing is enumerated yet: bus numbers, BARs and windows are the driver's business.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "model/spec/board_spec.h"
#include "pcie/device/device_front.h"
#include "pcie/tree/root_complex.h"

namespace npulab::pcie {

class Fabric {
 public:
  /// `board` must outlive the fabric. `memories[i]` is the memory of device i; two clients are registered with each. `trace` may be null. UserError for credits
  /// below what one TLP needs or BARs that do not hold the register map.
  Fabric(const BoardSpec& board, Timeline& timeline, const std::vector<MemorySystem*>& memories, TraceSink* trace, bool functional);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  HostLink& host() { return root_; }
  RootComplex& root() { return root_; }
  /// The front of device `index` (BoardSpec::devices).
  DeviceFront& device(int index) { return *fronts_.at(static_cast<std::size_t>(index)); }
  /// Which device answers at an address that enumeration has given out; -1 for none.
  int device_at(PciAddress address) const;
  /// By index into BoardSpec::pcie.
  TreeNode& node(int index) { return *nodes_.at(static_cast<std::size_t>(index)); }
  const TreeNode& node(int index) const { return *nodes_.at(static_cast<std::size_t>(index)); }
  int node_count() const { return static_cast<int>(nodes_.size()); }

  /// Configuration space of every enumerated function, as `lspci -F` reads it.
  void dump_lspci(std::ostream& out) const;
  /// What has been asked and not answered anywhere in the tree; empty when idle.
  std::string outstanding() const;
  /// Nothing is queued and every credit has come home.
  bool quiet() const;

 private:
  void check() const;
  void add_node(std::size_t index);
  const LinkSpec& link_of_port(std::size_t index) const;

  const BoardSpec& board_;
  Timeline& timeline_;
  RootComplex root_;
  std::vector<std::unique_ptr<TreeNode>> nodes_;
  std::vector<std::unique_ptr<DeviceFront>> fronts_;
};

}  // namespace npulab::pcie
