// SPDX-License-Identifier: Apache-2.0
// Everything the reports read about one finished (or interrupted) run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/isa/kernel.h"
#include "model/spec/board_spec.h"
#include "model/trace/run_recorder.h"

namespace npulab::report {

/// An input or expected-output file, for the manifest.
struct FileDigest {
  std::string path;
  std::string sha256;
  std::int64_t bytes = 0;
};

/// One output tensor after the last iteration.
struct OutputTensor {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

struct MemoryTotals {
  std::string path;
  Bytes read_bytes = 0, written_bytes = 0, hit_bytes = 0, miss_bytes = 0, writeback_bytes = 0;
};

struct RunResult {
  const BoardSpec* board = nullptr;
  const RunRecorder* recorder = nullptr;
  std::string workload;
  std::string mode;             // functional or timing
  bool interrupted = false;
  std::uint64_t seed = 0;
  int warmup = 0;
  Picoseconds ready_time = 0;   // trace time zero
  Picoseconds end_time = 0;
  std::vector<Picoseconds> iteration_times;  // of the measured iterations
  std::int64_t operations = 0;  // 2 x MACs of one iteration, as the network is written
  std::int64_t peak_ops_per_s = 0;
  std::map<std::uint64_t, const Kernel*> kernels;  // by task tag
  std::vector<OutputTensor> outputs;
  std::vector<FileDigest> files;
  std::vector<MemoryTotals> memories;
  std::vector<std::string> command_line;
  double wall_seconds = 0;      // for the terminal only, never for a file
  std::int64_t instructions = 0;
};

}  // namespace npulab::report
