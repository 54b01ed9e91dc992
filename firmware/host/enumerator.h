// SPDX-License-Identifier: Apache-2.0
// Finds every PCI function by configuration reads and makes it reachable by configuration writes: bus numbers depth first, BAR
// sizes, addresses and bridge windows (address_plan.h), payload sizes, memory decoding and mastering.
#pragma once

#include <vector>

#include "firmware/host/host_access.h"
#include "firmware/host/pci_function.h"

namespace npulab::firmware::host {

class Enumerator {
 public:
  explicit Enumerator(HostAccess& access) : access_(access) {}

  /// In order of discovery. A function for whose BARs there is no room is left disabled, with its problem in words.
  std::vector<PciFunction> run();

 private:
  void scan_bus(std::uint8_t bus, int parent, int devices);
  int add_function(PciAddress address, std::uint32_t identity, int parent);
  void scan_bridge(int index);
  void size_bars(PciFunction& function);
  void find_capabilities(PciFunction& function);
  void write_windows(const PciFunction& bridge, std::uint64_t base, std::uint64_t size, bool prefetchable);
  void write_bars(const PciFunction& function);
  std::uint32_t payload_code(int index);
  void set_payload(int index, std::uint32_t code);
  void enable(const PciFunction& function);

  HostAccess& access_;
  std::vector<PciFunction> functions_;
  std::uint32_t next_bus_ = 1;
};

}  // namespace npulab::firmware::host
