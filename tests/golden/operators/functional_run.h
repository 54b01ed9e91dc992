// SPDX-License-Identifier: Apache-2.0
// Runs a workload's kernels on unit effects without time: pipes of a core take turns in a random order that queues and flags
// allow, so a hand-over that a kernel forgot shows up as wrong bytes for some seed. GM writes appear as late as they may.
// Left out: time, cross-core flags (no lowering uses them), copies over PCIe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "cores/units/core_effects.h"
#include "model/spec/soc_spec.h"
#include "model/task/workload.h"

namespace npulab::test {

/// The arena as plain bytes.
class FlatMemory : public GlobalMemory {
 public:
  explicit FlatMemory(std::uint64_t bytes) : bytes_(bytes, 0) {}
  void read(std::uint64_t address, void* out, Bytes bytes) const override;
  void write(std::uint64_t address, const void* in, Bytes bytes) override;
  std::uint8_t* at(std::uint64_t address) { return bytes_.data() + address; }

 private:
  std::vector<std::uint8_t> bytes_;
};

class FunctionalRun {
 public:
  /// Constants are in memory afterwards; `workload` and `soc` must outlive the run.
  FunctionalRun(const Workload& workload, const SocSpec& soc);

  /// Runs every kernel of the first stream in order. Cores keep their local bytes from kernel to kernel.
  /// Throws std::runtime_error when a kernel locks up or needs a core that the chip lacks.
  void run(std::uint32_t seed);
  void set_input(std::size_t index, const std::vector<std::uint8_t>& data);
  std::vector<std::uint8_t> bytes_of(const WorkloadTensor& tensor);
  FlatMemory& memory() { return memory_; }

 private:
  void run_block(const Kernel& kernel, const isa::BlockBinding& block, std::size_t group);
  cores::CoreEffects& core(std::size_t group, int which);

  const Workload& workload_;
  const SocSpec& soc_;
  FlatMemory memory_;
  std::mt19937 random_;
  std::map<std::pair<std::size_t, int>, std::unique_ptr<cores::CoreEffects>> cores_;
};

}  // namespace npulab::test
