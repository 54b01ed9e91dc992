// SPDX-License-Identifier: Apache-2.0
// What the unit effects work on: one core's local buffers, the GM store, and how numbers are treated.
#pragma once

#include <cstdint>

#include "memory/on_chip/local_buffers.h"
#include "model/contract/memory_system.h"
#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::cores {

struct EffectContext {
  memory::LocalBuffers& buffers;
  GlobalMemory& gm;
  NumericsProfile profile;
  std::uint64_t arena_base = 0;
  Bytes ub_capacity = 0;
};

/// Bits to XOR into results, by element width; all zero in a healthy unit.
struct ResultMask {
  std::uint8_t bits_8 = 0;
  std::uint16_t bits_16 = 0;
  std::uint32_t bits_32 = 0;
  bool any() const { return bits_8 != 0 || bits_16 != 0 || bits_32 != 0; }
};

/// XORs the mask into `bytes` bytes of elements of `element_bytes` each.
void corrupt(const ResultMask& mask, int element_bytes, std::uint8_t* data, std::uint64_t bytes);

}  // namespace npulab::cores
