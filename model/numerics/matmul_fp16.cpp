// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/matmul_fp16.h"

#include <cstring>

#include "model/numerics/float16.h"

namespace npulab::numerics {
namespace {

constexpr int kSide = 16;
constexpr int kElements = kSide * kSide;

/// Inlined into callers compiled for different instruction sets.
#define NPULAB_INLINE __attribute__((always_inline)) inline

NPULAB_INLINE void widen_rows(const std::uint16_t* bits, bool bfloat, float* out) {
  if (bfloat) {
    for (int i = 0; i < kElements; ++i) out[i] = bf16_to_fp32(bits[i]);
  } else {
    for (int i = 0; i < kElements; ++i) out[i] = fp16_to_fp32(bits[i]);
  }
}

NPULAB_INLINE void transpose(const float* from, float* to) {
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) to[column * kSide + row] = from[row * kSide + column];
  }
}

// Neighbouring columns. Vector types of the compiler: element by element the operations of float, whatever the machine has.
typedef float FourLanes __attribute__((vector_size(16)));
typedef float EightLanes __attribute__((vector_size(32)));

template <typename Lanes>
NPULAB_INLINE void load(const float* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}

/// Four rows by two vectors of c += a x b for one pair of fractals, `b` as [k][n]. The sums are independent of each other, so
/// doing them side by side keeps the order within each.
template <typename Lanes>
NPULAB_INLINE void multiply_tile(const float* a, const float* b, float* c) {
  constexpr int kWidth = sizeof(Lanes) / sizeof(float);
  Lanes s00, s01, s10, s11, s20, s21, s30, s31, right0, right1;
  load(c, s00), load(c + kWidth, s01);
  load(c + kSide, s10), load(c + kSide + kWidth, s11);
  load(c + 2 * kSide, s20), load(c + 2 * kSide + kWidth, s21);
  load(c + 3 * kSide, s30), load(c + 3 * kSide + kWidth, s31);
  for (int d = 0; d < kSide; ++d, ++a, b += kSide) {
    load(b, right0), load(b + kWidth, right1);
    s00 += a[0] * right0, s01 += a[0] * right1;
    s10 += a[kSide] * right0, s11 += a[kSide] * right1;
    s20 += a[2 * kSide] * right0, s21 += a[2 * kSide] * right1;
    s30 += a[3 * kSide] * right0, s31 += a[3 * kSide] * right1;
  }
  const Lanes rows[4][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}};
  for (int row = 0; row < 4; ++row) std::memcpy(c + row * kSide, rows[row], sizeof rows[row]);
}

template <typename Lanes>
NPULAB_INLINE void multiply_fractals(const float* a, const float* b, float* c) {
  constexpr int kColumns = 2 * sizeof(Lanes) / sizeof(float);
  for (int i = 0; i < kSide; i += 4) {
    for (int j = 0; j < kSide; j += kColumns) multiply_tile<Lanes>(a + i * kSide, b + j, c + i * kSide + j);
  }
}

template <typename Lanes>
NPULAB_INLINE void multiply(const MatmulFp16Shape& shape, const std::uint16_t* a, const std::uint16_t* b, float* c) {
  float left[kElements], right[kElements], right_by_depth[kElements];
  for (std::int64_t n = 0; n < shape.n1; ++n) {
    for (std::int64_t k = 0; k < shape.k1; ++k) {
      widen_rows(b + (k * shape.n1 + n) * kElements, shape.bfloat, right);
      transpose(right, right_by_depth);
      for (std::int64_t m = 0; m < shape.m1; ++m) {
        const std::int64_t from = shape.a_is_nz ? k * shape.m1 + m : m * shape.k1 + k;
        widen_rows(a + from * kElements, shape.bfloat, left);
        multiply_fractals<Lanes>(left, right_by_depth, c + (n * shape.m1 + m) * kElements);
      }
    }
  }
}

void multiply_baseline(const MatmulFp16Shape& shape, const std::uint16_t* a, const std::uint16_t* b, float* c) {
  multiply<FourLanes>(shape, a, b, c);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void multiply_avx2(const MatmulFp16Shape& shape, const std::uint16_t* a, const std::uint16_t* b,
                                                   float* c) {
  multiply<EightLanes>(shape, a, b, c);
}
#endif

}  // namespace

bool matmul_fp16_has_wide_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

void matmul_fp16(const MatmulFp16Shape& shape, const std::uint16_t* a, const std::uint16_t* b, float* c, bool accumulate,
                 bool wide_vectors) {
  const std::size_t results = static_cast<std::size_t>(shape.m1) * static_cast<std::size_t>(shape.n1) * kElements;
  if (!accumulate) std::memset(c, 0, results * sizeof(float));
#if defined(__x86_64__)
  if (wide_vectors && matmul_fp16_has_wide_vectors()) return multiply_avx2(shape, a, b, c);
#endif
  static_cast<void>(wide_vectors);
  multiply_baseline(shape, a, b, c);
}

}  // namespace npulab::numerics
