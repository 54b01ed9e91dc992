// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/device_allocator.h"

#include <iterator>

namespace npulab::firmware::host {

DeviceAllocator::DeviceAllocator(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = static_cast<std::uint64_t>(round_up(static_cast<Bytes>(begin), kGranule));
  if (end > first) holes_[first] = end - first;
}

std::optional<std::uint64_t> DeviceAllocator::allocate(Bytes bytes) {
  if (bytes <= 0) return std::nullopt;
  const std::uint64_t size = static_cast<std::uint64_t>(round_up(bytes, kGranule));
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    if (hole->second < size) continue;
    const auto [address, length] = *hole;
    holes_.erase(hole);
    if (length > size) holes_[address + size] = length - size;
    used_[address] = size;
    return address;
  }
  return std::nullopt;
}

bool DeviceAllocator::release(std::uint64_t address) {
  const auto found = used_.find(address);
  if (found == used_.end()) return false;
  auto hole = holes_.emplace(address, found->second).first;
  used_.erase(found);
  const auto after = std::next(hole);
  if (after != holes_.end() && hole->first + hole->second == after->first) {
    hole->second += after->second;
    holes_.erase(after);
  }
  if (hole == holes_.begin()) return true;
  const auto before = std::prev(hole);
  if (before->first + before->second == hole->first) {
    before->second += hole->second;
    holes_.erase(hole);
  }
  return true;
}

Bytes DeviceAllocator::free_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [address, bytes] : holes_) sum += bytes;
  return static_cast<Bytes>(sum);
}

}  // namespace npulab::firmware::host
