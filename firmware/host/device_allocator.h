// SPDX-License-Identifier: Apache-2.0
// Hands out device memory: first fit, in multiples of 512 bytes, neighbours joined again when freed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/base/units.h"

namespace npulab::firmware::host {

class DeviceAllocator {
 public:
  static constexpr Bytes kGranule = 512;

  /// Memory [begin, end).
  DeviceAllocator(std::uint64_t begin, std::uint64_t end);

  /// Nothing when there is no hole large enough, or `bytes` is not above zero.
  std::optional<std::uint64_t> allocate(Bytes bytes);
  /// False when `address` was not handed out.
  bool release(std::uint64_t address);
  Bytes free_bytes() const;

 private:
  std::map<std::uint64_t, std::uint64_t> holes_;  // begin -> bytes
  std::map<std::uint64_t, std::uint64_t> used_;
};

}  // namespace npulab::firmware::host
