// SPDX-License-Identifier: Apache-2.0
// The buffers inside one core (L1, L0A, L0B, L0C, UB, BT, FB) as bytes. Capacities come from CoreSpec::buffers; a buffer of
// capacity 0 does not exist on that kind of core. Left out: banks and port timing (model/timing and the engines own those).
#pragma once

#include <cstdint>
#include <vector>

#include "model/isa/instruction.h"
#include "model/spec/soc_spec.h"

namespace npulab::memory {

class LocalBuffers {
 public:
  /// All buffers of `core`, filled with zero; the spec is not needed afterwards.
  explicit LocalBuffers(const CoreSpec& core);

  /// First byte of the span [address, address + bytes) of `space`; throws InternalError naming the buffer if any of it lies
  /// outside.
  std::uint8_t* at(isa::Space space, std::uint64_t address, std::uint64_t bytes);
  /// The same for reading only.
  const std::uint8_t* at(isa::Space space, std::uint64_t address, std::uint64_t bytes) const;
  /// Bytes in `space`; 0 if this core lacks the buffer.
  Bytes capacity(isa::Space space) const { return static_cast<Bytes>(storage_[static_cast<int>(space)].size()); }
  /// Every byte of every buffer is zero again, as after a core reset.
  void clear();

 private:
  void check(isa::Space space, std::uint64_t address, std::uint64_t bytes) const;

  std::vector<std::uint8_t> storage_[isa::kSpaceCount];
};

}  // namespace npulab::memory
