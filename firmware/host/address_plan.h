// SPDX-License-Identifier: Apache-2.0
// Where the BARs and bridge windows of a tree go: the largest alignment first within each bridge, bridges in whole mebibytes,
// 32-bit space for what is not prefetchable, space above 4 GiB for what is.
#pragma once

#include <vector>

#include "firmware/host/pci_function.h"

namespace npulab::firmware::host {

struct AddressWindow {
  std::uint64_t base = 0;
  std::uint64_t size = 0;  // 0: closed
};

struct AddressPlan {
  std::vector<AddressWindow> memory;    // by function index; bridges only
  std::vector<AddressWindow> prefetch;
};

/// The host's address ranges for devices.
inline constexpr std::uint64_t kMemorySpace = 0xc0000000, kMemorySpaceEnd = 0xf0000000;
inline constexpr std::uint64_t kPrefetchSpace = std::uint64_t{1} << 38, kPrefetchSpaceEnd = std::uint64_t{1} << 46;

/// Fills in the addresses of all BARs. While there is no room the last function in order of discovery that needs some of it
/// gets a problem instead of addresses.
AddressPlan plan_addresses(std::vector<PciFunction>& functions);

}  // namespace npulab::firmware::host
