// SPDX-License-Identifier: Apache-2.0
// One PCI function as enumeration has found it and set it up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/contract/host_link.h"

namespace npulab::firmware::host {

struct PciBar {
  int index = 0;
  std::uint64_t size = 0;
  bool prefetchable = false;
  std::uint64_t address = 0;  // 0: not placed
};

struct PciFunction {
  PciAddress address;
  std::uint16_t vendor = 0, device = 0;
  std::uint32_t class_code = 0;
  bool bridge = false;
  int parent = -1;                          // index of the bridge above, -1 on bus 0
  std::vector<int> children;                // bridges: indices of what is below
  std::uint8_t secondary = 0, subordinate = 0;  // bridges
  std::vector<PciBar> bars;                 // endpoints
  std::uint32_t express = 0, msix = 0, vendor_specific = 0;  // offsets of capabilities, 0: absent
  std::string problem;                      // why it was not enabled
};

}  // namespace npulab::firmware::host
