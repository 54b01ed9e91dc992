// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "app/commands/command.h"
#include "app/commands/compare_outputs.h"
#include "app/commands/load_model.h"
#include "app/commands/option_parser.h"
#include "app/commands/session.h"
#include "app/report/chrome_trace.h"
#include "app/report/csv_files.h"
#include "app/report/json_files.h"
#include "app/report/summary.h"
#include "model/base/errors.h"

namespace npulab::commands {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

struct RunOptions {
  std::string board, workload, out, mode, trace;
  std::vector<std::string> overrides, inputs, expected;
  int repeat = 1, warmup = 0, tolerance = 0;
  std::uint64_t seed = 1;
};

bool parse(const std::vector<std::string>& arguments, RunOptions& o) {
  OptionParser parser("run BOARD WORKLOAD [options]",
                      "Runs WORKLOAD (an .onnx network, a workload YAML or a folder written by 'npulab lower') on the first ready\n"
                      "device of BOARD and says what came out, how long it took and why.",
                      "npulab run configs/board/card_310p3.yaml workloads/library/digits/digits.onnx \\\n"
                      "      --input workloads/library/digits/sample_0/input_0.pb --out out/demo");
  parser.positional("BOARD", 1);
  parser.positional("WORKLOAD", 1);
  parser.add()("repeat", po::value<int>()->default_value(1), "measured iterations")(
      "warmup", po::value<int>()->default_value(0), "iterations before them that are not measured")(
      "out", po::value<std::string>(), "folder for manifest, statistics, tables and timeline")(
      "set", po::value<std::vector<std::string>>()->composing(), "PATH=VALUE overrides a configured value; workload.NAME=VALUE a parameter of the workload")(
      "mode", po::value<std::string>()->default_value("functional"), "functional (bytes and time) or timing (time alone)")(
      "trace", po::value<std::string>()->default_value("full"), "none, tasks or full")(
      "input", po::value<std::vector<std::string>>()->composing(), "input tensor, in the network's order (.pb, .npy or raw)")(
      "expect", po::value<std::vector<std::string>>()->composing(), "expected output tensor, in the network's order")(
      "tolerance", po::value<int>()->default_value(0), "steps by which an element may differ from --expect")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed for inputs that are not given");
  if (!parser.parse(arguments)) return false;
  o.board = parser.required("BOARD");
  o.workload = parser.required("WORKLOAD");
  o.out = parser.has("out") ? parser.get<std::string>("out") : "";
  o.mode = parser.get<std::string>("mode");
  o.trace = parser.get<std::string>("trace");
  o.overrides = parser.all("set");
  o.inputs = parser.all("input");
  o.expected = parser.all("expect");
  o.repeat = parser.get<int>("repeat");
  o.warmup = parser.get<int>("warmup");
  o.tolerance = parser.get<int>("tolerance");
  o.seed = parser.get<std::uint64_t>("seed");
  std::vector<Diagnostic> problems;
  const auto wrong = [&](const char* option, const std::string& message) { problems.push_back({"", 0, 0, option, message}); };
  if (o.mode != "functional" && o.mode != "timing") wrong("--mode", "expected functional or timing, found '" + o.mode + "'");
  if (o.trace != "none" && o.trace != "tasks" && o.trace != "full") wrong("--trace", "expected none, tasks or full, found '" + o.trace + "'");
  if (o.repeat < 1 || o.repeat > 1'000'000) wrong("--repeat", "expected 1 to 1000000, found " + std::to_string(o.repeat));
  if (o.warmup < 0 || o.warmup > 1'000'000) wrong("--warmup", "expected 0 to 1000000, found " + std::to_string(o.warmup));
  if (!o.expected.empty() && o.mode == "timing") wrong("--expect", "expected with --mode functional, found timing, which computes nothing");
  if (!problems.empty()) throw UserError(problems);
  return true;
}

/// A run that would fail at its end for lack of a folder fails at its start.
void prepare_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) throw UserError({{folder, 0, 0, "--out", "expected a folder that can be made, found: " + error.message()}});
  if (access(folder.c_str(), W_OK) != 0) throw UserError({{folder, 0, 0, "--out", "expected a folder that can be written, found one that cannot"}});
}

