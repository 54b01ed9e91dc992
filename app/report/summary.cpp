// SPDX-License-Identifier: Apache-2.0
#include "app/report/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/attribution.h"

namespace npulab::report {
namespace {

/// Totals over the cores that ran anything and have the pipe.
struct PipeSum {
  Cycles total = 0;
  PipeTotals totals;
};

PipeSum sum_pipe(const RunResult& run, int pipe) {
  PipeSum sum;
  for (const RecordedCore& core : run.recorder->cores()) {
    const PipeTotals& part = core.pipes[pipe];
    if (part.instructions == 0) continue;
    sum.total += core.total_cycles;
    sum.totals.busy += part.busy;
    sum.totals.instructions += part.instructions;
    for (int cause = 0; cause < kStallCauseCount; ++cause) sum.totals.stall[cause] += part.stall[cause];
  }
  return sum;
}

double percent(Cycles part, Cycles whole) { return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

/// One column for groups of causes, so that the table fits a terminal; stats.json has every cause.
std::string pipe_line(const RunResult& run, int pipe) {
  const PipeSum sum = sum_pipe(run, pipe);
  if (sum.total == 0) return "";
  const auto share = [&](std::initializer_list<StallCause> causes) {
    Cycles cycles = 0;
    for (StallCause cause : causes) cycles += sum.totals.stall[static_cast<int>(cause)];
    return percent(cycles, sum.total);
  };
  return fmt::format("  {:<5} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>13}\n",
                     isa::name_of(static_cast<isa::Pipe>(pipe)), percent(sum.totals.busy, sum.total),
                     share({StallCause::flag, StallCause::barrier, StallCause::cross_core}),
                     share({StallCause::dispatch, StallCause::queue_full}),
                     share({StallCause::memory_edge, StallCause::memory_port, StallCause::memory_l2, StallCause::memory_hbm}),
                     share({StallCause::port}), share({StallCause::launch}), share({StallCause::drain, StallCause::done}),
                     sum.totals.instructions);
}

std::string path_table(const Attribution& path) {
  std::string text = "\nWhere the time went (critical path)\n";
  for (const PathShare& share : path.shares) {
    const double part = percent(share.time, path.total);
    text += fmt::format("  {:<22} {:>12}  {:>5.1f} %  {}\n", share.name, human_time(share.time), part,
                        std::string(static_cast<std::size_t>(part / 2.5), '#'));
  }
  return text + '\n' + path.bottleneck + '\n';
}

}  // namespace

std::string human_time(Picoseconds time) {
  const double ps = static_cast<double>(time);
  if (time < 1'000'000) return fmt::format("{:.1f} ns", ps / 1e3);
  if (time < 1'000'000'000) return fmt::format("{:.2f} us", ps / 1e6);
  if (time < 1'000'000'000'000) return fmt::format("{:.3f} ms", ps / 1e9);
  return fmt::format("{:.3f} s", ps / 1e12);
}

std::string summarize(const RunResult& run, bool color) {
  const char* bold = color ? "\033[1m" : "";
  const char* plain = color ? "\033[0m" : "";
  std::string text = fmt::format("{}{} on {}{} ({}{})\n", bold, run.workload, run.board->name, plain, run.mode,
                                 run.interrupted ? ", INTERRUPTED: partial results" : "");
  const std::size_t count = run.iteration_times.size();
  if (count > 0) {
    Picoseconds sum = 0;
    for (Picoseconds time : run.iteration_times) sum += time;
    const Picoseconds mean = sum / static_cast<Picoseconds>(count);
    const auto [least, most] = std::minmax_element(run.iteration_times.begin(), run.iteration_times.end());
    text += fmt::format("  simulated time   {} per iteration", human_time(mean));
    if (count > 1) text += fmt::format(" (mean of {}; {} to {})", count, human_time(*least), human_time(*most));
    text += '\n';
    if (run.operations > 0 && mean > 0) {
      const double rate = static_cast<double>(run.operations) / static_cast<double>(mean) * 1e12;
      text += fmt::format("  throughput       {:.4g} TOPS, {:.2f} % of the {:.4g} TOPS peak\n", rate / 1e12,
                          run.peak_ops_per_s > 0 ? 100.0 * rate / static_cast<double>(run.peak_ops_per_s) : 0.0,
                          static_cast<double>(run.peak_ops_per_s) / 1e12);
    }
  }
  text += "\nPipes, share of the time of the cores that ran them (%)\n";
  text += "  pipe     busy   flags   issue  memory    port  launch    idle  instructions\n";
  for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) text += pipe_line(run, pipe);
  const Attribution path = attribute(run);
  if (path.total > 0) {
    text += path_table(path);
    const Picoseconds swing = path.assumed / 5;
    text += fmt::format("{:.0f} % of the critical path rests on assumed parameters; if each of them moves by 20 %, the time lies "
                        "between {} and {}.\n",
                        percent(path.assumed, path.total), human_time(path.total - swing), human_time(path.total + swing));
  }
  if (run.wall_seconds > 0) {
    text += fmt::format("Simulated in {:.2f} s ({:.2f} M instructions/s).\n", run.wall_seconds,
                        static_cast<double>(run.instructions) / run.wall_seconds / 1e6);
  }
  return text;
}

}  // namespace npulab::report
