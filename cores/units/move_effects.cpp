// SPDX-License-Identifier: Apache-2.0
#include "cores/units/move_effects.h"

#include <algorithm>
#include <cstring>

namespace npulab::cores {
namespace {

constexpr std::uint64_t kBlockBytes = 32;

/// Bytes from the first byte of the first row to the last byte of the last one.
std::uint64_t extent(std::uint32_t rows, std::uint64_t row_bytes, std::int64_t pitch) {
  return static_cast<std::uint64_t>(rows - 1) * static_cast<std::uint64_t>(pitch) + row_bytes;
}

}  // namespace

void corrupt(const ResultMask& mask, int element_bytes, std::uint8_t* data, std::uint64_t bytes) {
  std::uint32_t bits = element_bytes == 1 ? mask.bits_8 : element_bytes == 2 ? mask.bits_16 : mask.bits_32;
  for (std::uint64_t i = 0; i + element_bytes <= bytes; i += element_bytes) {
    for (int byte = 0; byte < element_bytes; ++byte) data[i + byte] ^= static_cast<std::uint8_t>(bits >> (8 * byte));
  }
}

void apply_copy(const EffectContext& context, const isa::Instruction& head, const isa::CopyOperands& operands,
                const ResultMask& mask) {
  std::uint8_t* dst = context.buffers.at(operands.dst, head.dst,
                                         extent(operands.rows, operands.row_bytes, operands.dst_pitch));
  const bool from_gm = operands.src == isa::Space::gm;
  const std::uint8_t* src = from_gm ? nullptr
                                    : context.buffers.at(operands.src, head.src0,
                                                         extent(operands.rows, operands.row_bytes, operands.src_pitch));
  for (std::uint32_t row = 0; row < operands.rows; ++row, dst += operands.dst_pitch) {
    if (from_gm) {
      context.gm.read(context.arena_base + head.src0 + row * operands.src_pitch, dst, operands.row_bytes);
    } else {
      std::memmove(dst, src + row * operands.src_pitch, operands.row_bytes);
    }
    if (mask.any()) corrupt(mask, 1, dst, operands.row_bytes);
  }
}

StagedWrite sample_copy(const EffectContext& context, const isa::Instruction& head, const isa::CopyOperands& operands,
                        const ResultMask& mask) {
  StagedWrite write;
  write.address = context.arena_base + head.dst;
  write.rows = operands.rows;
  write.row_bytes = operands.row_bytes;
  write.row_pitch = operands.dst_pitch;
  write.bytes.resize(static_cast<std::size_t>(operands.rows) * operands.row_bytes);
  const std::uint8_t* src = context.buffers.at(operands.src, head.src0,
                                               extent(operands.rows, operands.row_bytes, operands.src_pitch));
  for (std::uint32_t row = 0; row < operands.rows; ++row) {
    std::memcpy(write.bytes.data() + static_cast<std::size_t>(row) * operands.row_bytes, src + row * operands.src_pitch,
                operands.row_bytes);
  }
  if (mask.any()) corrupt(mask, 1, write.bytes.data(), write.bytes.size());
  return write;
}

void apply_nd2nz(const EffectContext& context, const isa::Instruction& head, const isa::Nd2NzOperands& operands,
                 const ResultMask& mask) {
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(operands.columns) * isa::size_of(operands.type);
  const std::uint64_t blocks = static_cast<std::uint64_t>(ceil_div(row_bytes, kBlockBytes));
  const std::uint64_t block_pitch = operands.dst_rows * kBlockBytes;
  std::uint8_t* dst = context.buffers.at(isa::Space::l1, head.dst,
                                         (blocks - 1) * block_pitch + operands.rows * kBlockBytes);
  std::vector<std::uint8_t> row(blocks * kBlockBytes, 0);
  for (std::uint32_t i = 0; i < operands.rows; ++i) {
    context.gm.read(context.arena_base + head.src0 + i * operands.src_pitch, row.data(), row_bytes);
    for (std::uint64_t j = 0; j < blocks; ++j) {
      std::uint8_t* target = dst + j * block_pitch + i * kBlockBytes;
      std::memcpy(target, row.data() + j * kBlockBytes, kBlockBytes);
      if (mask.any()) corrupt(mask, 1, target, kBlockBytes);
    }
  }
}

void apply_fill(const EffectContext& context, const isa::Instruction& head, const isa::FillOperands& operands) {
  std::uint8_t* dst = context.buffers.at(operands.dst, head.dst, operands.bytes);
  for (std::uint32_t i = 0; i + 4 <= operands.bytes; i += 4) std::memcpy(dst + i, &operands.pattern, 4);
}

namespace {

constexpr std::uint64_t kFractalBytes = 512;

/// Transposes a square of `side` elements of `element` bytes, rows of 32 bytes.
void transpose_square(const std::uint8_t* src, std::uint8_t* dst, int side, int element) {
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      std::memcpy(dst + (column * side + row) * element, src + (row * side + column) * element, element);
    }
  }
}

}  // namespace

