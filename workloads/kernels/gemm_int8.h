// SPDX-License-Identifier: Apache-2.0
// A plain matrix product (INT8, FP16, BF16) as a kernel engineer writes it: A row-major, B row-major by output column (as frameworks keep
// weights), C row-major, everything double-buffered in L1 and L0. Small on disk because its K loop is a loop.
// Tiles by `gemm_tiling`, taken by the cores in turn.
#pragma once

#include <cstdint>

#include "model/spec/soc_spec.h"
#include "model/task/workload.h"
#include "workloads/kernels/kernel_registry.h"

namespace npulab::kernels {

struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  isa::DataType type = isa::DataType::int8;  // of A and B
};

/// int8: rint(acc / 1024) saturated; int32: the accumulator as it is.
enum class GemmResult : std::uint8_t { int8, int32 };

/// One task that computes C = A B^T. Tensors: a [m,k], b [n,k], c [m,n]; a and b are random constants if `seed` > 0, else empty
/// (for timing). UserError when an extent is not within 1..65535 (what the loading instruction encodes).
Workload gemm_int8(const SocSpec& soc, const GemmShape& shape, GemmResult result = GemmResult::int8, std::uint32_t seed = 0);

KernelGenerator gemm_int8_generator();
/// The same program for the element types and results that FixPipe has.
KernelGenerator library_matmul_generator();

}  // namespace npulab::kernels
