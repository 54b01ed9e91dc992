// SPDX-License-Identifier: Apache-2.0
#include "app/validate/case_runner.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "app/commands/session.h"
#include "model/base/errors.h"
#include "workloads/kernels/kernel_registry.h"

namespace npulab::validate {
namespace {

/// What a child sends: these, then the text of its error.
struct Message {
  Timing timing;
  int cube_cores = 0, vector_cores = 0;
  std::int64_t instructions = 0;
  double wall_seconds = 0;
};

double microseconds(Cycles cycles, std::int64_t frequency_khz) { return static_cast<double>(cycles) * 1e3 / static_cast<double>(frequency_khz); }

/// Sums over the cores of one side, turned into means at the end.
struct Side {
  int cores = 0;
  double total = 0, longest = 0, pipe[isa::kPipeCount] = {};

  void add(const RecordedCore& core) {
    ++cores;
    const double time = microseconds(core.total_cycles, core.frequency_khz);
    total += time;
    longest = std::max(longest, time);
    for (int p = 0; p < isa::kPipeCount; ++p) pipe[p] += microseconds(core.pipes[p].pmu_active, core.frequency_khz);
  }
  double mean(isa::Pipe p) const { return pipe[static_cast<int>(p)] / cores; }
};

void set(Timing& timing, PipeColumn column, double value) { timing.pipe[static_cast<int>(column)] = value; }

void summarise(const RunRecorder& recorder, Message& message) {
  Side cube, vector;
  for (const RecordedCore& core : recorder.cores()) {
    if (core.blocks == 0) continue;
    for (const PipeTotals& pipe : core.pipes) message.instructions += pipe.instructions;
    (core.cube ? cube : vector).add(core);
  }
  Timing& t = message.timing;
  if (cube.cores > 0) {
    t.core = cube.total / cube.cores;
    set(t, PipeColumn::cube, cube.mean(isa::Pipe::m));
    set(t, PipeColumn::scalar, cube.mean(isa::Pipe::s));
    set(t, PipeColumn::mte1, cube.mean(isa::Pipe::mte1));
    set(t, PipeColumn::mte2, cube.mean(isa::Pipe::mte2));
    set(t, PipeColumn::fixpipe, cube.mean(isa::Pipe::fix));
  }
  if (vector.cores > 0) {
    t.aiv = vector.total / vector.cores;
    set(t, PipeColumn::vec, vector.mean(isa::Pipe::v));
    set(t, PipeColumn::aiv_scalar, vector.mean(isa::Pipe::s));
    set(t, PipeColumn::aiv_mte2, vector.mean(isa::Pipe::mte2));
    set(t, PipeColumn::mte3, vector.mean(isa::Pipe::mte3));
  }
  t.core_max = std::max(cube.longest, vector.longest);
  message.cube_cores = cube.cores;
  message.vector_cores = vector.cores;
  Picoseconds from = 0, to = 0;
  for (const TaskRecord& task : recorder.tasks()) {
    if (task.kind != "kernel") continue;
    // Handed over when nothing holds it back any more; seen when its completion entry is written.
    if (to == 0) from = task.ready;
    to = std::max(to, task.completed);
  }
  t.task = static_cast<double>(to - from) * 1e-6;
}

void simulate(const Job& job, const RunnerOptions& options, Message& message) {
  const BoardSpec board = load_board(options.boards + '/' + job.board, options.overrides);
  const kernels::KernelGenerator* generator = kernels::find_generator(job.kernel);
  std::vector<kernels::OptionProblem> problems;
  const kernels::KernelOptions resolved = kernels::resolve_options(*generator, job.options, problems);
  const Workload workload = generator->make(board.socs[static_cast<std::size_t>(board.devices[0].soc)], resolved);
  RunRecorder recorder(TraceLevel::none);
  commands::SessionOptions session;
  session.functional = false;
  commands::run_session(board, workload, {}, recorder, session);
  summarise(recorder, message);
}

[[noreturn]] void child(const Job& job, const RunnerOptions& options, int end) {
  Message message;
  std::string error;
  const auto start = std::chrono::steady_clock::now();
  try {
    simulate(job, options, message);
  } catch (const std::exception& caught) {
    error = caught.what();
  }
  message.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string bytes(sizeof message, '\0');
  std::memcpy(bytes.data(), &message, sizeof message);
  bytes += error;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t wrote = write(end, bytes.data() + sent, bytes.size() - sent);
    if (wrote <= 0) break;
    sent += static_cast<std::size_t>(wrote);
  }
  // Nothing of the parent's is to be flushed or destroyed twice.
  _exit(0);
}

struct Running {
  std::size_t job = 0;
  pid_t process = 0;
  int end = -1;
  std::string bytes;
};

Running start(std::size_t index, const Job& job, const RunnerOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) throw SimulationError("expected a pipe to a child process, found none left");
  Running running{index, fork(), ends[0], ""};
  if (running.process == 0) {
    close(ends[0]);
    child(job, options, ends[1]);
  }
  close(ends[1]);
  if (running.process < 0) throw SimulationError("expected a child process, found none left");
  return running;
}

SimulatedRun result_of(const Running& running, int status) {
  SimulatedRun run;
  if (running.bytes.size() < sizeof(Message)) {
    run.error = WIFSIGNALED(status) ? "the simulation ended by signal " + std::to_string(WTERMSIG(status)) : "the simulation ended without a result";
    return run;
  }
  Message message;
  std::memcpy(&message, running.bytes.data(), sizeof message);
  run.error = running.bytes.substr(sizeof message);
  run.timing = message.timing;
  run.cube_cores = message.cube_cores;
  run.vector_cores = message.vector_cores;
  run.instructions = message.instructions;
  run.wall_seconds = message.wall_seconds;
  return run;
}

/// Waits until one of the children says something; true when that one has said all.
bool hear(std::vector<Running>& running, std::size_t& which) {
  std::vector<pollfd> ends;
  for (const Running& child : running) ends.push_back({child.end, POLLIN, 0});
  poll(ends.data(), ends.size(), -1);
  for (which = 0; which < ends.size(); ++which) {
    if (ends[which].revents == 0) continue;
    char buffer[4096];
    const ssize_t got = read(running[which].end, buffer, sizeof buffer);
    if (got <= 0) return true;
    running[which].bytes.append(buffer, static_cast<std::size_t>(got));
  }
  return false;
}

}  // namespace

std::vector<SimulatedRun> run_jobs(const std::vector<Job>& jobs, const RunnerOptions& options) {
  std::vector<SimulatedRun> results(jobs.size());
  std::vector<Running> running;
  std::size_t next = 0, which = 0;
  int done = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && static_cast<int>(running.size()) < std::max(1, options.parallel)) {
      running.push_back(start(next, jobs[next], options));
      ++next;
    }
    if (!hear(running, which)) continue;
    int status = 0;
    waitpid(running[which].process, &status, 0);
    close(running[which].end);
    results[running[which].job] = result_of(running[which], status);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    options.progress(++done, static_cast<int>(jobs.size()));
  }
  return results;
}

}  // namespace npulab::validate
