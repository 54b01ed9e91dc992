// SPDX-License-Identifier: Apache-2.0
// Bytes are widened to 16 bits and multiplied in pairs into 32 bits, which is exact: |sum of two products| < 2^17.
#include <immintrin.h>

#include "model/numerics/matmul_int8.h"

namespace npulab::numerics {
namespace {

#define NPULAB_AVX2 __attribute__((target("avx2")))

NPULAB_AVX2 inline __m256i widen(const std::uint8_t* bytes, bool is_unsigned) {
  const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return is_unsigned ? _mm256_cvtepu8_epi16(raw) : _mm256_cvtepi8_epi16(raw);
}

/// Sums of the eight lanes of each of eight vectors, in order.
NPULAB_AVX2 inline __m256i add_across(const __m256i* v) {
  const __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
  const __m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(v[4], v[5]), _mm256_hadd_epi32(v[6], v[7]));
  return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/// Eight columns of one row of the result fractal.
NPULAB_AVX2 inline void row_of_eight(const FractalColumn& column, int i, int first, std::int32_t* c) {
  __m256i sums[8];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (int k = 0; k < column.k1; ++k) {
    const std::uint8_t* a = column.a + k * column.a_step + i * 32;
    const std::uint8_t* b = column.b + k * column.b_step + first * 32;
    const __m256i a0 = widen(a, column.a_unsigned), a1 = widen(a + 16, column.a_unsigned);
    for (int j = 0; j < 8; ++j) {
      const __m256i p0 = _mm256_madd_epi16(a0, widen(b + j * 32, column.b_unsigned));
      const __m256i p1 = _mm256_madd_epi16(a1, widen(b + j * 32 + 16, column.b_unsigned));
      sums[j] = _mm256_add_epi32(sums[j], _mm256_add_epi32(p0, p1));
    }
  }
  __m256i* out = reinterpret_cast<__m256i*>(c + i * 16 + first);
  _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), add_across(sums)));
}

}  // namespace

NPULAB_AVX2 void fractal_avx2(const FractalColumn& column, std::int32_t* c) {
  for (int i = 0; i < 16; ++i) {
    row_of_eight(column, i, 0, c);
    row_of_eight(column, i, 8, c);
  }
}

}  // namespace npulab::numerics
