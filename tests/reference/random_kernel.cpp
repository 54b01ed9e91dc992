// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/random_kernel.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "model/isa/program_builder.h"

namespace npulab::test {
namespace {

using isa::Pipe;
using isa::Space;

/// One step in which cores of a group or of all groups meet.
struct Round {
  int mode = 0;
  bool from_cube = false;  // mode 0: the side that takes part; mode 2: the side that sets
  int flag = 0;
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(limit)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

/// Builds the program of one core.
class CoreProgram {
 public:
  CoreProgram(const CoreSpec& core, isa::ProgramBuilder& program, isa::Variable write_base, Random& random)
      : core_(core), program_(program), write_base_(write_base), random_(random) {
    for (int pipe = 1; pipe < isa::kPipeCount; ++pipe) {
      if (core.dispatch.queue_depth[pipe] > 0) pipes_.push_back(static_cast<Pipe>(pipe));
    }
  }

  void build(int instructions, const std::vector<Round>& rounds, bool cube_side) {
    std::size_t next_round = 0;
    for (int i = 0; i < instructions; ++i) {
      if (next_round < rounds.size() && random_.chance(100 * static_cast<int>(rounds.size()) / instructions + 1)) {
        meet(rounds[next_round++], cube_side);
      }
      step();
    }
    while (next_round < rounds.size()) meet(rounds[next_round++], cube_side);
    while (!owed_.empty()) pay(0);
  }

 private:
  Pipe any_pipe() { return pipes_[static_cast<std::size_t>(random_.below(static_cast<int>(pipes_.size())))]; }
  bool has(Pipe pipe) const { return std::find(pipes_.begin(), pipes_.end(), pipe) != pipes_.end(); }

  void step() {
    const int kind = random_.below(100);
    if (kind < 25) synchronise();
    else if (kind < 32 && !owed_.empty()) pay(random_.below(static_cast<int>(owed_.size())));
    else if (kind < 35) program_.scalar(random_.below(30));
    else if (kind < 37) program_.barrier(any_pipe());
    else if (kind < 38) program_.barrier_all();
    else if (kind < 42 && depth_ == 0) repeat();
    else work();
  }

  /// A loop of a few rounds of work without flags.
  void repeat() {
    ++depth_;
    program_.loop(1 + random_.below(6), [&](isa::Variable) {
      for (int i = random_.below(5); i >= 0; --i) work();
    });
    --depth_;
  }

  void synchronise() {
    const Pipe source = random_.chance(10) ? Pipe::s : any_pipe();
    Pipe target = random_.chance(10) ? Pipe::s : any_pipe();
    if (source == target) return;
    const int event = random_.below(core_.flags.event_ids);
    const auto key = std::make_tuple(std::min(source, target), std::max(source, target), event);
    auto& last = direction_[key];
    if (busy_.count(key) > 0) return;
    // Alternate direction: the waiter of the last one sets next.
    if (last.first != last.second && last.first == source) return;
    program_.set_flag(source, target, event);
    last = {source, target};
    owed_.push_back({source, target, event});
    busy_.insert(key);
    if (random_.chance(50)) pay(static_cast<int>(owed_.size()) - 1);
  }

  void pay(int index) {
    const Owed owed = owed_[static_cast<std::size_t>(index)];
    owed_.erase(owed_.begin() + index);
    program_.wait_flag(owed.source, owed.target, owed.event);
    busy_.erase(std::make_tuple(std::min(owed.source, owed.target), std::max(owed.source, owed.target), owed.event));
  }

  void meet(const Round& round, bool cube_side) {
    const bool sets = round.mode == 1 ? !cube_side : cube_side == round.from_cube;
    const bool waits = round.mode == 1 ? !cube_side : round.mode == 0 ? cube_side == round.from_cube : cube_side != round.from_cube;
    if (sets) program_.cross_set(random_.chance(20) ? Pipe::s : any_pipe(), round.mode, round.flag);
    // One pipe of a core waits for a flag: which of two would get a count is nobody's promise.
    if (waits) program_.cross_wait(waiters_.emplace(round.flag, random_.chance(70) ? Pipe::s : any_pipe()).first->second, round.flag);
  }

  Bytes capacity(Space space) const { return core_.buffers[static_cast<int>(space)].capacity; }
  std::int64_t place(Space space, std::int64_t bytes, std::int64_t step) {
    return step * random_.below(static_cast<int>(std::min<std::int64_t>((capacity(space) - bytes) / step + 1, 1 << 20)));
  }

