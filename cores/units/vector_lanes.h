// SPDX-License-Identifier: Apache-2.0
// Lanes of one vector repeat: where each element of an operand lies, and conversion between stored bytes and lane values.
#pragma once

#include <array>
#include <cstdint>

#include "cores/units/effect_context.h"

namespace npulab::cores {

inline constexpr int kMaxLanes = 256;  // 8-bit elements of a 256-byte repeat

/// Lane values: floating-point types in `real`, integers in `integer`. Only one of the two is in use.
struct Lanes {
  std::array<float, kMaxLanes> real;
  std::array<std::int64_t, kMaxLanes> integer;
};

constexpr bool is_real(isa::DataType type) {
  return type == isa::DataType::fp16 || type == isa::DataType::bf16 || type == isa::DataType::fp32;
}

/// One repeat (or one chunk in counter mode) of an instruction.
struct RepeatShape {
  int index = 0;              // repeat number
  int lanes = 0;              // elements handled
  bool counter_mode = false;
  std::int64_t first = 0;     // counter mode: index of the first element
  std::array<bool, kMaxLanes> active;
  bool all_active = true;
};

/// Where one operand's elements lie in UB.
struct LaneAddressing {
  std::uint64_t base = 0;
  int element_bytes = 0;
  int block_stride = 1;   // 32-byte units
  int repeat_stride = 8;  // 32-byte units

  std::uint64_t address(const RepeatShape& shape, int lane) const {
    if (shape.counter_mode) return base + static_cast<std::uint64_t>(shape.first + lane) * element_bytes;
    const int per_block = 32 / element_bytes;
    return base + static_cast<std::uint64_t>(shape.index) * repeat_stride * 32 +
           static_cast<std::uint64_t>(lane / per_block) * block_stride * 32 + (lane % per_block) * element_bytes;
  }
};

/// Reads the active lanes of an operand.
void load_lanes(const EffectContext& context, const LaneAddressing& addressing, isa::DataType type, const RepeatShape& shape,
                Lanes& lanes);
/// Rounds and writes the active lanes; integers wrap to the width when they come from integer arithmetic.
void store_lanes(const EffectContext& context, const LaneAddressing& addressing, isa::DataType type, const RepeatShape& shape,
                 const Lanes& lanes, const ResultMask& mask);
/// Writes one value of lane 0 of `lanes` at `address`.
void store_single(const EffectContext& context, std::uint64_t address, isa::DataType type, const Lanes& lanes, int lane,
                  const ResultMask& mask);

}  // namespace npulab::cores
