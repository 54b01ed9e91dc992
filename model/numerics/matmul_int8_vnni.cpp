// SPDX-License-Identifier: Apache-2.0
// The dot-product instruction multiplies unsigned by signed bytes. Signed A becomes unsigned by adding 128, unsigned B signed
// by taking 128 off; what that adds to the sum is a multiple of the plain sums of A and B, which is taken out again. All of it
// is exact in int32 with wrap-around.
#include <immintrin.h>

#include "model/numerics/matmul_int8.h"

namespace npulab::numerics {
namespace {

#define NPULAB_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2")))

NPULAB_VNNI inline __m256i load(const std::uint8_t* bytes) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)); }

NPULAB_VNNI inline std::int32_t add_lanes(__m256i v) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

}  // namespace

NPULAB_VNNI void fractal_vnni(const FractalColumn& column, std::int32_t* c) {
  const __m256i offset = _mm256_set1_epi8(static_cast<char>(0x80));
  const __m256i ones_unsigned = _mm256_set1_epi8(1);
  // au = a + da with da = 128 for signed A, bs = b - db with db = 128 for unsigned B:
  // sum(a b) = sum(au bs) + db sum(au) - da sum(bs) - da db 32 k1.
  const std::int32_t da = column.a_unsigned ? 0 : 128, db = column.b_unsigned ? 128 : 0;
  for (int j = 0; j < 16; ++j) {
    __m256i b_sum = _mm256_setzero_si256();
    for (int k = 0; k < column.k1; ++k) {
      __m256i b = load(column.b + k * column.b_step + j * 32);
      if (column.b_unsigned) b = _mm256_xor_si256(b, offset);
      b_sum = _mm256_dpbusd_epi32(b_sum, ones_unsigned, b);
    }
    const std::uint32_t b_total = static_cast<std::uint32_t>(add_lanes(b_sum));
    for (int i = 0; i < 16; ++i) {
      __m256i sum = _mm256_setzero_si256(), a_sum = _mm256_setzero_si256();
      for (int k = 0; k < column.k1; ++k) {
        __m256i a = load(column.a + k * column.a_step + i * 32);
        __m256i b = load(column.b + k * column.b_step + j * 32);
        if (!column.a_unsigned) a = _mm256_xor_si256(a, offset);
        if (column.b_unsigned) b = _mm256_xor_si256(b, offset);
        sum = _mm256_dpbusd_epi32(sum, a, b);
        if (db != 0) a_sum = _mm256_dpbusd_epi32(a_sum, a, ones_unsigned);
      }
      const std::uint32_t a_total = db != 0 ? static_cast<std::uint32_t>(add_lanes(a_sum)) : 0;
      const std::uint32_t value = static_cast<std::uint32_t>(add_lanes(sum)) + static_cast<std::uint32_t>(db) * a_total -
                                  static_cast<std::uint32_t>(da) * b_total -
                                  static_cast<std::uint32_t>(da * db) * 32u * static_cast<std::uint32_t>(column.k1);
      std::int32_t& out = c[i * 16 + j];
      out = static_cast<std::int32_t>(static_cast<std::uint32_t>(out) + value);
    }
  }
}

}  // namespace npulab::numerics
