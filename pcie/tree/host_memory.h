// SPDX-License-Identifier: Apache-2.0
// Memory of the host as devices see it through the root complex: pages on demand, addresses handed out upwards. Leaves out
// caches, NUMA and the IOMMU: bus addresses are host addresses.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "model/contract/host_link.h"

namespace npulab::pcie {

/// Where things lie in the host's address space.
inline constexpr std::uint64_t kHostMemoryBase = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kHostMemoryEnd = std::uint64_t{1} << 38;
inline constexpr std::uint64_t kInterruptBase = 0xfee00000, kInterruptEnd = 0xfef00000;

class SparseHostMemory : public HostMemory {
 public:
  std::uint64_t allocate(Bytes bytes) override;
  /// InternalError outside host memory.
  void read(std::uint64_t address, void* out, Bytes bytes) const override;
  void write(std::uint64_t address, const void* in, Bytes bytes) override;
  /// Whether [address, address + bytes) is host memory.
  static bool holds(std::uint64_t address, Bytes bytes);

 private:
  static constexpr std::uint64_t kPageBytes = 65536;
  using Page = std::array<std::uint8_t, kPageBytes>;

  std::uint64_t next_ = kHostMemoryBase;
  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace npulab::pcie
