// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/sparse_memory.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "model/base/errors.h"

namespace npulab::memory {

SparseMemory::SparseMemory(Bytes capacity) : map_(capacity) {
  const Bytes per_directory = kPageBytes * static_cast<Bytes>(kPagesPerDirectory);
  directories_.resize(static_cast<std::size_t>(ceil_div(capacity, per_directory)));
}

void SparseMemory::read(std::uint64_t address, void* out, Bytes bytes) const {
  check(address, bytes);
  auto* to = static_cast<std::uint8_t*>(out);
  while (bytes > 0) {
    const auto offset = static_cast<Bytes>(address % kPageBytes);
    const Bytes part = std::min(bytes, kPageBytes - offset);
    if (const Page* page = find(address / kPageBytes)) {
      std::memcpy(to, page->data() + offset, static_cast<std::size_t>(part));
    } else {
      std::memset(to, 0, static_cast<std::size_t>(part));
    }
    address += static_cast<std::uint64_t>(part);
    to += part;
    bytes -= part;
  }
}

void SparseMemory::write(std::uint64_t address, const void* in, Bytes bytes) {
  check(address, bytes);
  const auto* from = static_cast<const std::uint8_t*>(in);
  while (bytes > 0) {
    const auto offset = static_cast<Bytes>(address % kPageBytes);
    const Bytes part = std::min(bytes, kPageBytes - offset);
    std::memcpy(make(address / kPageBytes).data() + offset, from, static_cast<std::size_t>(part));
    address += static_cast<std::uint64_t>(part);
    from += part;
    bytes -= part;
  }
}

void SparseMemory::check(std::uint64_t address, Bytes bytes) const {
  if (map_.contains(address, bytes)) return;
  throw InternalError("device memory: payload of " + std::to_string(bytes) + " bytes at address " +
                      std::to_string(address) + " is outside its " + std::to_string(map_.capacity()) + " bytes");
}

const SparseMemory::Page* SparseMemory::find(std::uint64_t page) const {
  const auto& directory = directories_[page / kPagesPerDirectory];
  return directory ? (*directory)[page % kPagesPerDirectory].get() : nullptr;
}

SparseMemory::Page& SparseMemory::make(std::uint64_t page) {
  auto& directory = directories_[page / kPagesPerDirectory];
  if (!directory) directory = std::make_unique<Directory>();
  auto& slot = (*directory)[page % kPagesPerDirectory];
  if (!slot) {
    slot = std::make_unique<Page>();  // value-initialised: zeros
    ++pages_;
  }
  return *slot;
}

}  // namespace npulab::memory
