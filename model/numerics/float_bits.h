// SPDX-License-Identifier: Apache-2.0
// Floating-point values seen as bit patterns and back, for the files of this folder.
#pragma once

#include <cstdint>
#include <cstring>

namespace npulab::numerics {

/// The bit pattern of `value`.
inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The bit pattern of `value`.
inline std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The fp32 with these bits.
inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The fp64 with these bits.
inline double double_of(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace npulab::numerics
