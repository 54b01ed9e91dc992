// SPDX-License-Identifier: Apache-2.0
// Exact 8-bit matrix kernels on the hardware's fractal layouts, with a run-time choice of instruction set. Every kernel gives
// the same bits: products are exact and sums are int32 with wrap-around, whose order does not matter.
#pragma once

#include <cstdint>
#include <vector>

namespace npulab::numerics {

/// A is [m1][k1] fractals of 16(m) x 32(k) bytes (a_is_nz: [k1][m1]), B [k1][n1] of 16(n) x 32(k) bytes, C [n1][m1] of
/// 16 x 16 int32. Counts are fractals.
struct MatmulShape {
  int m1 = 0, k1 = 0, n1 = 0;
  bool a_is_nz = false;
  bool a_unsigned = false, b_unsigned = false;
};

enum class MatmulKernel : std::uint8_t { scalar, avx2, vnni };
const char* name_of(MatmulKernel kernel);

/// Kernels that this processor can run, slowest first.
std::vector<MatmulKernel> available_matmul_kernels();
/// For tests: use `kernel` from now on. False when the processor cannot.
bool select_matmul_kernel(MatmulKernel kernel);

/// C = A x B, or C += A x B when `accumulate`.
void matmul_int8(const MatmulShape& shape, const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c, bool accumulate);

/// One 16x16 result fractal over all of K: A fractals `a_step` bytes apart, B fractals `b_step` bytes apart.
struct FractalColumn {
  const std::uint8_t* a;
  const std::uint8_t* b;
  std::int64_t a_step, b_step;
  int k1;
  bool a_unsigned, b_unsigned;
};
void fractal_scalar(const FractalColumn& column, std::int32_t* c);
void fractal_avx2(const FractalColumn& column, std::int32_t* c);
void fractal_vnni(const FractalColumn& column, std::int32_t* c);

}  // namespace npulab::numerics
