// SPDX-License-Identifier: Apache-2.0
// Bit for bit against a loop that follows the stated order of sums, with and without wide vectors.
#include "model/numerics/matmul_fp16.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "model/numerics/float16.h"

namespace npulab::numerics {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// A finite 16-bit float between 2^-8 and 2^8 in magnitude, so that sums cancel and round.
std::uint16_t draw(std::mt19937& random, bool bfloat) {
  const float value = (static_cast<float>(random() % 4096) - 2048.0f) / static_cast<float>(1 + random() % 256);
  return bfloat ? fp32_to_bf16(value) : fp32_to_fp16(value);
}

/// The defining loop on the layouts: products and sums in fp32, k ascending.
void reference(const MatmulFp16Shape& shape, const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b,
               std::vector<float>& c, bool accumulate) {
  const auto widen = [&shape](std::uint16_t bits) { return shape.bfloat ? bf16_to_fp32(bits) : fp16_to_fp32(bits); };
  for (int m = 0; m < shape.m1 * 16; ++m) {
    for (int n = 0; n < shape.n1 * 16; ++n) {
      float& out = c[index(((n / 16) * shape.m1 + m / 16) * 256 + (m % 16) * 16 + n % 16)];
      volatile float sum = accumulate ? out : 0.0f;
      for (int k = 0; k < shape.k1 * 16; ++k) {
        const int fractal = shape.a_is_nz ? (k / 16) * shape.m1 + m / 16 : (m / 16) * shape.k1 + k / 16;
        volatile float product = widen(a[index(fractal * 256 + (m % 16) * 16 + k % 16)]) *
                                 widen(b[index(((k / 16) * shape.n1 + n / 16) * 256 + (n % 16) * 16 + k % 16)]);
        sum = sum + product;
      }
      out = sum;
    }
  }
}

TEST(MatmulFp16, EqualsTheStatedOrder) {
  std::mt19937 random(21);
  const int sizes[][3] = {{1, 1, 1}, {2, 3, 1}, {1, 4, 3}, {3, 5, 2}, {1, 16, 1}};
  for (const auto& size : sizes) {
    for (int flags = 0; flags < 16; ++flags) {
      const MatmulFp16Shape shape{size[0], size[1], size[2], (flags & 1) != 0, (flags & 2) != 0};
      const bool accumulate = (flags & 4) != 0, wide = (flags & 8) != 0;
      std::vector<std::uint16_t> a(index(shape.m1 * shape.k1 * 256)), b(index(shape.k1 * shape.n1 * 256));
      for (std::uint16_t& value : a) value = draw(random, shape.bfloat);
      for (std::uint16_t& value : b) value = draw(random, shape.bfloat);
      std::vector<float> expected(index(shape.m1 * shape.n1 * 256), 0.3f), result(expected);
      reference(shape, a, b, expected, accumulate);
      matmul_fp16(shape, a.data(), b.data(), result.data(), accumulate, wide);
      ASSERT_EQ(std::memcmp(result.data(), expected.data(), result.size() * sizeof(float)), 0) << size[0] << ' ' << flags;
    }
  }
}

TEST(MatmulFp16, OrderIsVisible) {
  // 2^30, then its negative, then fourteen ones: any order that adds a one to 2^30 loses it.
  std::vector<std::uint16_t> a(256, 0x3c00), b(256, 0x3c00);
  for (int row = 0; row < 16; ++row) {
    a[index(row * 16)] = 0x7800;
    a[index(row * 16 + 1)] = 0x7800;
    b[index(row * 16)] = 0x7800;
    b[index(row * 16 + 1)] = 0xf800;
  }
  std::vector<float> c(256, 1.0f);
  matmul_fp16({1, 1, 1, false, false}, a.data(), b.data(), c.data(), false);
  EXPECT_EQ(c, std::vector<float>(256, 14.0f));
}

TEST(MatmulFp16, SmallIntegersAreExact) {
  std::vector<std::uint16_t> a(256), b(256);
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 16; ++k) {
      a[index(row * 16 + k)] = fp32_to_fp16(static_cast<float>(row - k));
      b[index(row * 16 + k)] = fp32_to_fp16(static_cast<float>(3 * row + k));
    }
  }
  std::vector<float> c(256);
  matmul_fp16({1, 1, 1, false, false}, a.data(), b.data(), c.data(), false);
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 16; ++n) {
      int sum = 0;
      for (int k = 0; k < 16; ++k) sum += (m - k) * (3 * n + k);
      EXPECT_EQ(c[index(m * 16 + n)], static_cast<float>(sum));
    }
  }
}

}  // namespace
}  // namespace npulab::numerics
