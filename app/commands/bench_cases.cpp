// SPDX-License-Identifier: Apache-2.0
#include "app/commands/bench_cases.h"

#include <benchmark/benchmark.h>

#include <vector>

#include "app/machine/stream_measurement.h"
#include "model/isa/ktrace.h"
#include "model/numerics/matmul_int8.h"
#include "model/spec/board_spec.h"
#include "model/trace/run_recorder.h"

namespace npulab::commands {
namespace {

/// The frozen tile stream, `state.range(0)` tiles a core, on 32 fused cores.
void bench_stream(benchmark::State& state, TraceLevel level) {
  const BoardSpec board = load_board("configs/board/card_910a.yaml", {});
  const Kernel kernel = isa::load_ktrace("workloads/library/tile_stream/tile_stream.ktrace", {{"tiles", state.range(0)}});
  std::int64_t instructions = 0, moves = 0;
  machine::StreamMeasurement measured;
  for (auto iteration : state) {
    measured = machine::measure_stream(board, kernel, level);
    state.SetIterationTime(measured.cpu_seconds);
    instructions += measured.instructions;
    moves += measured.gm_moves;
  }
  state.counters["start_ms"] = 1e3 * measured.start_seconds;
  state.counters["peak_MiB"] = static_cast<double>(measured.peak_bytes >> 20);
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
  // Ten times the program shall take no more memory, hence two lengths.
  for (const auto& [name, level] : {std::pair{"instructions/untraced", TraceLevel::none}, {"instructions/full_trace", TraceLevel::full}}) {
    benchmark::RegisterBenchmark(name, [level = level](benchmark::State& s) { bench_stream(s, level); })
        ->Arg(500)->Arg(5000)->UseManualTime()->Unit(benchmark::kMillisecond);
  }
  for (numerics::MatmulKernel kernel : {numerics::MatmulKernel::scalar, numerics::MatmulKernel::avx2, numerics::MatmulKernel::vnni}) {
    benchmark::RegisterBenchmark((std::string("int8_matmul_256/") + numerics::name_of(kernel)).c_str(), [kernel](benchmark::State& s) { bench_matmul(s, kernel); });
  }
}

}  // namespace npulab::commands