void apply_load_2d(const EffectContext& context, const isa::Instruction& head, const isa::Load2dOperands& operands,
                   const ResultMask& mask) {
  // An 8-bit transposition works on a 32x32 square, which is two fractals.
  const bool pairs = operands.transpose && isa::size_of(operands.type) == 1;
  const std::uint64_t unit = pairs ? 2 * kFractalBytes : kFractalBytes;
  for (std::uint32_t repeat = 0; repeat < operands.repeats; ++repeat) {
    const std::uint8_t* src = context.buffers.at(
        isa::Space::l1, head.src0 + repeat * operands.src_stride_fractals * kFractalBytes, unit);
    std::uint8_t* dst =
        context.buffers.at(operands.dst, head.dst + repeat * operands.dst_stride_fractals * kFractalBytes, unit);
    if (operands.transpose) {
      transpose_square(src, dst, pairs ? 32 : 16, isa::size_of(operands.type));
    } else {
      std::memcpy(dst, src, unit);
    }
    if (mask.any()) corrupt(mask, 1, dst, unit);
  }
}

namespace {

/// Geometry of an image-to-column load, with the pad value spread over one 32-byte block.
struct ImageToColumn {
  const isa::Load3dOperands& operands;
  std::int64_t out_w, positions;
  std::uint8_t pad[kBlockBytes];

  explicit ImageToColumn(const isa::Load3dOperands& o) : operands(o) {
    const int reach_h = o.dilation_h * (o.kernel_h - 1) + 1;
    const int reach_w = o.dilation_w * (o.kernel_w - 1) + 1;
    const std::int64_t out_h = (o.in_h + o.pad_top + o.pad_bottom - reach_h) / o.stride_h + 1;
    out_w = (o.in_w + o.pad_left + o.pad_right - reach_w) / o.stride_w + 1;
    positions = out_h * out_w;
    const int element = isa::size_of(o.type);
    for (std::uint64_t i = 0; i < kBlockBytes; i += element) std::memcpy(pad + i, &o.pad_value, element);
  }

  /// Byte offset in the feature map of the block for output position `m` and K block `k`, or -1 for padding.
  std::int64_t source(std::int64_t m, std::int64_t k) const {
    if (m >= positions) return -1;
    const int taps = operands.kernel_h * operands.kernel_w;
    const std::int64_t c1 = k / taps, tap = k % taps;
    const std::int64_t h = (m / out_w) * operands.stride_h - operands.pad_top + (tap / operands.kernel_w) * operands.dilation_h;
    const std::int64_t w = (m % out_w) * operands.stride_w - operands.pad_left + (tap % operands.kernel_w) * operands.dilation_w;
    if (h < 0 || h >= operands.in_h || w < 0 || w >= operands.in_w) return -1;
    return ((c1 * operands.in_h + h) * operands.in_w + w) * static_cast<std::int64_t>(kBlockBytes);
  }
};

}  // namespace

void apply_load_3d(const EffectContext& context, const isa::Instruction& head, const isa::Load3dOperands& operands,
                   const ResultMask& mask) {
  const ImageToColumn geometry(operands);
  const int c0 = static_cast<int>(kBlockBytes) / isa::size_of(operands.type);
  const std::int64_t m_start = static_cast<std::int64_t>(head.src1 & 0xffffffffu);
  const std::int64_t k_block = static_cast<std::int64_t>(head.src1 >> 32) / c0;
  const std::int64_t m1 = operands.m_extent / 16, k1 = operands.k_extent / c0;
  const std::uint64_t map_bytes = static_cast<std::uint64_t>(operands.channels / c0) * operands.in_h * operands.in_w * kBlockBytes;
  const std::uint8_t* map = context.buffers.at(isa::Space::l1, head.src0, map_bytes);
  std::uint8_t* dst = context.buffers.at(operands.dst, head.dst, m1 * k1 * kFractalBytes);
  for (std::int64_t m = 0; m < operands.m_extent; ++m) {
    for (std::int64_t k = 0; k < k1; ++k) {
      const std::int64_t fractal = operands.k_outer ? k * m1 + m / 16 : (m / 16) * k1 + k;
      const std::int64_t from = geometry.source(m_start + m, k_block + k);
      std::memcpy(dst + fractal * kFractalBytes + (m % 16) * kBlockBytes, from < 0 ? geometry.pad : map + from, kBlockBytes);
    }
  }
  if (mask.any()) corrupt(mask, 1, dst, m1 * k1 * kFractalBytes);
}

}  // namespace npulab::cores
