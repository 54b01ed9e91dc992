// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/matmul_fp16.h"

#include <cstring>
#include <vector>

#include "model/numerics/float16.h"

namespace npulab::numerics {
namespace {

constexpr int kSide = 16;
constexpr std::int64_t kFractal = 256;

std::vector<float> widen(const std::uint16_t* bits, std::size_t count, bool bfloat) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = bfloat ? bf16_to_fp32(bits[i]) : fp16_to_fp32(bits[i]);
  return values;
}

/// c += a x b for one pair of fractals, k ascending.
void multiply_fractals(const float* a, const float* b, float* c) {
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      float sum = c[i * kSide + j];
      for (int d = 0; d < kSide; ++d) sum += a[i * kSide + d] * b[j * kSide + d];
      c[i * kSide + j] = sum;
    }
  }
}

}  // namespace

void matmul_fp16(const MatmulFp16Shape& shape, const std::uint16_t* a, const std::uint16_t* b, float* c, bool accumulate) {
  if (!accumulate) std::memset(c, 0, static_cast<std::size_t>(shape.m1) * shape.n1 * kFractal * sizeof(float));
  const std::vector<float> left = widen(a, static_cast<std::size_t>(shape.m1) * shape.k1 * kFractal, shape.bfloat);
  const std::vector<float> right = widen(b, static_cast<std::size_t>(shape.k1) * shape.n1 * kFractal, shape.bfloat);
  for (std::int64_t n = 0; n < shape.n1; ++n) {
    for (std::int64_t m = 0; m < shape.m1; ++m) {
      for (std::int64_t k = 0; k < shape.k1; ++k) {
        const std::int64_t from = shape.a_is_nz ? k * shape.m1 + m : m * shape.k1 + k;
        multiply_fractals(left.data() + from * kFractal, right.data() + (k * shape.n1 + n) * kFractal,
                          c + (n * shape.m1 + m) * kFractal);
      }
    }
  }
}

}  // namespace npulab::numerics
