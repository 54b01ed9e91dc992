// SPDX-License-Identifier: Apache-2.0
// Every kernel that the processor can run against a triple loop over plain matrices, for full-range data.
#include "model/numerics/matmul_int8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace npulab::numerics {
namespace {

using ByteVector = std::vector<std::uint8_t>;
using ResultVector = std::vector<std::int32_t>;

struct Case {
  int m1, k1, n1;
};
// Single fractals, long and flat shapes, and depths around the stretch of K that kernels work on at once (8).
const Case kCases[] = {{1, 1, 1}, {1, 8, 1}, {3, 1, 2}, {2, 3, 1},  {1, 2, 5},
                       {3, 7, 2}, {2, 9, 2}, {2, 17, 3}, {7, 4, 1}, {1, 33, 2}};

enum class Data { random, lowest, highest, alternating };

std::uint8_t draw(Data data, std::mt19937& random) {
  switch (data) {
    case Data::lowest: return 0x80;   // -128, or 128 unsigned
    case Data::highest: return 0xff;  // -1, or 255 unsigned
    case Data::alternating: return (random() & 1) != 0 ? 0x80 : 0x7f;
    case Data::random: break;
  }
  return static_cast<std::uint8_t>(random());
}

/// A product in plain row-major matrices (b as [k][n]) and its operands in the hardware's layouts.
class Problem {
 public:
  Problem(const MatmulShape& shape, Data data, unsigned seed)
      : shape_(shape), m_(shape.m1 * 16), k_(shape.k1 * 32), n_(shape.n1 * 16), random_(seed) {
    a_.resize(size(m_, k_));
    b_.resize(size(k_, n_));
    for (std::uint8_t& value : a_) value = draw(data, random_);
    for (std::uint8_t& value : b_) value = draw(data, random_);
  }

  ByteVector a_layout() const {
    ByteVector layout(a_.size());
    for (int m = 0; m < m_; ++m) {
      for (int k = 0; k < k_; ++k) {
        const int fractal = shape_.a_is_nz ? (k / 32) * shape_.m1 + m / 16 : (m / 16) * shape_.k1 + k / 32;
        layout[at(fractal * 512 + (m % 16) * 32 + k % 32)] = a_[at(m * k_ + k)];
      }
    }
    return layout;
  }

  ByteVector b_layout() const {
    ByteVector layout(b_.size());
    for (int k = 0; k < k_; ++k) {
      for (int n = 0; n < n_; ++n) {
        layout[at(((k / 32) * shape_.n1 + n / 16) * 512 + (n % 16) * 32 + k % 32)] = b_[at(k * n_ + n)];
      }
    }
    return layout;
  }

  /// `start` plus the product, wrapped to 32 bits, in the result's layout.
  ResultVector expected(const ResultVector& start) const {
    ResultVector layout(start);
    for (int m = 0; m < m_; ++m) {
      for (int n = 0; n < n_; ++n) {
        std::int64_t sum = 0;
        for (int k = 0; k < k_; ++k) {
          sum += value(a_[at(m * k_ + k)], shape_.a_unsigned) * value(b_[at(k * n_ + n)], shape_.b_unsigned);
        }
        std::int32_t& out = layout[at(((n / 16) * shape_.m1 + m / 16) * 256 + (m % 16) * 16 + n % 16)];
        out = static_cast<std::int32_t>(static_cast<std::uint32_t>(out + sum));
      }
    }
    return layout;
  }

  ResultVector random_results() {
    ResultVector results(size(m_, n_));
    for (std::int32_t& result : results) result = static_cast<std::int32_t>(random_());
    return results;
  }

