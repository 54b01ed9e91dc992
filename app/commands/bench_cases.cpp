// SPDX-License-Identifier: Apache-2.0
#include "app/commands/bench_cases.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <systemc>
#include <vector>

#include "app/machine/timeline_module.h"
#include "cores/flags/inter_group_flags.h"
#include "cores/scoreboard/scoreboard_module.h"
#include "memory/shared/memory_module.h"
#include "model/numerics/matmul_int8.h"
#include "model/spec/board_spec.h"
#include "model/trace/run_recorder.h"
#include "workloads/kernels/tile_stream.h"

namespace npulab::commands {
namespace {

/// What a child process reports of its run.
struct Measured {
  double cpu_seconds = 0;
  std::int64_t instructions = 0;  // sets, waits and barriers not counted
  std::int64_t gm_moves = 0;
};

class Silent : public BlockObserver {
  void block_finished(int, const BlockResult&) override {}
};

double cpu_now() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Runs the tile stream on every core of the board, timing only.
Measured simulate(const BoardSpec& board, TraceLevel level, std::int64_t tiles) {
  const SocSpec& soc = board.socs[0];
  const Kernel kernel = kernels::tile_stream(soc, tiles);
  RunRecorder recorder(level);
  machine::TimelineModule timeline("timeline");
  memory::MemoryModule memory("memory", soc.memory);
  cores::InterGroupFlags flags(timeline, 1);
  std::vector<std::unique_ptr<cores::ScoreboardModule>> groups;
  Silent observer;
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
    CoreGroupContext context;
    context.path = "group" + std::to_string(i);
    context.group_index = static_cast<int>(i);
    context.soc = &soc;
    context.group = &soc.groups[0];
    context.memory = &memory;
    context.flags = &flags;
    context.trace = &recorder;
    context.functional = false;
    groups.push_back(std::make_unique<cores::ScoreboardModule>(context.path.c_str(), context));
  }
  timeline.at(0, [&] {
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i]->start({&kernel, static_cast<std::uint32_t>(i), 0, 1, static_cast<std::uint32_t>(groups.size())}, observer);
  });
  const double start = cpu_now();
  sc_core::sc_start();
  Measured measured;
  measured.cpu_seconds = cpu_now() - start;
  measured.instructions = kernels::tile_stream_instructions(tiles) * static_cast<std::int64_t>(groups.size());
  measured.gm_moves = kernels::tile_stream_gm_moves(tiles) * static_cast<std::int64_t>(groups.size());
  return measured;
}

/// SystemC elaborates once a process, so each repetition is a child.
Measured in_child(const BoardSpec& board, TraceLevel level, std::int64_t tiles) {
  int ends[2];
  Measured measured;
  if (pipe(ends) != 0) return measured;
  const pid_t child = fork();
  if (child == 0) {
    const Measured result = simulate(board, level, tiles);
    const ssize_t written = write(ends[1], &result, sizeof result);
    _exit(written == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &measured, sizeof measured) != static_cast<ssize_t>(sizeof measured)) measured = Measured{};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return measured;
}

void bench_stream(benchmark::State& state, TraceLevel level) {
  const BoardSpec board = load_board("configs/board/card_910a.yaml", {});
  std::int64_t instructions = 0, moves = 0;
  for (auto iteration : state) {
    const Measured measured = in_child(board, level, state.range(0));
    state.SetIterationTime(measured.cpu_seconds);
    instructions += measured.instructions;
    moves += measured.gm_moves;
  }
  state.counters["instructions/s"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["gm_moves/s"] = benchmark::Counter(static_cast<double>(moves), benchmark::Counter::kIsRate);
}

void bench_matmul(benchmark::State& state, numerics::MatmulKernel kernel) {
  if (!numerics::select_matmul_kernel(kernel)) {
    state.SkipWithError("this processor cannot run it");
    return;
  }
  numerics::MatmulShape shape;
  shape.m1 = shape.n1 = 16;
  shape.k1 = 8;
  std::vector<std::uint8_t> a(256 * 256), b(256 * 256);
  std::vector<std::int32_t> c(256 * 256);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<std::uint8_t>(i * 7);
  for (auto iteration : state) numerics::matmul_int8(shape, a.data(), b.data(), c.data(), false);
  state.counters["ops/s"] = benchmark::Counter(2.0 * 256 * 256 * 256 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

void register_bench_cases() {
  constexpr std::int64_t kTiles = 2000;
  benchmark::RegisterBenchmark("instructions/untraced", [](benchmark::State& s) { bench_stream(s, TraceLevel::none); })->Arg(kTiles)->UseManualTime()->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("instructions/full_trace", [](benchmark::State& s) { bench_stream(s, TraceLevel::full); })->Arg(kTiles)->UseManualTime()->Unit(benchmark::kMillisecond);
  for (numerics::MatmulKernel kernel : {numerics::MatmulKernel::scalar, numerics::MatmulKernel::avx2, numerics::MatmulKernel::vnni}) {
    benchmark::RegisterBenchmark((std::string("int8_matmul_256/") + numerics::name_of(kernel)).c_str(), [kernel](benchmark::State& s) { bench_matmul(s, kernel); });
  }
}

}  // namespace npulab::commands
