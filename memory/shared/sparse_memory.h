// SPDX-License-Identifier: Apache-2.0
// Payload bytes of HBM or DDR. Stands for what the cells hold, not for when they answer. Pages exist once written, so the
// host needs memory only for what the simulated program touches; a timing-only run holds little more than queues and rings.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "memory/shared/address_map.h"
#include "model/contract/memory_system.h"

namespace npulab::memory {

class SparseMemory : public GlobalMemory {
 public:
  explicit SparseMemory(Bytes capacity);

  /// Copies `bytes` bytes from `address` to `out`; unwritten bytes are zero. InternalError outside the device.
  void read(std::uint64_t address, void* out, Bytes bytes) const override;
  /// Copies `bytes` bytes from `in` to `address`. InternalError outside the device.
  void write(std::uint64_t address, const void* in, Bytes bytes) override;
  /// Bytes of host memory held by pages.
  Bytes resident_bytes() const { return pages_ * kPageBytes; }

  static constexpr Bytes kPageBytes = 64 * 1024;  // of the simulating host; no property of the device

 private:
  static constexpr std::size_t kPagesPerDirectory = 1024;
  using Page = std::array<std::uint8_t, kPageBytes>;
  using Directory = std::array<std::unique_ptr<Page>, kPagesPerDirectory>;

  void check(std::uint64_t address, Bytes bytes) const;
  const Page* find(std::uint64_t page) const;
  Page& make(std::uint64_t page);

  AddressMap map_;
  std::vector<std::unique_ptr<Directory>> directories_;
  Bytes pages_ = 0;
};

}  // namespace npulab::memory
