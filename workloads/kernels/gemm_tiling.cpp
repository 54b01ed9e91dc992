// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gemm_tiling.h"

#include <algorithm>

#include "model/base/errors.h"
#include "model/isa/isa_limits.h"

namespace npulab::kernels {
namespace {

constexpr std::int64_t kLargest = 512, kFractal = isa::limits::kFractalRows, kBlock = isa::limits::kBlockBytes;
constexpr std::int64_t kStepBytes = 512, kStepsPerLoad = 4, kLoadBytes = 1024;  // of a row: enough for full bursts, no more

std::int64_t capacity(const CoreSpec& core, isa::Space space) { return core.buffers[static_cast<int>(space)].capacity; }

/// Lays out the buffers for tiles of m x n; false when they do not fit.
bool fit(const CoreSpec& core, const GemmShape& shape, std::int64_t result_bytes, GemmTiling& t) {
  const std::int64_t size = isa::size_of(shape.type), k_bytes = round_up(shape.k * size, kBlock);
  t.l1_half = capacity(core, isa::Space::l1) / 2 / kBlock * kBlock;
  t.l0_half = std::min(capacity(core, isa::Space::l0a), capacity(core, isa::Space::l0b)) / 2;
  t.l0c_bytes = t.m * t.n * 4;
  t.l0c_buffers = 2 * t.l0c_bytes <= capacity(core, isa::Space::l0c) ? 2 : 1;
  if (t.l0c_bytes > capacity(core, isa::Space::l0c)) return false;
  if (!core.fixpipe.present && t.m * round_up(t.n * result_bytes, kBlock) > capacity(core, isa::Space::ub)) return false;
  const std::int64_t step = std::min({kStepBytes, k_bytes, t.l0_half / std::max(t.m, t.n) / kBlock * kBlock});
  if (step == 0) return false;
  const std::int64_t most = std::min(kStepsPerLoad, std::max<std::int64_t>(2, kLoadBytes / step));
  const std::int64_t steps = std::min(most, t.l1_half / ((t.m + t.n) * step)) / 2 * 2;
  t.k = step / size;
  t.l1_k = std::max<std::int64_t>(steps, 1) * t.k;
  // A single step a load would not alternate the halves of L0 within a loop.
  return steps > 0 || (k_bytes <= step && (t.m + t.n) * step <= t.l1_half);
}

/// Rows of tiles for which a wave of `cores` tiles reads the fewest bytes.
std::int64_t best_window(const GemmTiling& t, std::int64_t rows, std::int64_t cores) {
  std::int64_t best = 1, fewest = kNeverCycles;
  for (std::int64_t window = 1; window <= std::min(rows, cores); ++window) {
    const std::int64_t panels = window * t.m + ceil_div(cores, window) * t.n;
    if (panels >= fewest) continue;
    fewest = panels;
    best = window;
  }
  return best;
}

/// Cycles of `core` in which a memory of that rate moves `bytes`.
std::int64_t memory_cycles(std::int64_t bytes, std::int64_t bytes_per_s, const CoreSpec& core) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * static_cast<double>(core.clock_khz) * 1000 / static_cast<double>(bytes_per_s));
}

/// Cycles of the busiest core: each tile as long as its slowest unit, the first load and a result nobody hides in addition.
std::int64_t estimate(const SocSpec& soc, int cores, const GemmShape& shape, std::int64_t result_bytes, const GemmTiling& t) {
  const CoreSpec& core = soc.cube_core();
  const CubeSpec& cube = core.cube;
  const std::int64_t size = isa::size_of(shape.type), k = round_up(shape.k, kBlock / size);
  const std::int64_t rows = ceil_div(shape.m, t.m), columns = ceil_div(shape.n, t.n), tiles = rows * columns;
  const std::int64_t waves = ceil_div(tiles, cores), busy = std::min<std::int64_t>(tiles, cores);
  const std::int64_t m16 = round_up(std::min(t.m, shape.m), kFractal), n16 = round_up(std::min(t.n, shape.n), kFractal);
  const std::int64_t steps = ceil_div(k, t.k), loads = ceil_div(k, t.l1_k);
  const std::int64_t compute = ceil_div(m16, cube.tile_m) * ceil_div(n16, cube.tile_n) *
                                   ceil_div(k, size == 1 ? cube.tile_k_int8 : cube.tile_k_fp16) + steps * cube.head_pipelined_cycles;
  const std::int64_t mte1 = cycles_for(m16 * k * size, core.mte1.l0a_rate) + cycles_for(n16 * k * size, core.mte1.l0b_rate);
  const std::int64_t bytes = (std::min(t.m, shape.m) + std::min(t.n, shape.n)) * k * size;
  const std::int64_t port = std::max(cycles_for(bytes, core.gm_read_rate),
                                     loads * ((m16 + n16) * core.nd2nz_row_min_cycles_x1000 / 1000));
  const std::int64_t l2 = memory_cycles(bytes * busy, soc.memory.l2.read_bytes_per_s, core);
  const std::int64_t whole = (shape.m + shape.n) * k * size;
  const std::int64_t panels = (t.window * t.m + ceil_div(busy, t.window) * t.n) * k * size * waves;
  const std::int64_t from_hbm = whole <= soc.memory.l2.capacity ? whole : std::max(whole, panels);
  const std::int64_t hbm = memory_cycles(from_hbm + shape.m * shape.n * result_bytes, soc.memory.hbm.sustained_bytes_per_s, core);
  const std::int64_t out = core.fixpipe.present ? m16 * n16 / core.fixpipe.elements_per_cycle_gm
                                                : cycles_for(m16 * n16 * 4, core.vector.l0c_to_ub_rate);
  const std::int64_t tile = std::max({compute, mte1, port, l2, out});
  const std::int64_t exposed = t.l0c_buffers == 2 ? out : waves * out;
  return std::max(waves * tile, hbm) + exposed + port / loads;
}

}  // namespace

TilePlace tile_place(std::int64_t index, std::int64_t rows, std::int64_t columns, std::int64_t window) {
  const std::int64_t band = index / (window * columns), first = band * window, height = std::min(window, rows - first);
  const std::int64_t within = index - first * columns, column = within / height;
  return {first + within % height, band % 2 == 0 ? column : columns - 1 - column};
}

GemmTiling tile_gemm(const SocSpec& soc, int cores, const GemmShape& shape, std::int64_t result_bytes) {
  GemmTiling best;
  std::int64_t shortest = kNeverCycles;
  const std::int64_t most_m = std::min(kLargest, round_up(shape.m, kFractal)), most_n = std::min(kLargest, round_up(shape.n, kFractal));
  for (std::int64_t m = most_m; m >= kFractal; m -= kFractal) {
    for (std::int64_t n = most_n; n >= kFractal; n -= kFractal) {
      GemmTiling t;
      t.m = m;
      t.n = n;
      if (!fit(soc.cube_core(), shape, result_bytes, t)) continue;
      t.window = best_window(t, ceil_div(shape.m, m), cores);
      const std::int64_t cycles = estimate(soc, cores, shape, result_bytes, t);
      if (cycles >= shortest) continue;
      shortest = cycles;
      best = t;
    }
  }
  if (shortest == kNeverCycles)
    throw UserError("gemm: expected a chip whose buffers hold a tile of 16 x 16 results, found smaller ones");
  return best;
}

}  // namespace npulab::kernels