/// Shows simulated time on a terminal while a run lasts; asks now and then whether to go on.
std::function<bool()> watcher(Clock::time_point start) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  return [terminal, last = start, start]() mutable {
    const auto now = Clock::now();
    if (terminal && now - last > std::chrono::milliseconds(200)) {
      last = now;
      std::cerr << fmt::format("\r  running, {:.1f} s ", std::chrono::duration<double>(now - start).count()) << std::flush;
    }
    return interrupted == 0;
  };
}

void write_files(const report::RunResult& run, const RunOptions& o) {
  if (o.out.empty()) return;
  const fs::path out = o.out;
  report::write_manifest(run, (out / "manifest.json").string());
  report::write_stats(run, (out / "stats.json").string());
  report::write_tasks_csv(run, (out / "tasks.csv").string());
  report::write_op_basic_info_csv(run, (out / "OpBasicInfo.csv").string());
  report::write_pipe_utilization_csv(run, (out / "PipeUtilization.csv").string());
  report::write_memory_csv(run, (out / "Memory.csv").string());
  if (o.trace != "none") report::write_chrome_trace(run, (out / "trace.json.gz").string());
}

report::RunResult make_result(const RunOptions& o, const BoardSpec& board, const LoadedModel& model, const RunRecorder& recorder, const SessionResult& session) {
  report::RunResult run;
  run.board = &board;
  run.recorder = &recorder;
  run.workload = model.workload.name;
  run.mode = o.mode;
  run.interrupted = session.interrupted;
  run.seed = o.seed;
  run.warmup = o.warmup;
  run.ready_time = session.ready_time;
  run.end_time = session.end_time;
  run.iteration_times = session.iteration_times;
  run.operations = model.workload.operations;
  run.peak_ops_per_s = peak_operations(board.socs[static_cast<std::size_t>(board.devices[static_cast<std::size_t>(session.device)].soc)]);
  run.kernels = session.kernels;
  run.command_line = {"run", o.board, o.workload};
  for (const std::string& assignment : o.overrides) run.command_line.push_back("--set " + assignment);
  if (!o.out.empty()) {
    for (const std::string& file : model.files) run.files.push_back(report::digest_file(file));
  }
  for (const RecordedCore& core : recorder.cores()) {
    for (const PipeTotals& pipe : core.pipes) run.instructions += pipe.instructions;
  }
  return run;
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  RunOptions o;
  if (!parse(arguments, o)) return 0;
  prepare_folder(o.out);
  ModelRequest request{o.workload, o.inputs, o.expected, o.seed, {}};
  const std::vector<std::string> board_overrides = split_overrides(o.overrides, request.parameters);
  const BoardSpec board = load_board(o.board, board_overrides);
  LoadedModel model = load_model(request, board.socs[static_cast<std::size_t>(board.devices[0].soc)]);
  RunRecorder recorder(o.trace == "none" ? TraceLevel::none : o.trace == "tasks" ? TraceLevel::tasks : TraceLevel::full);
  std::signal(SIGINT, on_interrupt);
  const auto start = Clock::now();
  SessionOptions options;
  options.functional = o.mode == "functional";
  options.warmup = o.warmup;
  options.repeat = o.repeat;
  options.keep_going = watcher(start);
  const SessionResult session = run_session(board, model.workload, model.inputs, recorder, options);
  report::RunResult run = make_result(o, board, model, recorder, session);
  run.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (isatty(STDERR_FILENO) != 0) std::cerr << '\r' << std::string(40, ' ') << '\r';
  write_files(run, o);
  std::cout << report::summarize(run, isatty(STDOUT_FILENO) != 0);
  if (!o.out.empty()) std::cout << "Files are in " << o.out << '\n';
  if (session.interrupted) return 130;
  if (options.functional) std::cout << describe_outputs(model, session.outputs);
  return compare_outputs(model, session.outputs, o.tolerance, std::cout) ? 0 : 1;
}

}  // namespace npulab::commands