  void work() {
    switch (any_pipe()) {
      case Pipe::mte2: gm_read(); break;
      case Pipe::mte3: gm_write(); break;
      case Pipe::mte1: load(); break;
      case Pipe::m: multiply(); break;
      case Pipe::fix: result_out(); break;
      default: vector(); break;
    }
  }

  void gm_read() {
    const Space dst = capacity(Space::ub) > 0 && (capacity(Space::l1) == 0 || random_.chance(50)) ? Space::ub : Space::l1;
    const std::uint32_t rows = 1 + static_cast<std::uint32_t>(random_.below(8)), row = 32u * (1 + static_cast<std::uint32_t>(random_.below(40)));
    const std::int64_t pitch = row + 32 * random_.below(3);
    program_.copy({Space::gm, dst, rows, row, pitch, row}, place(dst, static_cast<std::int64_t>(rows) * row, 32),
                  32 * random_.below(static_cast<int>((kRandomKernelGmBytes / 2 - rows * pitch) / 32)));
  }

  void gm_write() {
    const std::uint32_t rows = 1 + static_cast<std::uint32_t>(random_.below(4)), row = 32u * (1 + static_cast<std::uint32_t>(random_.below(20)));
    program_.copy({Space::ub, Space::gm, rows, row, row, row}, isa::Affine(write_base_) + isa::Affine(32 * random_.below(64)),
                  place(Space::ub, static_cast<std::int64_t>(rows) * row, 32));
  }

  void load() {
    const Space dst = random_.chance(50) ? Space::l0a : Space::l0b;
    const std::uint16_t repeats = static_cast<std::uint16_t>(1 + random_.below(16));
    program_.load_2d({dst, isa::DataType::int8, false, repeats, 1, 1}, place(dst, repeats * 512, 512), place(Space::l1, repeats * 512, 512));
  }

  void multiply() {
    const std::uint16_t m = static_cast<std::uint16_t>(16 * (1 + random_.below(4))), n = static_cast<std::uint16_t>(16 * (1 + random_.below(4)));
    const std::uint16_t k = static_cast<std::uint16_t>(32 * (1 + random_.below(4)));
    program_.mmad({m, k, n, isa::DataType::int8, isa::DataType::int8, core_.cube.l0a_k_outer, random_.chance(50), false, 0},
                  place(Space::l0c, m * n * 4, 1024), place(Space::l0a, m * k, 512), place(Space::l0b, k * n, 512));
  }

  isa::FixpipeOperands tile(Space dst, int m, int n) {
    isa::FixpipeOperands o{};
    o.dst = dst;
    o.quant = isa::QuantMode::req8;
    o.src_type = isa::DataType::int32;
    o.output_signed = true;
    o.m = static_cast<std::uint16_t>(m);
    o.n = static_cast<std::uint16_t>(n);
    o.src_rows = static_cast<std::uint32_t>(m);
    o.dst_pitch = m * 32;
    o.quant_word = 0x3c000000ull | (1ull << 46);  // 2^-7
    return o;
  }

  void result_out() {
    const int m = 16 * (1 + random_.below(4)), n = 32 * (1 + random_.below(2));
    if (random_.chance(70)) {
      program_.fixpipe(tile(Space::gm, m, n), isa::Affine(write_base_) + isa::Affine(32 * random_.below(64)), place(Space::l0c, m * n * 4, 1024));
    } else {
      program_.fixpipe(tile(Space::l1, m, n), place(Space::l1, m * n, 32), place(Space::l0c, m * n * 4, 1024));
    }
  }

  void vector() {
    if (capacity(Space::l0c) > 0 && random_.chance(20)) {
      const int m = 16 * (1 + random_.below(4)), n = 32;
      program_.fixpipe(tile(Space::ub, m, n), place(Space::ub, m * n, 32), place(Space::l0c, m * n * 4, 1024));
      return;
    }
    isa::VectorOperands o{};
    const isa::VectorOp ops[] = {isa::VectorOp::add, isa::VectorOp::mul, isa::VectorOp::max, isa::VectorOp::adds, isa::VectorOp::copy, isa::VectorOp::exp};
    o.op = ops[random_.below(6)];
    o.dst_type = o.src_type = isa::DataType::fp16;
    o.repeats = static_cast<std::uint8_t>(1 + random_.below(20));
    o.dst_block_stride = o.src0_block_stride = o.src1_block_stride = 1;
    o.dst_repeat_stride = o.src0_repeat_stride = o.src1_repeat_stride = 8;
    o.mask[0] = o.mask[1] = ~0ull;
    const std::int64_t bytes = o.repeats * 256;
    program_.vector(o, place(Space::ub, bytes, 32), place(Space::ub, bytes, 32), place(Space::ub, bytes, 32));
  }

