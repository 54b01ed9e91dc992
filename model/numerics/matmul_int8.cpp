// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/matmul_int8.h"

#include <algorithm>
#include <cstring>

#include "model/numerics/matmul_int8_kernels.h"

namespace npulab::numerics {
namespace {

using ColumnFunction = void (*)(const FractalColumn&);

/// Null for a kernel that this processor cannot run.
ColumnFunction function_of(MatmulKernel kernel) {
  switch (kernel) {
    case MatmulKernel::scalar: return multiply_column_scalar;
#if defined(__x86_64__)
    case MatmulKernel::avx2: return __builtin_cpu_supports("avx2") ? multiply_column_avx2 : nullptr;
    case MatmulKernel::vnni:
      return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
                 ? multiply_column_vnni
                 : nullptr;
#endif
    default: return nullptr;
  }
}

ColumnFunction& chosen() {
  static ColumnFunction function = function_of(available_matmul_kernels().back());
  return function;
}

/// One product of fractals: 16 x 16 sums over 32 bytes of K.
template <typename Left, typename Right>
void multiply_fractal(const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c) {
  for (int i = 0; i < kFractalSide; ++i) {
    for (int j = 0; j < kFractalSide; ++j) {
      std::int32_t sum = 0;
      for (int d = 0; d < kFractalDepth; ++d) {
        sum += static_cast<Left>(a[i * kFractalDepth + d]) * static_cast<Right>(b[j * kFractalDepth + d]);
      }
      // Unsigned addition wraps as the accumulator does.
      std::int32_t& out = c[i * kFractalSide + j];
      out = static_cast<std::int32_t>(static_cast<std::uint32_t>(out) + static_cast<std::uint32_t>(sum));
    }
  }
}

template <typename Left, typename Right>
void multiply_column(const FractalColumn& column) {
  for (int m = 0; m < column.m1; ++m) {
    for (int k = 0; k < column.k1; ++k) {
      multiply_fractal<Left, Right>(column.a + m * column.a_step_m + k * column.a_step_k, column.b + k * column.b_step_k,
                                    column.c + m * kFractalResults);
    }
  }
}

}  // namespace

void multiply_column_scalar(const FractalColumn& column) {
  if (column.a_unsigned) {
    column.b_unsigned ? multiply_column<std::uint8_t, std::uint8_t>(column) : multiply_column<std::uint8_t, std::int8_t>(column);
  } else {
    column.b_unsigned ? multiply_column<std::int8_t, std::uint8_t>(column) : multiply_column<std::int8_t, std::int8_t>(column);
  }
}

const char* name_of(MatmulKernel kernel) {
  switch (kernel) {
    case MatmulKernel::scalar: return "scalar";
    case MatmulKernel::avx2: return "avx2";
    case MatmulKernel::vnni: return "vnni";
  }
  return "unknown";
}

std::vector<MatmulKernel> available_matmul_kernels() {
  std::vector<MatmulKernel> kernels;
  for (MatmulKernel kernel : {MatmulKernel::scalar, MatmulKernel::avx2, MatmulKernel::vnni}) {
    if (function_of(kernel) != nullptr) kernels.push_back(kernel);
  }
  return kernels;
}

bool select_matmul_kernel(MatmulKernel kernel) {
  const ColumnFunction function = function_of(kernel);
  if (function == nullptr) return false;
  chosen() = function;
  return true;
}

void matmul_int8(const MatmulShape& shape, const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c, bool accumulate) {
  const std::int64_t column_results = std::int64_t{shape.m1} * kFractalResults;
  if (!accumulate) std::memset(c, 0, static_cast<std::size_t>(shape.n1 * column_results) * sizeof(std::int32_t));
  const ColumnFunction multiply = chosen();
  FractalColumn column;
  column.a_step_m = shape.a_is_nz ? kFractalBytes : std::int64_t{shape.k1} * kFractalBytes;
  column.a_step_k = shape.a_is_nz ? std::int64_t{shape.m1} * kFractalBytes : kFractalBytes;
  column.b_step_k = std::int64_t{shape.n1} * kFractalBytes;
  column.m1 = shape.m1;
  column.a_unsigned = shape.a_unsigned;
  column.b_unsigned = shape.b_unsigned;
  for (int k = 0; k < shape.k1; k += kMaxDepth1) {
    column.k1 = std::min(kMaxDepth1, shape.k1 - k);
    column.a = a + k * column.a_step_k;
    for (int n = 0; n < shape.n1; ++n) {
      column.b = b + k * column.b_step_k + n * kFractalBytes;
      column.c = c + n * column_results;
      multiply(column);
    }
  }
}

}  // namespace npulab::numerics
