// SPDX-License-Identifier: Apache-2.0
#include "app/machine/stream_measurement.h"

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
#include "model/isa/instruction_source.h"

namespace npulab::machine {
namespace {

class Silent : public BlockObserver {
  void block_finished(int, const BlockResult&) override {}
};

double cpu_now() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Work and GM moves of one block; flags are not counted.
void count_instructions(const Kernel& kernel, std::size_t block, StreamMeasurement& measured) {
  isa::InstructionSource source(kernel, kernel.blocks[block].cube, kernel.blocks[block]);
  const auto no_addresses = [](const isa::Instruction&) { return false; };
  for (isa::Instruction head; source.next(head, no_addresses);) {
    if (head.opcode >= isa::Opcode::set_flag && head.opcode <= isa::Opcode::cross_wait) continue;
    ++measured.instructions;
    if (head.opcode != isa::Opcode::scalar && isa::gm_access(kernel.operands[head.operands]) != isa::GmAccess::none) ++measured.gm_moves;
  }
}

std::vector<std::unique_ptr<cores::ScoreboardModule>> make_groups(CoreGroupContext context, std::size_t count) {
  std::vector<std::unique_ptr<cores::ScoreboardModule>> groups;
  for (std::size_t i = 0; i < count; ++i) {
    context.path = "group" + std::to_string(i);
    context.group_index = static_cast<int>(i);
    groups.push_back(std::make_unique<cores::ScoreboardModule>(context.path.c_str(), context));
  }
  return groups;
}

StreamMeasurement simulate(const BoardSpec& board, const Kernel& kernel, TraceLevel level) {
  const SocSpec& soc = board.socs[0];
  StreamMeasurement measured;
  const double begin = cpu_now();
  RunRecorder recorder(level);
  TimelineModule timeline("timeline");
  memory::MemoryModule memory("memory", soc.memory);
  cores::InterGroupFlags flags(timeline, 1);
  CoreGroupContext context;
  context.soc = &soc;
  context.group = &soc.groups[0];
  context.memory = &memory;
  context.flags = &flags;
  context.trace = &recorder;
  context.functional = false;
  const auto groups = make_groups(context, kernel.blocks.size());
  Silent observer;
  timeline.at(0, [&] {
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i]->start({&kernel, static_cast<std::uint32_t>(i), 0, 1, static_cast<std::uint32_t>(groups.size())}, observer);
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const double start = cpu_now();
  sc_core::sc_start();
  measured.cpu_seconds = cpu_now() - start;
  measured.start_seconds = start - begin;
  measured.end_time = timeline.now();
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  measured.peak_bytes = usage.ru_maxrss * std::int64_t{1024};
  for (std::size_t i = 0; i < groups.size(); ++i) count_instructions(kernel, i, measured);
  return measured;
}

}  // namespace

StreamMeasurement measure_stream(const BoardSpec& board, const Kernel& kernel, TraceLevel level) {
  int ends[2];
  StreamMeasurement measured;
  if (pipe(ends) != 0) return measured;
  const pid_t child = fork();
  if (child == 0) {
    const StreamMeasurement result = simulate(board, kernel, level);
    const ssize_t written = write(ends[1], &result, sizeof result);
    _exit(written == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &measured, sizeof measured) != static_cast<ssize_t>(sizeof measured)) measured = StreamMeasurement{};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return measured;
}

}  // namespace npulab::machine
