// SPDX-License-Identifier: Apache-2.0
// Bytes are widened to 16 bits and multiplied in pairs into 32 bits, which is exact: a sum of two products is below 2^17. (The
// instruction that multiplies bytes directly saturates its pairs at 16 bits and would be wrong for uint8 times int8.)
#include "model/numerics/matmul_int8_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace npulab::numerics {
namespace {

#define NPULAB_AVX2 __attribute__((target("avx2")))

constexpr int kStep = 16;                          // 16-bit values in a vector
constexpr int kStepValues = kFractalSide * kStep;  // one step of K of all 16 rows

/// A fractal in 16-bit values as [step of K][row][16], so that the inner loop below has one stride.
NPULAB_AVX2 void widen_fractal(const std::uint8_t* bytes, bool is_unsigned, std::int16_t* out) {
  for (int row = 0; row < kFractalSide; ++row) {
    for (int step = 0; step < kFractalDepth / kStep; ++step) {
      const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + row * kFractalDepth + step * kStep));
      const __m256i wide = is_unsigned ? _mm256_cvtepu8_epi16(raw) : _mm256_cvtepi8_epi16(raw);
      _mm256_store_si256(reinterpret_cast<__m256i*>(out + step * kStepValues + row * kStep), wide);
    }
  }
}

NPULAB_AVX2 inline __m256i load(const std::int16_t* values) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(values));
}

/// Adds the lane sums of four vectors to four neighbouring results.
NPULAB_AVX2 inline void add_lane_sums(__m256i s0, __m256i s1, __m256i s2, __m256i s3, std::int32_t* c) {
  const __m256i halves = _mm256_hadd_epi32(_mm256_hadd_epi32(s0, s1), _mm256_hadd_epi32(s2, s3));
  const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
  __m128i* out = reinterpret_cast<__m128i*>(c);
  _mm_storeu_si128(out, _mm_add_epi32(_mm_loadu_si128(out), sums));
}

/// Two rows by four columns of a result fractal; `a` at the first row, `b` at the first column, both widened.
NPULAB_AVX2 inline void multiply_tile(const std::int16_t* a, const std::int16_t* b, int steps, std::int32_t* c) {
  __m256i s00 = _mm256_setzero_si256(), s01 = s00, s02 = s00, s03 = s00, s10 = s00, s11 = s00, s12 = s00, s13 = s00;
  for (int step = 0; step < steps; ++step, a += kStepValues, b += kStepValues) {
    const __m256i a0 = load(a), a1 = load(a + kStep);
    const __m256i b0 = load(b), b1 = load(b + kStep), b2 = load(b + 2 * kStep), b3 = load(b + 3 * kStep);
    s00 = _mm256_add_epi32(s00, _mm256_madd_epi16(a0, b0));
    s10 = _mm256_add_epi32(s10, _mm256_madd_epi16(a1, b0));
    s01 = _mm256_add_epi32(s01, _mm256_madd_epi16(a0, b1));
    s11 = _mm256_add_epi32(s11, _mm256_madd_epi16(a1, b1));
    s02 = _mm256_add_epi32(s02, _mm256_madd_epi16(a0, b2));
    s12 = _mm256_add_epi32(s12, _mm256_madd_epi16(a1, b2));
    s03 = _mm256_add_epi32(s03, _mm256_madd_epi16(a0, b3));
    s13 = _mm256_add_epi32(s13, _mm256_madd_epi16(a1, b3));
  }
  add_lane_sums(s00, s01, s02, s03, c);
  add_lane_sums(s10, s11, s12, s13, c + kFractalSide);
}

}  // namespace

NPULAB_AVX2 void multiply_column_avx2(const FractalColumn& column) {
  alignas(32) std::int16_t a[kMaxDepth1 * kFractalBytes];
  alignas(32) std::int16_t b[kMaxDepth1 * kFractalBytes];
  const int steps = column.k1 * (kFractalDepth / kStep);
  for (int k = 0; k < column.k1; ++k) widen_fractal(column.b + k * column.b_step_k, column.b_unsigned, b + k * kFractalBytes);
  for (int m = 0; m < column.m1; ++m) {
    const std::uint8_t* rows = column.a + m * column.a_step_m;
    for (int k = 0; k < column.k1; ++k) widen_fractal(rows + k * column.a_step_k, column.a_unsigned, a + k * kFractalBytes);
    std::int32_t* c = column.c + m * kFractalResults;
    for (int i = 0; i < kFractalSide; i += 2) {
      for (int j = 0; j < kFractalSide; j += 4) {
        multiply_tile(a + i * kStep, b + j * kStep, steps, c + i * kFractalSide + j);
      }
    }
  }
}

}  // namespace npulab::numerics
#endif
