// SPDX-License-Identifier: Apache-2.0
// What matmul_int8 hands to a kernel: one column of result fractals over a stretch of K short enough for buffers on the stack.
#pragma once

#include <cstdint>

namespace npulab::numerics {

inline constexpr int kFractalSide = 16;
inline constexpr int kFractalDepth = 32;
inline constexpr int kFractalBytes = kFractalSide * kFractalDepth;
inline constexpr int kFractalResults = kFractalSide * kFractalSide;
/// Largest k1 of a FractalColumn: 256 bytes of K, so that widened A and B share a first-level cache.
inline constexpr int kMaxDepth1 = 8;

/// Steps are bytes between fractals; the m1 result fractals lie one after another.
struct FractalColumn {
  const std::uint8_t* a = nullptr;
  const std::uint8_t* b = nullptr;
  std::int32_t* c = nullptr;
  std::int64_t a_step_m = 0, a_step_k = 0, b_step_k = 0;
  int m1 = 0, k1 = 0;
  bool a_unsigned = false, b_unsigned = false;
};

/// C += A x B in plain C++.
void multiply_column_scalar(const FractalColumn& column);
#if defined(__x86_64__)
/// The same with AVX2.
void multiply_column_avx2(const FractalColumn& column);
/// The same with AVX-512 VNNI.
void multiply_column_vnni(const FractalColumn& column);
#endif

}  // namespace npulab::numerics
