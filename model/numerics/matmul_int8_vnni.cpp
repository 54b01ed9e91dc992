// SPDX-License-Identifier: Apache-2.0
// The dot-product instruction multiplies unsigned by signed bytes into 32 bits without saturation. Signed A becomes unsigned
// by adding 128 and unsigned B signed by taking 128 off, both by flipping the top bit. With au = a + da and bs = b - db:
//   sum(a b) = sum(au bs) - da sum(bs) + db sum(a),   sum(a) = sum(au) - da K,
// exact in int32 with wrap-around. The corrections are the accumulators' starting values.
#include "model/numerics/matmul_int8_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

namespace npulab::numerics {
namespace {

#define NPULAB_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2")))

constexpr int kGroup = 4;                           // bytes of K that one lane multiplies at once
constexpr int kGroups = kFractalDepth / kGroup;     // groups in a fractal
constexpr int kGroupBytes = kFractalSide * kGroup;  // one group of all 16 columns is one vector

/// Flips the top bit of every byte of a fractal, or copies it.
NPULAB_VNNI void flip_fractal(const std::uint8_t* bytes, bool flip, std::uint8_t* out) {
  const __m512i mask = _mm512_set1_epi8(static_cast<char>(flip ? 0x80 : 0));
  for (int i = 0; i < kFractalBytes; i += 64) {
    _mm512_storeu_si512(out + i, _mm512_xor_si512(_mm512_loadu_si512(bytes + i), mask));
  }
}

/// B's fractals as [k1][group][column] of four bytes.
NPULAB_VNNI void pack_columns(const FractalColumn& column, std::uint8_t* out) {
  const __m512i mask = _mm512_set1_epi8(static_cast<char>(column.b_unsigned ? 0x80 : 0));
  const __m512i rows = _mm512_set_epi32(120, 112, 104, 96, 88, 80, 72, 64, 56, 48, 40, 32, 24, 16, 8, 0);
  for (int k = 0; k < column.k1; ++k) {
    for (int g = 0; g < kGroups; ++g) {
      const std::uint8_t* group = column.b + k * column.b_step_k + g * kGroup;
      const __m512i values = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, rows, group, kGroup);
      _mm512_storeu_si512(out + (k * kGroups + g) * kGroupBytes, _mm512_xor_si512(values, mask));
    }
  }
}

/// Minus 128 times the sum of each column of B.
NPULAB_VNNI __m512i column_correction(const std::uint8_t* b, int k1) {
  const __m512i all_128 = _mm512_set1_epi8(static_cast<char>(0x80));
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < k1 * kGroups; ++i) sum = _mm512_dpbusd_epi32(sum, all_128, _mm512_loadu_si512(b + i * kGroupBytes));
  return _mm512_sub_epi32(_mm512_setzero_si512(), sum);
}

/// 128 times the sum of one row of A; `a` holds its bytes as unsigned, `added` too much each.
NPULAB_VNNI std::int32_t row_correction(const std::uint8_t* a, int k1, int added) {
  __m256i lanes = _mm256_setzero_si256();
  for (int k = 0; k < k1; ++k) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + k * kFractalBytes));
    lanes = _mm256_dpbusd_epi32(lanes, bytes, _mm256_set1_epi8(1));
  }
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return 128 * (_mm_cvtsi128_si32(sum) - added * kFractalDepth * k1);
}

NPULAB_VNNI inline __m512i broadcast_group(const std::uint8_t* bytes) {
  std::int32_t group;
  std::memcpy(&group, bytes, sizeof group);
  return _mm512_set1_epi32(group);
}

/// Four rows of a result fractal, starting from `start` of each row.
NPULAB_VNNI inline void multiply_rows(const std::uint8_t* a, const std::uint8_t* b, int k1, const __m512i* start,
                                      std::int32_t* c) {
  __m512i s0 = start[0], s1 = start[1], s2 = start[2], s3 = start[3];
  for (int k = 0; k < k1; ++k, a += kFractalBytes) {
    for (int g = 0; g < kGroups; ++g, b += kGroupBytes) {
      const __m512i columns = _mm512_loadu_si512(b);
      const std::uint8_t* row = a + g * kGroup;
      s0 = _mm512_dpbusd_epi32(s0, broadcast_group(row), columns);
      s1 = _mm512_dpbusd_epi32(s1, broadcast_group(row + kFractalDepth), columns);
      s2 = _mm512_dpbusd_epi32(s2, broadcast_group(row + 2 * kFractalDepth), columns);
      s3 = _mm512_dpbusd_epi32(s3, broadcast_group(row + 3 * kFractalDepth), columns);
    }
  }
  _mm512_storeu_si512(c, _mm512_add_epi32(_mm512_loadu_si512(c), s0));
  _mm512_storeu_si512(c + 16, _mm512_add_epi32(_mm512_loadu_si512(c + 16), s1));
  _mm512_storeu_si512(c + 32, _mm512_add_epi32(_mm512_loadu_si512(c + 32), s2));
  _mm512_storeu_si512(c + 48, _mm512_add_epi32(_mm512_loadu_si512(c + 48), s3));
}

}  // namespace

NPULAB_VNNI void multiply_column_vnni(const FractalColumn& column) {
  alignas(64) std::uint8_t a[kMaxDepth1 * kFractalBytes];
  alignas(64) std::uint8_t b[kMaxDepth1 * kFractalBytes];
  pack_columns(column, b);
  const int added = column.a_unsigned ? 0 : 128;
  const __m512i column_start = column.a_unsigned ? _mm512_setzero_si512() : column_correction(b, column.k1);
  for (int m = 0; m < column.m1; ++m) {
    const std::uint8_t* rows = column.a + m * column.a_step_m;
    for (int k = 0; k < column.k1; ++k) flip_fractal(rows + k * column.a_step_k, !column.a_unsigned, a + k * kFractalBytes);
    for (int i = 0; i < kFractalSide; i += 4) {
      __m512i start[4] = {column_start, column_start, column_start, column_start};
      for (int row = 0; column.b_unsigned && row < 4; ++row) {
        const std::int32_t correction = row_correction(a + (i + row) * kFractalDepth, column.k1, added);
        start[row] = _mm512_add_epi32(start[row], _mm512_set1_epi32(correction));
      }
      multiply_rows(a + i * kFractalDepth, b, column.k1, start, column.c + m * kFractalResults + i * kFractalSide);
    }
  }
}

}  // namespace npulab::numerics
#endif
