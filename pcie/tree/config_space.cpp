// SPDX-License-Identifier: Apache-2.0
#include "pcie/tree/config_space.h"

namespace npulab::pcie {

std::uint32_t ConfigSpace::get(std::uint32_t offset, int width) const {
  std::uint32_t value = 0;
  for (int i = 0; i < width; ++i) value |= static_cast<std::uint32_t>(values_[offset + static_cast<std::uint32_t>(i)]) << (8 * i);
  return value;
}

void ConfigSpace::set(std::uint32_t offset, int width, std::uint32_t value) {
  for (int i = 0; i < width; ++i) values_[offset + static_cast<std::uint32_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i));
}

void ConfigSpace::allow(std::uint32_t offset, int width, std::uint32_t mask) {
  for (int i = 0; i < width; ++i) writable_[offset + static_cast<std::uint32_t>(i)] = static_cast<std::uint8_t>(mask >> (8 * i));
}

void ConfigSpace::allow_clear(std::uint32_t offset, int width, std::uint32_t mask) {
  for (int i = 0; i < width; ++i) clearable_[offset + static_cast<std::uint32_t>(i)] = static_cast<std::uint8_t>(mask >> (8 * i));
}

void ConfigSpace::write(std::uint32_t offset, std::uint32_t value) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint8_t byte = static_cast<std::uint8_t>(value >> (8 * i));
    std::uint8_t& at = values_[offset + i];
    at = static_cast<std::uint8_t>((at & ~writable_[offset + i]) | (byte & writable_[offset + i]));
    at = static_cast<std::uint8_t>(at & ~(byte & clearable_[offset + i]));
  }
}

}  // namespace npulab::pcie
