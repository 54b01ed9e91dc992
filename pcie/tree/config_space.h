// SPDX-License-Identifier: Apache-2.0
// The 4096 bytes of configuration space of one function: values, which bits software may write, and which bits a written one
// clears. Register layout as published with lspci and the Linux headers.
#pragma once

#include <array>
#include <cstdint>

#include "model/base/units.h"

namespace npulab::pcie {

class ConfigSpace {
 public:
  static constexpr std::uint32_t kBytes = 4096;

  /// Little-endian register of 1, 2 or 4 bytes.
  std::uint32_t get(std::uint32_t offset, int width) const;
  /// What hardware does: sets bits regardless of who may write them.
  void set(std::uint32_t offset, int width, std::uint32_t value);
  /// Bits of a register that software may write.
  void allow(std::uint32_t offset, int width, std::uint32_t mask);
  /// Bits of a register that software clears by writing ones.
  void allow_clear(std::uint32_t offset, int width, std::uint32_t mask);
  /// A configuration write of one aligned double word.
  void write(std::uint32_t offset, std::uint32_t value);
  std::uint8_t byte(std::uint32_t offset) const { return values_[offset]; }

 private:
  std::array<std::uint8_t, kBytes> values_{};
  std::array<std::uint8_t, kBytes> writable_{};
  std::array<std::uint8_t, kBytes> clearable_{};
};

}  // namespace npulab::pcie
