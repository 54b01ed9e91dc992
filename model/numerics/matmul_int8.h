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

/// "scalar", "avx2" or "vnni".
const char* name_of(MatmulKernel kernel);

/// Kernels that this processor can run, slowest first; the last one is used unless `select_matmul_kernel` says otherwise.
std::vector<MatmulKernel> available_matmul_kernels();

/// Use `kernel` from now on, in the whole process; false, and nothing changes, when the processor cannot run it.
bool select_matmul_kernel(MatmulKernel kernel);

/// C = A x B, or C += A x B when `accumulate`; the three arrays must not overlap and need no alignment beyond their type's.
void matmul_int8(const MatmulShape& shape, const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c, bool accumulate);

}  // namespace npulab::numerics
