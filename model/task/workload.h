// SPDX-License-Identifier: Apache-2.0
// A workload ready to run: kernels, one device arena with a static memory plan, constants to copy in, and streams of tasks.
// Made by workloads/graph from a network or read from a folder written by `npulab lower`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/isa/kernel.h"

namespace npulab {

/// A tensor in the arena. Inputs and outputs are plain row-major arrays; `layout` says what intermediates look like.
struct WorkloadTensor {
  enum class Role { input, output, constant, intermediate };
  std::string name;
  Role role = Role::intermediate;
  isa::DataType type = isa::DataType::int8;
  std::vector<std::int64_t> shape;   // logical, e.g. NCHW
  std::string layout;                // "ND", "NC1HWC0", "NZ", ...
  std::uint64_t offset = 0;          // in the arena
  std::uint64_t bytes = 0;           // on the device
  std::vector<std::uint8_t> data;    // constants: `bytes` bytes in device layout
};

struct WorkloadTask {
  enum class Kind { kernel, copy_to_device, copy_to_host, event_record, event_wait };
  Kind kind = Kind::kernel;
  std::string name;
  int kernel = -1;    // index into Workload::kernels
  int tensor = -1;    // copies: index into Workload::tensors
  int event = -1;     // events: index, counted from 0
};

struct WorkloadStream {
  std::string name;
  std::vector<WorkloadTask> tasks;   // run every iteration, in order
};

struct Workload {
  std::string name;
  std::string target_soc;            // name of the SoC it was lowered for
  std::uint64_t arena_bytes = 0;
  std::vector<std::shared_ptr<const Kernel>> kernels;
  std::vector<WorkloadTensor> tensors;
  std::vector<int> inputs;           // tensor indices, in graph order
  std::vector<int> outputs;
  std::vector<WorkloadStream> streams;  // constants are copied once, before the first iteration
  std::int64_t operations = 0;       // 2 x MACs of the network as written
};

}  // namespace npulab
