// SPDX-License-Identifier: Apache-2.0
#include "cores/units/fixpipe_effects.h"

#include <cstring>

#include "model/numerics/float16.h"
#include "model/numerics/requantise.h"

namespace npulab::cores {
namespace {

bool is_per_column(isa::QuantMode mode) {
  return mode == isa::QuantMode::vreq8 || mode == isa::QuantMode::vdeqf16 || mode == isa::QuantMode::vqf8;
}

int result_bytes(isa::QuantMode mode) {
  switch (mode) {
    case isa::QuantMode::none: return 4;
    case isa::QuantMode::f16: case isa::QuantMode::bf16: case isa::QuantMode::deqf16: case isa::QuantMode::vdeqf16: return 2;
    default: return 1;
  }
}

numerics::Profile to_numerics(NumericsProfile profile) {
  switch (profile) {
    case NumericsProfile::arch2002: return numerics::Profile::arch2002;
    case NumericsProfile::arch2201: return numerics::Profile::arch2201;
    case NumericsProfile::arch3510: return numerics::Profile::arch3510;
    default: return numerics::Profile::onnx;
  }
}

/// One L0C element to its output bits.
std::uint32_t convert(const isa::FixpipeOperands& o, numerics::Profile profile, std::uint32_t raw, std::uint64_t word) {
  std::int32_t integer;
  float real;
  std::memcpy(&integer, &raw, 4);
  std::memcpy(&real, &raw, 4);
  if (o.relu) {
    // The slope swap of the chip: negative accumulators are multiplied by zero.
    integer = integer < 0 ? 0 : integer;
    real = real < 0.0f ? 0.0f : real;
  }
  switch (o.quant) {
    case isa::QuantMode::none:
      if (o.src_type == isa::DataType::int32) return static_cast<std::uint32_t>(integer);
      std::memcpy(&raw, &real, 4);
      return raw;
    case isa::QuantMode::f16: return numerics::fp32_to_fp16(real);
    case isa::QuantMode::bf16: return numerics::fp32_to_bf16(real);
    case isa::QuantMode::deqf16: case isa::QuantMode::vdeqf16:
      return numerics::dequantise_word_to_fp16(integer, word, profile);
    case isa::QuantMode::qf8: case isa::QuantMode::vqf8:
      return static_cast<std::uint8_t>(numerics::requantise_word(real, word, profile));
    default: return static_cast<std::uint8_t>(numerics::requantise_word(integer, word, profile));
  }
}

/// Where the columns of a tile go among the staged rows.
struct TileLayout {
  int element_bytes;
  std::uint64_t block_columns;  // NZ: columns a block
  std::uint64_t rows, row_bytes;

  TileLayout(const isa::FixpipeOperands& o) {
    element_bytes = result_bytes(o.quant);
    block_columns = element_bytes == 1 ? 32 : 16;
    if (o.nz2nd) {
      rows = o.m;
      row_bytes = static_cast<std::uint64_t>(o.n) * element_bytes;
    } else {
      rows = ceil_div(o.n, static_cast<std::int64_t>(block_columns));
      row_bytes = o.m * block_columns * element_bytes;
    }
  }

  std::uint64_t offset(const isa::FixpipeOperands& o, std::uint64_t i, std::uint64_t j) const {
    if (o.nz2nd) return i * row_bytes + j * element_bytes;
    return (j / block_columns) * row_bytes + (i * block_columns + j % block_columns) * element_bytes;
  }
};

}  // namespace

StagedWrite convert_tile(const EffectContext& context, const isa::Instruction& head, const isa::FixpipeOperands& o,
                         const ResultMask& mask) {
  const TileLayout layout(o);
  const numerics::Profile profile = to_numerics(context.profile);
  const std::uint64_t columns16 = ceil_div(o.n, 16);
  const std::uint8_t* tile = context.buffers.at(isa::Space::l0c, head.src0, columns16 * o.src_rows * 64);
  const bool per_column = is_per_column(o.quant);
  // Quantisation words come from FB, or from UB where the vector pipe empties L0C.
  const isa::Space word_space = o.dst == isa::Space::ub ? isa::Space::ub : isa::Space::fb;
  const std::uint8_t* words = per_column ? context.buffers.at(word_space, head.src1, o.n * 8ull) : nullptr;
  StagedWrite write;
  write.address = context.arena_base + head.dst;
  write.rows = static_cast<std::uint32_t>(layout.rows);
  write.row_bytes = static_cast<Bytes>(layout.row_bytes);
  write.row_pitch = o.dst_pitch;
  write.bytes.assign(layout.rows * layout.row_bytes, 0);
  for (std::uint64_t j = 0; j < o.n; ++j) {
    std::uint64_t word = o.quant_word;
    if (per_column) std::memcpy(&word, words + j * 8, 8);
    for (std::uint64_t i = 0; i < o.m; ++i) {
      std::uint32_t raw;
      std::memcpy(&raw, tile + ((j / 16) * o.src_rows + i) * 64 + (j % 16) * 4, 4);
      const std::uint32_t bits = convert(o, profile, raw, word);
      std::memcpy(write.bytes.data() + layout.offset(o, i, j), &bits, layout.element_bytes);
    }
  }
  if (mask.any()) corrupt(mask, layout.element_bytes, write.bytes.data(), write.bytes.size());
  return write;
}

void apply_fixpipe(const EffectContext& context, const isa::Instruction& head, const isa::FixpipeOperands& operands,
                   const ResultMask& mask) {
  const StagedWrite tile = convert_tile(context, head, operands, mask);
  for (std::uint32_t row = 0; row < tile.rows; ++row) {
    std::memcpy(context.buffers.at(operands.dst, head.dst + row * tile.row_pitch, tile.row_bytes),
                tile.bytes.data() + row * static_cast<std::size_t>(tile.row_bytes), tile.row_bytes);
  }
}

}  // namespace npulab::cores
