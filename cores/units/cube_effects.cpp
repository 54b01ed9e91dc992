// SPDX-License-Identifier: Apache-2.0
#include "cores/units/cube_effects.h"

#include <cstring>

#include "model/numerics/matmul_fp16.h"
#include "model/numerics/matmul_int8.h"

namespace npulab::cores {
namespace {

constexpr std::uint64_t kFractalSide = 16;
constexpr std::uint64_t kResultBytes = 4;

/// Copies `values` (n1 * 16 words of 4 bytes) into every row of an L0C tile [n1][m1][16][16].
void fill_rows(const std::uint8_t* values, std::uint8_t* tile, std::uint64_t m1, std::uint64_t n1) {
  const std::uint64_t row_bytes = kFractalSide * kResultBytes;
  for (std::uint64_t j = 0; j < n1; ++j) {
    for (std::uint64_t i = 0; i < m1 * kFractalSide; ++i) {
      std::memcpy(tile + (j * m1 * kFractalSide + i) * row_bytes, values + j * row_bytes, row_bytes);
    }
  }
}

}  // namespace

void apply_mmad(const EffectContext& context, const isa::Instruction& head, const isa::MmadOperands& operands,
                const ResultMask& mask) {
  const bool integer = isa::size_of(operands.a) == 1;
  const std::uint64_t k0 = integer ? 32 : 16;
  const std::uint64_t m1 = ceil_div(operands.m, 16), n1 = ceil_div(operands.n, 16), k1 = ceil_div(operands.k, k0);
  const std::uint64_t result_bytes = m1 * n1 * kFractalSide * kFractalSide * kResultBytes;
  const std::uint8_t* a = context.buffers.at(isa::Space::l0a, head.src0, m1 * k1 * 512);
  const std::uint8_t* b = context.buffers.at(isa::Space::l0b, head.src1 & 0xffffffffu, k1 * n1 * 512);
  std::uint8_t* c = context.buffers.at(isa::Space::l0c, head.dst, result_bytes);
  bool accumulate = operands.accumulate;
  if (operands.bias && !accumulate) {
    fill_rows(context.buffers.at(isa::Space::bt, head.src1 >> 32, n1 * kFractalSide * kResultBytes), c, m1, n1);
    accumulate = true;
  }
  if (integer) {
    numerics::MatmulShape shape;
    shape.m1 = static_cast<int>(m1);
    shape.k1 = static_cast<int>(k1);
    shape.n1 = static_cast<int>(n1);
    shape.a_is_nz = operands.a_k_outer;
    shape.a_unsigned = operands.a == isa::DataType::uint8;
    shape.b_unsigned = operands.b == isa::DataType::uint8;
    numerics::matmul_int8(shape, a, b, reinterpret_cast<std::int32_t*>(c), accumulate);
  } else {
    numerics::MatmulFp16Shape shape;
    shape.m1 = static_cast<int>(m1);
    shape.k1 = static_cast<int>(k1);
    shape.n1 = static_cast<int>(n1);
    shape.a_is_nz = operands.a_k_outer;
    shape.bfloat = operands.a == isa::DataType::bf16;
    numerics::matmul_fp16(shape, reinterpret_cast<const std::uint16_t*>(a), reinterpret_cast<const std::uint16_t*>(b),
                          reinterpret_cast<float*>(c), accumulate);
  }
  if (mask.any()) corrupt(mask, kResultBytes, c, result_bytes);
}

void apply_broadcast_bias(const EffectContext& context, const isa::Instruction& head, const isa::BroadcastOperands& operands,
                          const ResultMask& mask) {
  const std::uint64_t m1 = ceil_div(operands.m, 16), n1 = ceil_div(operands.n, 16);
  const std::uint64_t result_bytes = m1 * n1 * kFractalSide * kFractalSide * kResultBytes;
  const std::uint8_t* values = context.buffers.at(isa::Space::ub, head.src0, n1 * kFractalSide * kResultBytes);
  std::uint8_t* c = context.buffers.at(isa::Space::l0c, head.dst, result_bytes);
  fill_rows(values, c, m1, n1);
  if (mask.any()) corrupt(mask, kResultBytes, c, result_bytes);
}

}  // namespace npulab::cores
