// SPDX-License-Identifier: Apache-2.0
// Building blocks of vector programs: double-buffered tiles (load, compute, store with the flags between them) and short
// names for counter-mode instructions. Dependent vector instructions are separated by a barrier, as the chip requires.
#pragma once

#include <cstring>
#include <functional>

#include "model/isa/program_builder.h"

namespace npulab::operators {

/// Runs `count` tiles through two sets of buffers: load (mte2) -> compute (v) -> store (mte3). `set` is 0 or 1.
struct TileStages {
  std::function<void(std::int64_t tile, int set)> load, compute, store;
};
void pipeline_tiles(isa::ProgramBuilder& program, std::int64_t count, const TileStages& stages);

/// Counter-mode vector instructions on UB addresses.
class VectorCode {
 public:
  explicit VectorCode(isa::ProgramBuilder& program) : program_(program) {}

  void cast(isa::DataType to, isa::DataType from, std::uint64_t dst, std::uint64_t src, std::uint32_t count,
            isa::RoundMode round = isa::RoundMode::none);
  void binary(isa::VectorOp op, isa::DataType type, std::uint64_t dst, std::uint64_t a, std::uint64_t b, std::uint32_t count);
  void scalar(isa::VectorOp op, isa::DataType type, std::uint64_t dst, std::uint64_t src, float value, std::uint32_t count);
  void unary(isa::VectorOp op, isa::DataType type, std::uint64_t dst, std::uint64_t src, std::uint32_t count);
  void fill(isa::DataType type, std::uint64_t dst, float value, std::uint32_t count);
  void emit(const isa::VectorOperands& operands, std::uint64_t dst, std::uint64_t a, std::uint64_t b = 0);

  /// 8-bit integers at `src` to fp32 at `dst`; `half` is room for as many fp16.
  void widen(isa::DataType from, std::uint64_t dst, std::uint64_t half, std::uint64_t src, std::uint32_t count);
  /// fp32 holding integers within the 8-bit range at `src` to 8-bit integers at `dst`.
  void narrow(isa::DataType to, std::uint64_t dst, std::uint64_t half, std::uint64_t src, std::uint32_t count);

  /// Operands of one operation of `repeats` full repeats with unit strides.
  static isa::VectorOperands full_repeats(isa::VectorOp op, isa::DataType type, int repeats);
  static std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }

 private:
  isa::ProgramBuilder& program_;
};

}  // namespace npulab::operators
