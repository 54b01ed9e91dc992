// SPDX-License-Identifier: Apache-2.0
#include "pcie/tree/host_memory.h"

#include <algorithm>
#include <cstring>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

constexpr std::uint64_t kAlignment = 4096;

void check(std::uint64_t address, Bytes bytes) {
  if (!SparseHostMemory::holds(address, bytes)) throw InternalError("access outside host memory at " + std::to_string(address));
}

}  // namespace

bool SparseHostMemory::holds(std::uint64_t address, Bytes bytes) {
  return bytes >= 0 && address >= kHostMemoryBase && address < kHostMemoryEnd && static_cast<std::uint64_t>(bytes) <= kHostMemoryEnd - address;
}

std::uint64_t SparseHostMemory::allocate(Bytes bytes) {
  const std::uint64_t at = next_;
  if (!holds(at, bytes)) throw SimulationError("host memory is full: " + std::to_string(bytes) + " bytes asked for");
  next_ = (at + static_cast<std::uint64_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
  return at;
}

void SparseHostMemory::read(std::uint64_t address, void* out, Bytes bytes) const {
  check(address, bytes);
  auto* to = static_cast<std::uint8_t*>(out);
  while (bytes > 0) {
    const std::uint64_t in_page = address % kPageBytes;
    const Bytes part = std::min(bytes, static_cast<Bytes>(kPageBytes - in_page));
    const auto page = pages_.find(address / kPageBytes);
    if (page == pages_.end()) std::memset(to, 0, static_cast<std::size_t>(part));
    else std::memcpy(to, page->second->data() + in_page, static_cast<std::size_t>(part));
    to += part;
    address += static_cast<std::uint64_t>(part);
    bytes -= part;
  }
}

void SparseHostMemory::write(std::uint64_t address, const void* in, Bytes bytes) {
  check(address, bytes);
  const auto* from = static_cast<const std::uint8_t*>(in);
  while (bytes > 0) {
    const std::uint64_t in_page = address % kPageBytes;
    const Bytes part = std::min(bytes, static_cast<Bytes>(kPageBytes - in_page));
    std::unique_ptr<Page>& page = pages_[address / kPageBytes];
    if (page == nullptr) page = std::make_unique<Page>(Page{});
    std::memcpy(page->data() + in_page, from, static_cast<std::size_t>(part));
    from += part;
    address += static_cast<std::uint64_t>(part);
    bytes -= part;
  }
}

}  // namespace npulab::pcie
