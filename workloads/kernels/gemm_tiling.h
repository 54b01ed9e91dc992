// SPDX-License-Identifier: Apache-2.0
// Tile sizes of a matrix product for one chip: of all that fit the buffers, the one with the shortest time by the rates of cube,
// MTE1, port, L2, HBM and FixPipe.
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
  std::int64_t window = 1;    // rows of tiles that are walked together
};

struct TilePlace {
  std::int64_t row = 0, column = 0;
};

/// Where tile `index` lies when tiles are taken window by window, down its rows first, columns forth and back by turns.
TilePlace tile_place(std::int64_t index, std::int64_t rows, std::int64_t columns, std::int64_t window);

/// UserError when not even the smallest tile fits the buffers. `result_bytes`: of an element of C. Of equal times the tile with
/// more rows wins, then the one with more columns.
GemmTiling tile_gemm(const SocSpec& soc, int cores, const GemmShape& shape, std::int64_t result_bytes);

}  // namespace npulab::kernels
