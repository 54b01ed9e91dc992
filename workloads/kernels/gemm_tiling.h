// SPDX-License-Identifier: Apache-2.0
// Tile sizes of the INT8 matrix product for one chip: the pair that gives the shortest time by the cube's and the port's rates.
#pragma once

#include <cstdint>

#include "model/spec/soc_spec.h"
#include "workloads/kernels/gemm_int8.h"

namespace npulab::kernels {

struct GemmTiling {
  std::int64_t m = 0, n = 0;  // results a tile
  std::int64_t k = 0;         // columns of K a step
  std::int64_t l1_k = 0;      // columns of K a load: an even number of steps, or all there is
  std::int64_t l1_half = 0, l0_half = 0, l0c_bytes = 0;
  int l0c_buffers = 1;
};

/// UserError when not even the smallest tile fits the buffers. `result_bytes`: of an element of C.
GemmTiling tile_gemm(const CoreSpec& core, int cores, const GemmShape& shape, std::int64_t result_bytes);

}  // namespace npulab::kernels
