// SPDX-License-Identifier: Apache-2.0
// A core group that takes a given time for a block and does nothing else, and kernels to match.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "model/contract/compute_core.h"
#include "model/isa/kernel.h"
#include "tests/unit/pcie/plain_timeline.h"

namespace npulab::test {

class PlainCore : public ComputeCore {
 public:
  struct Start {
    Picoseconds time;
    int group;
    std::uint32_t block;
    std::uint64_t task;
    std::uint64_t arena_base;
  };
  PlainCore(PlainTimeline& timeline, int index, int cubes, int vectors, bool fused, std::vector<Start>& log)
      : timeline_(timeline), index_(index), log_(log) {
    info_.path = "group" + std::to_string(index);
    info_.cube_cores = cubes;
    info_.vector_cores = vectors;
    info_.fused = fused;
  }
  const CoreGroupInfo& info() const override { return info_; }
  void start(const BlockLaunch& launch, BlockObserver& observer) override {
    if (busy_) throw std::logic_error("started while busy");
    busy_ = true;
    log_.push_back({timeline_.now(), index_, launch.block, launch.task, launch.arena_base});
    const std::uint64_t generation = ++generation_;
    timeline_.after(duration(launch), [this, &observer, generation, launch] {
      if (generation != generation_) return;
      busy_ = false;
      BlockResult result;
      result.status = status(launch);
      result.error = result.status == BlockStatus::ok ? "" : info_.path + " block " + std::to_string(launch.block) + " broke";
      result.end_time = timeline_.now();
      observer.block_finished(index_, result);
    });
  }
  void abort() override {
    ++generation_;
    ++aborts;
    busy_ = false;
  }
  bool idle() const override { return !busy_; }
  std::string blocked_on() const override { return busy_ ? info_.path + ": busy\n" : ""; }

  std::function<Picoseconds(const BlockLaunch&)> duration = [](const BlockLaunch&) { return Picoseconds{1'000'000}; };
  std::function<BlockStatus(const BlockLaunch&)> status = [](const BlockLaunch&) { return BlockStatus::ok; };
  int aborts = 0;

 private:
  PlainTimeline& timeline_;
  int index_;
  std::vector<Start>& log_;
  CoreGroupInfo info_;
  bool busy_ = false;
  std::uint64_t generation_ = 0;
};

enum class BlockKind { cube, vector, mixed };

/// `blocks` blocks of one kind; `together`: with a cross-core flag between groups.
inline Kernel plain_kernel(const std::string& name, int blocks, BlockKind kind, bool together = false) {
  Kernel kernel;
  kernel.name = name;
  kernel.op_type = "Test";
  kernel.programs.resize(2);
  if (together) {
    isa::ProgramOp op;
    op.head.opcode = isa::Opcode::cross_set;
    op.head.peer = 0;
    for (isa::Program& program : kernel.programs) program.ops.push_back(op);
  }
  for (int i = 0; i < blocks; ++i) {
    isa::BlockBinding binding;
    if (kind != BlockKind::vector) binding.cube = 0;
    if (kind != BlockKind::cube) binding.vector[0] = 1;
    kernel.blocks.push_back(binding);
  }
  return kernel;
}

}  // namespace npulab::test
