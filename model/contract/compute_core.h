// SPDX-License-Identifier: Apache-2.0
// What the device firmware sees of a core group (a fused core, or a cube core with its vector cores): give it one block of
// a kernel, hear when it is done, stop it. Engines implement this; firmware never sees pipes.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/units.h"

namespace npulab {

struct Kernel;

/// What one core group can run.
struct CoreGroupInfo {
  std::string path;  // configuration path, e.g. board.npu0.group3
  int cube_cores = 0;    // a fused core counts as one cube and one vector core sharing a dispatcher
  int vector_cores = 0;
  bool fused = false;
};

enum class BlockStatus : std::uint8_t { ok, aborted, memory_error, illegal_instruction, flag_overrun, core_fault };

/// One block of one kernel for one group. The kernel must outlive the block.
struct BlockLaunch {
  const Kernel* kernel = nullptr;
  std::uint32_t block = 0;
  std::uint64_t arena_base = 0;  // device address added to every GM address of the kernel (launch parameter 0)
  std::uint64_t task = 0;        // tag for traces and for grouping cross-core flags: blocks of one task share flags
  std::uint32_t task_groups = 1;  // number of groups that take part in this task at the same time
};

struct BlockResult {
  BlockStatus status = BlockStatus::ok;
  Picoseconds start_time = 0;
  Picoseconds end_time = 0;
  std::string error;  // names core, pipe and instruction when status is not ok
};

class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  /// Called at kernel time = result.end_time, after all effects of the block are visible.
  virtual void block_finished(int group, const BlockResult& result) = 0;
};

class ComputeCore {
 public:
  virtual ~ComputeCore() = default;
  virtual const CoreGroupInfo& info() const = 0;
  /// The group must be idle. The first instruction is dispatched at the first core clock edge strictly after now.
  virtual void start(const BlockLaunch& launch, BlockObserver& observer) = 0;
  /// Stops at now: effects up to now stay, later ones never happen, outstanding GM transfers are cancelled.
  /// The observer hears nothing more of this block.
  virtual void abort() = 0;
  virtual bool idle() const = 0;
  /// For deadlock reports: which core, pipe and flag each blocked pipe waits for; empty when idle.
  virtual std::string blocked_on() const = 0;
};

}  // namespace npulab
