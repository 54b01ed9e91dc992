// SPDX-License-Identifier: Apache-2.0
// How fast the simulator runs the benchmark's tile stream on every core of a board, timing only, without firmware.
#pragma once

#include <cstdint>

#include "model/spec/board_spec.h"
#include "model/trace/run_recorder.h"

namespace npulab::machine {

struct StreamMeasurement {
  double cpu_seconds = 0;
  std::int64_t instructions = 0;  // sets, waits and barriers not counted
  std::int64_t gm_moves = 0;
};

/// Runs in a child process, since SystemC elaborates once a process; all zero when the child failed.
StreamMeasurement measure_tile_stream(const BoardSpec& board, TraceLevel level, std::int64_t tiles);

}  // namespace npulab::machine
