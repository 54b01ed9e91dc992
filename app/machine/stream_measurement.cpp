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
#include "workloads/kernels/tile_stream.h"

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

/// Runs the tile stream on every core of the board, timing only.
StreamMeasurement simulate(const BoardSpec& board, TraceLevel level, std::int64_t tiles) {
  const SocSpec& soc = board.socs[0];
  const Kernel kernel = kernels::tile_stream(soc, tiles);
  RunRecorder recorder(level);
  TimelineModule timeline("timeline");
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
  StreamMeasurement measured;
  measured.cpu_seconds = cpu_now() - start;
  measured.instructions = kernels::tile_stream_instructions(tiles) * static_cast<std::int64_t>(groups.size());
  measured.gm_moves = kernels::tile_stream_gm_moves(tiles) * static_cast<std::int64_t>(groups.size());
  return measured;
}

}  // namespace

StreamMeasurement measure_tile_stream(const BoardSpec& board, TraceLevel level, std::int64_t tiles) {
  int ends[2];
  StreamMeasurement measured;
  if (pipe(ends) != 0) return measured;
  const pid_t child = fork();
  if (child == 0) {
    const StreamMeasurement result = simulate(board, level, tiles);
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