  struct Owed {
    Pipe source, target;
    int event;
  };
  const CoreSpec& core_;
  isa::ProgramBuilder& program_;
  isa::Variable write_base_;
  Random& random_;
  std::vector<Pipe> pipes_;
  std::vector<Owed> owed_;
  std::set<std::tuple<Pipe, Pipe, int>> busy_;
  std::map<std::tuple<Pipe, Pipe, int>, std::pair<Pipe, Pipe>> direction_;
  std::map<int, Pipe> waiters_;
  int depth_ = 0;
};

std::vector<Round> random_rounds(const SocSpec& soc, const CoreGroupSpec& group, Random& random) {
  std::vector<Round> rounds;
  if (!soc.cross_flags.supported || group.fused_cores > 0) return rounds;
  for (int i = random.below(9); i > 0; --i) {
    // A flag per kind of round, so that counts of different kinds never mix.
    const int kind = random.below(5);
    if (kind < 2) rounds.push_back({0, kind == 0, kind});
    else if (kind == 2) rounds.push_back({1, false, 2});
    else rounds.push_back({2, kind == 3, kind});
  }
  return rounds;
}

}  // namespace

Kernel random_kernel(const SocSpec& soc, int group_kind, const RandomKernelShape& shape, std::uint32_t seed) {
  Random random(seed);
  const CoreGroupSpec& group = soc.groups[static_cast<std::size_t>(group_kind)];
  isa::KernelBuilder kernel("random", "Random");
  const isa::Variable write_base = kernel.block_variable("write_base");
  const std::vector<Round> rounds = shape.cross_flags ? random_rounds(soc, group, random) : std::vector<Round>{};
  for (int block = 0; block < shape.groups; ++block) {
    isa::BlockBinding binding;
    const auto add = [&](CoreKind kind) {
      return kernel.program("p" + std::to_string(block), [&](isa::ProgramBuilder& program) {
        const int instructions = shape.instructions / 2 + random.below(shape.instructions);
        CoreProgram(soc.core(kind), program, write_base, random).build(instructions, rounds, kind != CoreKind::vector);
      });
    };
    if (group.fused_cores > 0) binding.cube = add(CoreKind::fused);
    if (group.cube_cores > 0) binding.cube = add(CoreKind::cube);
    for (int i = 0; i < group.vector_cores; ++i) binding.vector[i] = add(CoreKind::vector);
    binding.values = {kRandomKernelGmBytes / 2 + block * (kRandomKernelGmBytes / 2 / 32)};
    kernel.block(binding);
  }
  return kernel.build();
}

SocSpec random_variation(SocSpec soc, std::uint32_t seed) {
  Random random(seed * 7919u + 1);
  for (CoreSpec* core : {&soc.fused, &soc.cube, &soc.vector}) {
    if (core->clock_khz == 0) continue;
    for (int& depth : core->dispatch.queue_depth) {
      if (depth > 0) depth = 1 + random.below(random.chance(50) ? 4 : 32);
    }
    core->dispatch.issue_cycles = 1 + random.below(3);
    core->dispatch.queue_latency_cycles = 1 + random.below(3);
    core->flags.propagation_cycles = 1 + random.below(6);
    core->flags.barrier_cycles = 1 + random.below(3);
    core->cube.head_drained_cycles = core->cube.head_pipelined_cycles + random.below(60);
    core->scalar.launch_cycles = 1 + random.below(50);
    for (BufferSpec& buffer : core->buffers) {
      if (random.chance(30)) buffer.port_rate.milli_per_cycle = 0;
      else if (random.chance(50)) buffer.port_rate.milli_per_cycle = 1000 * (64 + random.below(512));
    }
  }
  soc.cross_flags.intra_group_cycles = 1 + random.below(100);
  soc.cross_flags.inter_group_cycles = 1 + random.below(300);
  return soc;
}

}  // namespace npulab::test
