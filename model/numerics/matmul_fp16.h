// SPDX-License-Identifier: Apache-2.0
// fp16/bf16 matrix kernel on the hardware's fractal layouts with fp32 accumulation. Each result is ((c + a0 b0) + a1 b1) + ...
// with k ascending, every product and every sum rounded to fp32 on its own, c = +0 unless accumulating, so that the bits do not
// depend on the instruction set (any NaN counts as one value). How the chip orders its sums is not public.
#pragma once

#include <cstdint>

namespace npulab::numerics {

/// A is [m1][k1] fractals of 16(m) x 16(k) (a_is_nz: [k1][m1]), B [k1][n1] of 16(n) x 16(k), C [n1][m1] of 16 x 16 fp32.
struct MatmulFp16Shape {
  int m1 = 0, k1 = 0, n1 = 0;
  bool a_is_nz = false;
  bool bfloat = false;
};

/// Whether this processor has the wider vectors that `matmul_fp16` uses.
bool matmul_fp16_has_wide_vectors();

/// C = A x B, or C += A x B when `accumulate`; without `wide_vectors` only the baseline instructions, for tests.
void matmul_fp16(const MatmulFp16Shape& shape, const std::uint16_t* a, const std::uint16_t* b, float* c, bool accumulate,
                 bool wide_vectors = true);

}  // namespace npulab::numerics
