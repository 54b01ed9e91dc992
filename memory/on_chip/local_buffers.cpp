// SPDX-License-Identifier: Apache-2.0
#include "memory/on_chip/local_buffers.h"

#include <algorithm>
#include <string>

#include "model/base/errors.h"

namespace npulab::memory {

LocalBuffers::LocalBuffers(const CoreSpec& core) {
  for (int space = 0; space < isa::kSpaceCount; ++space) {
    if (static_cast<isa::Space>(space) == isa::Space::gm) continue;
    storage_[space].resize(static_cast<std::size_t>(core.buffers[space].capacity));
  }
}

std::uint8_t* LocalBuffers::at(isa::Space space, std::uint64_t address, std::uint64_t bytes) {
  check(space, address, bytes);
  return storage_[static_cast<int>(space)].data() + address;
}

const std::uint8_t* LocalBuffers::at(isa::Space space, std::uint64_t address, std::uint64_t bytes) const {
  check(space, address, bytes);
  return storage_[static_cast<int>(space)].data() + address;
}

void LocalBuffers::clear() {
  for (std::vector<std::uint8_t>& bytes : storage_) std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
}

void LocalBuffers::check(isa::Space space, std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t capacity = storage_[static_cast<int>(space)].size();
  if (bytes <= capacity && address <= capacity - bytes) return;
  throw InternalError(std::string("local buffer ") + isa::name_of(space) + ": span of " + std::to_string(bytes) +
                      " bytes at address " + std::to_string(address) + " is outside its " + std::to_string(capacity) +
                      " bytes");
}

}  // namespace npulab::memory
