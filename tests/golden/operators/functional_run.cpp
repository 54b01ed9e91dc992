// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/operators/functional_run.h"

#include <array>
#include <cstring>
#include <deque>
#include <stdexcept>

#include "model/isa/instruction_source.h"

namespace npulab::test {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Pipe;

constexpr std::size_t kQueueDepth = 32;

/// One core working on one block.
class CoreWalk {
 public:
  CoreWalk(const Kernel& kernel, int program, const isa::BlockBinding& block, cores::CoreEffects& effects)
      : kernel_(kernel), source_(kernel, program, block), effects_(effects) {
    effects_.bind(kernel, 0);
    more_ = source_.next(pending_);
  }

  /// One step somewhere; false when nothing can move. Pipes keep their turn for a while, so that one may run far ahead of another.
  bool step(std::mt19937& random) {
    if (random() % 16 == 0) {
      for (std::size_t i = order_.size() - 1; i > 0; --i) std::swap(order_[i], order_[random() % (i + 1)]);
    }
    if (random() % 4 != 0 && dispatch()) return true;
    for (const int pipe : order_) {
      if (pipe == static_cast<int>(Pipe::s) ? dispatch() : advance(static_cast<Pipe>(pipe))) return true;
    }
    return false;
  }

  bool finished() const {
    if (more_) return false;
    for (const auto& queue : queues_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

  void finish() {
    for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) settle(static_cast<Pipe>(pipe));
  }

 private:
  std::deque<Instruction>& queue(Pipe pipe) { return queues_[static_cast<int>(pipe)]; }

  bool all_empty() {
    for (auto& queue : queues_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

  bool dispatch() {
    if (!more_) return false;
    if (pending_.pipe == Pipe::s) {
      if (pending_.opcode == Opcode::pipe_barrier) {
        if (!all_empty()) return false;
        finish();
      } else if (!perform(pending_)) {
        return false;
      }
    } else {
      if (queue(pending_.pipe).size() >= kQueueDepth) return false;
      queue(pending_.pipe).push_back(pending_);
    }
    more_ = source_.next(pending_);
    return true;
  }

  bool advance(Pipe pipe) {
    if (queue(pipe).empty() || !perform(queue(pipe).front())) return false;
    queue(pipe).pop_front();
    return true;
  }

  /// Everything written by `pipe` so far is in GM.
  void settle(Pipe pipe) {
    for (const auto& write : staged_[static_cast<int>(pipe)]) effects_.commit(write);
    staged_[static_cast<int>(pipe)].clear();
  }

  std::uint32_t flag_key(int from, int to, int event) const { return static_cast<std::uint32_t>(from << 16 | to << 8 | event); }

  bool perform(const Instruction& head) {
    const int pipe = static_cast<int>(head.pipe);
    switch (head.opcode) {
      case Opcode::scalar: return true;
      case Opcode::set_flag:
        settle(head.pipe);
        if (flags_[flag_key(pipe, head.peer, head.event)]++ != 0) throw std::runtime_error(kernel_.name + ": a flag is set twice");
        return true;
      case Opcode::wait_flag: {
        int& flag = flags_[flag_key(head.peer, pipe, head.event)];
        if (flag == 0) return false;
        flag = 0;
        return true;
      }
      case Opcode::pipe_barrier: settle(head.pipe); return true;
      case Opcode::cross_set:
      case Opcode::cross_wait: throw std::runtime_error(kernel_.name + ": cross-core flags are not walked here");
      default: break;
    }
    if (isa::gm_access(kernel_.operands[head.operands]) == isa::GmAccess::write) staged_[pipe].push_back(effects_.sample(head));
    else effects_.apply(head);
    return true;
  }

  const Kernel& kernel_;
  isa::InstructionSource source_;
  cores::CoreEffects& effects_;
  Instruction pending_;
  bool more_ = false;
  std::deque<Instruction> queues_[isa::kPipeCount];
  std::vector<cores::StagedWrite> staged_[isa::kPipeCount];
  std::map<std::uint32_t, int> flags_;
  std::array<int, isa::kPipeCount> order_{0, 1, 2, 3, 4, 5, 6};
};

}  // namespace

void FlatMemory::read(std::uint64_t address, void* out, Bytes bytes) const {
  if (address + static_cast<std::uint64_t>(bytes) > bytes_.size()) throw std::runtime_error("a read leaves the arena");
  std::memcpy(out, bytes_.data() + address, static_cast<std::size_t>(bytes));
}

void FlatMemory::write(std::uint64_t address, const void* in, Bytes bytes) {
  if (address + static_cast<std::uint64_t>(bytes) > bytes_.size()) throw std::runtime_error("a write leaves the arena");
  std::memcpy(bytes_.data() + address, in, static_cast<std::size_t>(bytes));
}

FunctionalRun::FunctionalRun(const Workload& workload, const SocSpec& soc)
    : workload_(workload), soc_(soc), memory_(workload.arena_bytes) {
  for (const WorkloadTensor& tensor : workload.tensors) {
    if (!tensor.data.empty()) memory_.write(tensor.offset, tensor.data.data(), static_cast<Bytes>(tensor.data.size()));
  }
}

void FunctionalRun::set_input(std::size_t index, const std::vector<std::uint8_t>& data) {
  memory_.write(workload_.tensors[static_cast<std::size_t>(workload_.inputs[index])].offset, data.data(),
                static_cast<Bytes>(data.size()));
}

std::vector<std::uint8_t> FunctionalRun::bytes_of(const WorkloadTensor& tensor) {
  std::vector<std::uint8_t> bytes(tensor.bytes);
  memory_.read(tensor.offset, bytes.data(), static_cast<Bytes>(tensor.bytes));
  return bytes;
}

void FunctionalRun::run(std::uint32_t seed) {
  random_.seed(seed);
  for (const WorkloadTask& task : workload_.streams.front().tasks) {
    if (task.kind != WorkloadTask::Kind::kernel) continue;
    const Kernel& kernel = *workload_.kernels[static_cast<std::size_t>(task.kernel)];
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) run_block(kernel, kernel.blocks[block], block);
  }
}

cores::CoreEffects& FunctionalRun::core(std::size_t group, int which) {
  auto& effects = cores_[{group, which}];
  const CoreSpec& spec = which > 0 ? soc_.vector : soc_.cube_core();
  if (spec.clock_khz == 0) throw std::runtime_error("a block needs a core that the chip lacks");
  if (!effects) effects = std::make_unique<cores::CoreEffects>("core", spec, soc_.numerics, memory_);
  return *effects;
}

void FunctionalRun::run_block(const Kernel& kernel, const isa::BlockBinding& block, std::size_t group) {
  std::vector<std::unique_ptr<CoreWalk>> walks;
  const int programs[] = {block.cube, block.vector[0], block.vector[1]};
  for (int i = 0; i < 3; ++i) {
    if (programs[i] >= 0) walks.push_back(std::make_unique<CoreWalk>(kernel, programs[i], block, core(group, i)));
  }
  for (bool busy = true; busy;) {
    busy = false;
    bool moved = false;
    for (auto& walk : walks) {
      moved = walk->step(random_) || moved;
      busy = busy || !walk->finished();
    }
    if (busy && !moved) throw std::runtime_error(kernel.name + ": nothing can go on");
  }
  for (auto& walk : walks) walk->finish();
}

}  // namespace npulab::test
