// SPDX-License-Identifier: Apache-2.0
// A plain INT8 matrix product as a kernel engineer writes it: A row-major, B prepared in fractals, C = requantised int8 row-major,
// everything double-buffered in L1 and L0. Small on disk because its K loop is a loop.
#pragma once

#include "model/spec/soc_spec.h"
#include "model/task/workload.h"

namespace npulab::kernels {

struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// One task that multiplies; UserError when the shape is no multiple of the base tile (message names it).
/// Tensors: a [m,k], b [n-tile][k1][n1][16][32] fractals of the tile, c [m,n]; constants are not filled (timing) unless `seed` > 0.
Workload gemm_int8(const SocSpec& soc, const GemmShape& shape, std::uint32_t seed = 0);

/// Every cube core (or fused core) reads `bytes_per_core` of its own from GM into L1 in large pieces.
Workload gm_stream(const SocSpec& soc, std::int64_t bytes_per_core);

}  // namespace npulab::kernels
