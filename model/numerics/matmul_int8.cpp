// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/matmul_int8.h"

#include <cstring>

namespace npulab::numerics {
namespace {

constexpr std::int64_t kFractalBytes = 512;
constexpr int kSide = 16;
constexpr int kDepth = 32;

using FractalFunction = void (*)(const FractalColumn&, std::int32_t*);

bool can_run(MatmulKernel kernel) {
  switch (kernel) {
    case MatmulKernel::scalar: return true;
    case MatmulKernel::avx2: return __builtin_cpu_supports("avx2") != 0;
    default: return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  }
}

FractalFunction function_of(MatmulKernel kernel) {
  return kernel == MatmulKernel::scalar ? fractal_scalar : kernel == MatmulKernel::avx2 ? fractal_avx2 : fractal_vnni;
}

FractalFunction& chosen() {
  static FractalFunction function = function_of(available_matmul_kernels().back());
  return function;
}

}  // namespace

const char* name_of(MatmulKernel kernel) {
  return kernel == MatmulKernel::scalar ? "scalar" : kernel == MatmulKernel::avx2 ? "avx2" : "vnni";
}

std::vector<MatmulKernel> available_matmul_kernels() {
  std::vector<MatmulKernel> kernels;
  for (MatmulKernel kernel : {MatmulKernel::scalar, MatmulKernel::avx2, MatmulKernel::vnni}) {
    if (can_run(kernel)) kernels.push_back(kernel);
  }
  return kernels;
}

bool select_matmul_kernel(MatmulKernel kernel) {
  if (!can_run(kernel)) return false;
  chosen() = function_of(kernel);
  return true;
}

void fractal_scalar(const FractalColumn& column, std::int32_t* c) {
  for (int k = 0; k < column.k1; ++k) {
    const std::uint8_t* a = column.a + k * column.a_step;
    const std::uint8_t* b = column.b + k * column.b_step;
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        std::int32_t sum = 0;
        for (int d = 0; d < kDepth; ++d) {
          const std::uint8_t x = a[i * kDepth + d], y = b[j * kDepth + d];
          const std::int32_t left = column.a_unsigned ? x : static_cast<std::int8_t>(x);
          const std::int32_t right = column.b_unsigned ? y : static_cast<std::int8_t>(y);
          sum += left * right;
        }
        // Unsigned addition wraps as the accumulator does.
        std::int32_t& out = c[i * kSide + j];
        out = static_cast<std::int32_t>(static_cast<std::uint32_t>(out) + static_cast<std::uint32_t>(sum));
      }
    }
  }
}

void matmul_int8(const MatmulShape& shape, const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c, bool accumulate) {
  const FractalFunction fractal = chosen();
  if (!accumulate) std::memset(c, 0, static_cast<std::size_t>(shape.m1) * shape.n1 * kSide * kSide * sizeof(std::int32_t));
  FractalColumn column{};
  column.a_step = shape.a_is_nz ? shape.m1 * kFractalBytes : kFractalBytes;
  column.b_step = shape.n1 * kFractalBytes;
  column.k1 = shape.k1;
  column.a_unsigned = shape.a_unsigned;
  column.b_unsigned = shape.b_unsigned;
  const std::int64_t a_row = shape.a_is_nz ? kFractalBytes : shape.k1 * kFractalBytes;
  for (int n = 0; n < shape.n1; ++n) {
    column.b = b + n * kFractalBytes;
    for (int m = 0; m < shape.m1; ++m) {
      column.a = a + m * a_row;
      fractal(column, c + (static_cast<std::int64_t>(n) * shape.m1 + m) * kSide * kSide);
    }
  }
}

}  // namespace npulab::numerics
