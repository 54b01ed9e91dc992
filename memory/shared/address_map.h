// SPDX-License-Identifier: Apache-2.0
// Which device addresses exist: [0, capacity) of HBM or DDR. Left out: interleaving over stacks and channels, which the
// sustained bandwidth of HbmSpec already contains.
#pragma once

#include "model/contract/memory_system.h"

namespace npulab::memory {

class AddressMap {
 public:
  explicit AddressMap(Bytes capacity) : capacity_(capacity) {}

  /// True if every byte of [address, address + bytes) exists.
  bool contains(std::uint64_t address, Bytes bytes) const {
    const auto capacity = static_cast<std::uint64_t>(capacity_);
    return bytes >= 0 && static_cast<std::uint64_t>(bytes) <= capacity &&
           address <= capacity - static_cast<std::uint64_t>(bytes);
  }
  /// True if every byte of every row of `transfer` exists; rows that overlap or run downwards are legal.
  bool contains(const TransferRequest& transfer) const;
  Bytes capacity() const { return capacity_; }

 private:
  Bytes capacity_;
};

}  // namespace npulab::memory
