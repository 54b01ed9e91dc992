// SPDX-License-Identifier: Apache-2.0
// The benchmark's kernel: a double-buffered stream of INT8 tiles through every pipe of a fused core, as one loop.
#pragma once

#include <cstdint>

#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::kernels {

/// One block a group of the SoC's first kind, `tiles` tiles each.
Kernel tile_stream(const SocSpec& soc, std::int64_t tiles);
/// Instructions of one block without sets and waits, and its GM moves.
std::int64_t tile_stream_instructions(std::int64_t tiles);
std::int64_t tile_stream_gm_moves(std::int64_t tiles);

}  // namespace npulab::kernels