 private:
  static std::size_t size(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static std::int64_t value(std::uint8_t byte, bool is_unsigned) {
    return is_unsigned || byte < 128 ? std::int64_t{byte} : std::int64_t{byte} - 256;
  }

  MatmulShape shape_;
  int m_, k_, n_;
  std::mt19937 random_;
  ByteVector a_, b_;
};

class MatmulInt8 : public ::testing::TestWithParam<MatmulKernel> {
 protected:
  void SetUp() override {
    if (!select_matmul_kernel(GetParam())) GTEST_SKIP() << "this processor cannot run the " << name_of(GetParam()) << " kernel";
  }
  void TearDown() override { select_matmul_kernel(available_matmul_kernels().back()); }
};

void check(const MatmulShape& shape, Data data, unsigned seed) {
  Problem problem(shape, data, seed);
  const ByteVector a = problem.a_layout(), b = problem.b_layout();
  const ResultVector start = problem.random_results();
  ResultVector replaced(start), accumulated(start);
  matmul_int8(shape, a.data(), b.data(), replaced.data(), false);
  matmul_int8(shape, a.data(), b.data(), accumulated.data(), true);
  ASSERT_EQ(replaced, problem.expected(ResultVector(start.size(), 0)));
  ASSERT_EQ(accumulated, problem.expected(start));
}

TEST_P(MatmulInt8, EqualsTheTripleLoop) {
  unsigned seed = 0;
  for (const Case& sizes : kCases) {
    for (int flags = 0; flags < 8; ++flags) {
      const MatmulShape shape{sizes.m1, sizes.k1, sizes.n1, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
      for (Data data : {Data::random, Data::lowest, Data::highest, Data::alternating}) {
        SCOPED_TRACE(::testing::Message() << sizes.m1 << 'x' << sizes.k1 << 'x' << sizes.n1 << " flags " << flags << " data "
                                          << static_cast<int>(data));
        check(shape, data, ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(MatmulInt8, PairsOfUnsignedTimesSignedDoNotSaturate) {
  // 255 x -128, the case on which 16-bit pair sums fail: 32 products a fractal.
  const MatmulShape shape{1, 2, 1, false, true, false};
  const ByteVector a(2 * 512, 0xff), b(2 * 512, 0x80);
  ResultVector c(256, 1);
  matmul_int8(shape, a.data(), b.data(), c.data(), false);
  EXPECT_EQ(c, ResultVector(256, 64 * 255 * -128));
}

TEST_P(MatmulInt8, AccumulatorsWrapAround) {
  const MatmulShape shape{1, 1, 1};
  const ByteVector a(512, 0x80), b(512, 0x80);
  ResultVector c(256, 2147483647);
  matmul_int8(shape, a.data(), b.data(), c.data(), true);
  EXPECT_EQ(c, ResultVector(256, -2147483647 - 1 + 32 * 128 * 128 - 1));
}

TEST_P(MatmulInt8, UnalignedOperands) {
  const MatmulShape shape{2, 3, 2};
  Problem problem(shape, Data::random, 99);
  ByteVector a = problem.a_layout(), b = problem.b_layout();
  a.insert(a.begin(), 1, 0);
  b.insert(b.begin(), 3, 0);
  ResultVector c(4 * 256 + 1, -7);
  matmul_int8(shape, a.data() + 1, b.data() + 3, c.data() + 1, false);
  EXPECT_EQ(ResultVector(c.begin() + 1, c.end()), problem.expected(ResultVector(4 * 256, 0)));
  EXPECT_EQ(c[0], -7);
}

INSTANTIATE_TEST_SUITE_P(Kernels, MatmulInt8, ::testing::Values(MatmulKernel::scalar, MatmulKernel::avx2, MatmulKernel::vnni),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(MatmulInt8Selection, ScalarIsAlwaysThereAndDepthZeroClears) {
  const std::vector<MatmulKernel> kernels = available_matmul_kernels();
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels.front(), MatmulKernel::scalar);
  for (MatmulKernel kernel : {MatmulKernel::scalar, MatmulKernel::avx2, MatmulKernel::vnni}) {
    const bool listed = std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
    EXPECT_EQ(select_matmul_kernel(kernel), listed) << name_of(kernel);
  }
  select_matmul_kernel(kernels.back());
  ResultVector c(256, 5);
  matmul_int8({1, 0, 1}, nullptr, nullptr, c.data(), true);
  EXPECT_EQ(c, ResultVector(256, 5));
  matmul_int8({1, 0, 1}, nullptr, nullptr, c.data(), false);
  EXPECT_EQ(c, ResultVector(256, 0));
}

}  // namespace
}  // namespace npulab::numerics
