// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gemm_tiling.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::kernels {
namespace {

constexpr std::int64_t kRows[] = {128, 64, 32, 16}, kColumns[] = {256, 128, 64, 32};
constexpr std::int64_t kStep = 128, kStepsPerLoad = 4, kBlock = 32;

std::int64_t capacity(const CoreSpec& core, isa::Space space) { return core.buffers[static_cast<int>(space)].capacity; }

/// Lays out the buffers for tiles of m x n; false when they do not fit.
bool fit(const CoreSpec& core, const GemmShape& shape, std::int64_t result_bytes, GemmTiling& t) {
  t.l1_half = capacity(core, isa::Space::l1) / 2 / kBlock * kBlock;
  t.l0_half = std::min(capacity(core, isa::Space::l0a), capacity(core, isa::Space::l0b)) / 2;
  t.l0c_bytes = t.m * t.n * 4;
  t.l0c_buffers = 2 * t.l0c_bytes <= capacity(core, isa::Space::l0c) ? 2 : 1;
  if (t.l0c_bytes > capacity(core, isa::Space::l0c)) return false;
  if (!core.fixpipe.present && t.m * t.n * result_bytes > capacity(core, isa::Space::ub)) return false;
  const std::int64_t k = round_up(shape.k, kBlock);
  t.k = std::min({kStep, k, t.l0_half / std::max(t.m, t.n) / kBlock * kBlock});
  if (t.k == 0) return false;
  const std::int64_t steps = std::min(kStepsPerLoad, t.l1_half / ((t.m + t.n) * t.k)) / 2 * 2;
  t.l1_k = std::max<std::int64_t>(steps, 1) * t.k;
  // A single step a load would not alternate the halves of L0 within a loop.
  return steps > 0 || (k <= t.k && (t.m + t.n) * t.k <= t.l1_half);
}

/// Cycles of the busiest core, were cube and loads each to run without a pause.
std::int64_t estimate(const CoreSpec& core, int cores, const GemmShape& shape, const GemmTiling& t) {
  const std::int64_t tiles = ceil_div(shape.m, t.m) * ceil_div(shape.n, t.n), k = round_up(shape.k, kBlock);
  const CubeSpec& cube = core.cube;
  const std::int64_t steps = ceil_div(k, t.k);
  const std::int64_t compute = t.m / cube.tile_m * (t.n / cube.tile_n) * (k / cube.tile_k_int8) +
                               steps * cube.head_pipelined_cycles;
  const std::int64_t load = cycles_for((t.m + t.n) * k, core.gm_read_rate);
  return ceil_div(tiles, cores) * std::max(compute, load);
}

}  // namespace

GemmTiling tile_gemm(const CoreSpec& core, int cores, const GemmShape& shape, std::int64_t result_bytes) {
  GemmTiling best;
  std::int64_t shortest = kNeverCycles;
  for (std::int64_t m : kRows) {
    for (std::int64_t n : kColumns) {
      GemmTiling t;
      t.m = m;
      t.n = n;
      if (!fit(core, shape, result_bytes, t)) continue;
      const std::int64_t cycles = estimate(core, cores, shape, t);
      if (cycles >= shortest) continue;
      shortest = cycles;
      best = t;
    }
  }
  if (shortest == kNeverCycles)
    throw UserError("gemm: expected a chip whose buffers hold a tile of 16 x 32 results, found smaller ones");
  return best;
}

}  // namespace npulab::kernels
