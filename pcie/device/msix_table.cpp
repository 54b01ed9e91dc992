// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/msix_table.h"

namespace npulab::pcie {

std::uint32_t MsixTable::read(std::uint32_t offset) const {
  const std::size_t vector = offset / kEntryBytes;
  if (vector >= entries_.size()) return 0;
  const Entry& entry = entries_[vector];
  switch (offset % kEntryBytes / 4) {
    case 0: return static_cast<std::uint32_t>(entry.address);
    case 1: return static_cast<std::uint32_t>(entry.address >> 32);
    case 2: return entry.data;
    default: return entry.masked ? 1 : 0;
  }
}

void MsixTable::write(std::uint32_t offset, std::uint32_t value) {
  const std::size_t vector = offset / kEntryBytes;
  if (vector >= entries_.size()) return;
  Entry& entry = entries_[vector];
  switch (offset % kEntryBytes / 4) {
    case 0: entry.address = (entry.address & ~std::uint64_t{0xffffffff}) | (value & ~3u); break;
    case 1: entry.address = (entry.address & 0xffffffff) | static_cast<std::uint64_t>(value) << 32; break;
    case 2: entry.data = value; break;
    default: entry.masked = (value & 1) != 0;
  }
}

std::uint32_t MsixTable::read_pending(std::uint32_t offset) const {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::size_t vector = offset * 8 + i;
    if (vector < pending_.size() && pending_[vector]) bits |= 1u << i;
  }
  return bits;
}

}  // namespace npulab::pcie
