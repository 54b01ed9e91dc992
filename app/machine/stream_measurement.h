// SPDX-License-Identifier: Apache-2.0
// How fast the simulator runs a kernel on every core group of a board's first chip, timing only, without firmware.
#pragma once

#include <cstdint>

#include "model/isa/kernel.h"
#include "model/spec/board_spec.h"
#include "model/trace/run_recorder.h"

namespace npulab::machine {

struct StreamMeasurement {
  double cpu_seconds = 0;         // of the simulation
  double start_seconds = 0;       // of everything between the parsed files and simulated time zero
  std::int64_t instructions = 0;  // sets, waits and barriers not counted
  std::int64_t gm_moves = 0;
  std::int64_t peak_bytes = 0;    // most memory the process held
  Picoseconds end_time = 0;       // simulated
};

/// Runs in a child process, since SystemC elaborates once a process; all zero when the child failed. The kernel needs one block
/// for each core group it shall run on, at most as many as the chip has.
StreamMeasurement measure_stream(const BoardSpec& board, const Kernel& kernel, TraceLevel level);

}  // namespace npulab::machine
