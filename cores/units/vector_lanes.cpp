// SPDX-License-Identifier: Apache-2.0
#include "cores/units/vector_lanes.h"

#include <cstring>

#include "model/numerics/float16.h"

namespace npulab::cores {
namespace {

template <typename T>
T peek(const std::uint8_t* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

float read_real(const std::uint8_t* data, isa::DataType type) {
  switch (type) {
    case isa::DataType::fp16: return numerics::fp16_to_fp32(peek<std::uint16_t>(data));
    case isa::DataType::bf16: return numerics::bf16_to_fp32(peek<std::uint16_t>(data));
    default: return peek<float>(data);
  }
}

std::int64_t read_integer(const std::uint8_t* data, isa::DataType type) {
  switch (type) {
    case isa::DataType::int8: return peek<std::int8_t>(data);
    case isa::DataType::uint8: return peek<std::uint8_t>(data);
    case isa::DataType::int16: return peek<std::int16_t>(data);
    case isa::DataType::uint16: return peek<std::uint16_t>(data);
    case isa::DataType::int32: return peek<std::int32_t>(data);
    default: return peek<std::uint32_t>(data);
  }
}

void write_value(std::uint8_t* data, isa::DataType type, const Lanes& lanes, int lane, const ResultMask& mask) {
  const int bytes = isa::size_of(type);
  std::uint32_t bits = 0;
  switch (type) {
    case isa::DataType::fp16: bits = numerics::fp32_to_fp16(lanes.real[lane]); break;
    case isa::DataType::bf16: bits = numerics::fp32_to_bf16(lanes.real[lane]); break;
    case isa::DataType::fp32: std::memcpy(&bits, &lanes.real[lane], 4); break;
    default: bits = static_cast<std::uint32_t>(lanes.integer[lane]); break;
  }
  std::memcpy(data, &bits, bytes);
  if (mask.any()) corrupt(mask, bytes, data, bytes);
}

/// First UB byte of the repeat and how many bytes its lanes span.
std::uint8_t* repeat_bytes(const EffectContext& context, const LaneAddressing& addressing, const RepeatShape& shape,
                           std::uint64_t& first) {
  first = addressing.address(shape, 0);
  const std::uint64_t last = addressing.address(shape, shape.lanes - 1) + addressing.element_bytes;
  return context.buffers.at(isa::Space::ub, first, last - first);
}

}  // namespace

void load_lanes(const EffectContext& context, const LaneAddressing& addressing, isa::DataType type, const RepeatShape& shape,
                Lanes& lanes) {
  std::uint64_t first = 0;
  const std::uint8_t* data = repeat_bytes(context, addressing, shape, first);
  for (int lane = 0; lane < shape.lanes; ++lane) {
    const std::uint8_t* element = data + (addressing.address(shape, lane) - first);
    if (is_real(type)) {
      lanes.real[lane] = read_real(element, type);
    } else {
      lanes.integer[lane] = read_integer(element, type);
    }
  }
}

void store_lanes(const EffectContext& context, const LaneAddressing& addressing, isa::DataType type, const RepeatShape& shape,
                 const Lanes& lanes, const ResultMask& mask) {
  std::uint64_t first = 0;
  std::uint8_t* data = repeat_bytes(context, addressing, shape, first);
  for (int lane = 0; lane < shape.lanes; ++lane) {
    if (!shape.active[lane]) continue;
    write_value(data + (addressing.address(shape, lane) - first), type, lanes, lane, mask);
  }
}

void store_single(const EffectContext& context, std::uint64_t address, isa::DataType type, const Lanes& lanes, int lane,
                  const ResultMask& mask) {
  write_value(context.buffers.at(isa::Space::ub, address, isa::size_of(type)), type, lanes, lane, mask);
}

}  // namespace npulab::cores
