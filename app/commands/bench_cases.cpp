// SPDX-License-Identifier: Apache-2.0
#include "app/commands/bench_cases.h"

#include <benchmark/benchmark.h>

#include <vector>

#include "app/machine/stream_measurement.h"
#include "model/numerics/matmul_int8.h"
#include "model/spec/board_spec.h"
#include "model/trace/run_recorder.h"

namespace npulab::commands {
namespace {

void bench_stream(benchmark::State& state, TraceLevel level) {
  const BoardSpec board = load_board("configs/board/card_910a.yaml", {});
  std::int64_t instructions = 0, moves = 0;
  for (auto iteration : state) {
    const machine::StreamMeasurement measured = machine::measure_tile_stream(board, level, state.range(0));
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
