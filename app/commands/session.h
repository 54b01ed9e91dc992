// SPDX-License-Identifier: Apache-2.0
// One workload on one device of a board, as a host program would run it: enumerate, wait for READY, allocate, copy constants,
// then for each iteration copy inputs, launch, copy outputs, synchronise. Nothing goes past driver and runtime.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/machine/machine.h"
#include "firmware/host/driver.h"
#include "firmware/host/runtime.h"
#include "model/task/workload.h"
#include "model/trace/run_recorder.h"

namespace npulab::commands {

struct SessionOptions {
  bool functional = true;
  int warmup = 0;
  int repeat = 1;
  std::function<bool()> keep_going = [] { return true; };
  /// Called on the host thread once the device is ready and constants are loaded, before the first iteration.
  std::function<void(machine::Machine&, int device)> prepared;
  /// Called after the run while the machine still stands.
  std::function<void()> finished;
};

struct SessionResult {
  Picoseconds ready_time = 0;
  Picoseconds end_time = 0;
  std::vector<Picoseconds> iteration_times;
  std::map<std::uint64_t, const Kernel*> kernels;   // by task tag
  std::vector<std::vector<std::uint8_t>> outputs;   // after the last iteration
  std::map<std::string, std::vector<std::uint8_t>> tensors;  // by name/layout as they lie on the device, when asked for
  bool interrupted = false;
  int device = 0;
};

/// Runs `workload` on logical device 0. `inputs` are the bytes of the workload's inputs in order. Throws SimulationError when the
/// machine fails.
SessionResult run_session(const BoardSpec& board, const Workload& workload, const std::vector<std::vector<std::uint8_t>>& inputs,
                          RunRecorder& recorder, const SessionOptions& options, bool keep_tensors = false);

/// BoardSpec::devices index of the driver's k-th device in order of discovery.
int device_of_discovery(const BoardSpec& board, int order);

}  // namespace npulab::commands
