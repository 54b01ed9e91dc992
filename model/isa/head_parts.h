// SPDX-License-Identifier: Apache-2.0
// Head fields as numbers: some carry two (mmad: L0B and BT address; load_3d: m_start and k_start), one in each half.
#pragma once

#include <cstdint>

#include "model/isa/kernel.h"

namespace npulab::isa {

/// The lower half as a signed number, so that a negative one borrows from the upper half as addition does.
constexpr std::int64_t low_half(std::int64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }

/// What is left for the upper half: low_half(value) + (high_half(value) << 32) == value, modulo 2^64.
constexpr std::int64_t high_half(std::int64_t value) {
  const std::uint64_t rest = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(low_half(value));
  return static_cast<std::int64_t>(rest) / (std::int64_t{1} << 32);
}

/// The constant part of one head field.
constexpr std::int64_t head_value(const Instruction& head, HeadField field) {
  switch (field) {
    case HeadField::dst: return static_cast<std::int64_t>(head.dst);
    case HeadField::src0: return static_cast<std::int64_t>(head.src0);
    case HeadField::src1: return static_cast<std::int64_t>(head.src1);
    default: return head.event;
  }
}

}  // namespace npulab::isa
