// SPDX-License-Identifier: Apache-2.0
#include "app/report/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace npulab::report {
namespace {

/// A part of the path and the parameters (substrings of their dotted paths) that its length follows from.
struct Part {
  const char* name;
  const char* sentence;  // completes "... is limited by "
  std::vector<const char*> parameters;
};

enum PartIndex { kHost, kLink, kScheduler, kLaunch, kScalar, kVector, kCube, kMte1, kMte2, kMte3, kFix, kSync, kMemory, kPort, kPartCount };

const std::array<Part, kPartCount>& parts() {
  static const std::array<Part, kPartCount> table = {{
      {"host software", "the host: driver calls, launches and interrupts", {"host."}},
      {"PCIe and DMA", "moving data over PCIe", {"link.", "dma", "endpoint"}},
      {"task scheduler", "the task scheduler: fetching descriptors, dispatching, completing", {"scheduler."}},
      {"core launch", "starting cores", {"launch"}},
      {"scalar", "instruction issue on the scalar unit", {"dispatch.", "scalar."}},
      {"vector", "the vector unit", {"vector."}},
      {"cube", "the cube unit", {"cube."}},
      {"MTE1", "loads from L1 to L0 (MTE1)", {"mte1."}},
      {"MTE2", "loads from GM (MTE2)", {"mte2", "gm_read", "outstanding"}},
      {"MTE3", "stores to GM (MTE3)", {"mte3", "gm_write", "outstanding"}},
      {"FixPipe", "FixPipe", {"fixpipe", "fix_gm"}},
      {"waiting between pipes", "pipes waiting for each other with nothing else to do", {"flags.", "latency", "startup", "head_drained"}},
      {"L2 and HBM", "L2 and HBM bandwidth", {"l2.", "hbm."}},
      {"local ports", "local buffer ports", {"port_rate"}},
  }};
  return table;
}

PartIndex part_of(isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::s: return kScalar;
    case isa::Pipe::v: return kVector;
    case isa::Pipe::m: return kCube;
    case isa::Pipe::mte1: return kMte1;
    case isa::Pipe::mte2: return kMte2;
    case isa::Pipe::mte3: return kMte3;
    default: return kFix;
  }
}

/// Share of the part's parameters that are marked assumed, in 1/1000.
std::int64_t assumed_permille(const Part& part, const ParameterTable& table) {
  std::int64_t all = 0, assumed = 0;
  for (const Parameter& parameter : table.parameters) {
    const bool concerned = std::any_of(part.parameters.begin(), part.parameters.end(), [&](const char* key) {
      return parameter.path.find(key) != std::string::npos;
    });
    if (!concerned) continue;
    ++all;
    if (parameter.evidence == Evidence::assumed) ++assumed;
  }
  return all == 0 ? 0 : 1000 * assumed / all;
}

/// Splits the execution time of one block over parts: the core's pipes by their busy time when one of them works, memory and
/// port waits of the pipe that was active longest, and what no pipe covers as waiting.
void split_block(const CoreBlockRecord& block, Picoseconds time, std::array<Picoseconds, kPartCount>& into) {
  if (block.total_cycles == 0) return;
  const auto stall = [&](int pipe, StallCause cause) { return block.pipes[pipe].stall[static_cast<int>(cause)]; };
  int longest = 0;
  for (int pipe = 1; pipe < isa::kPipeCount; ++pipe) {
    if (block.pipes[pipe].pmu_active > block.pipes[longest].pmu_active) longest = pipe;
  }
  const Cycles launch = stall(longest, StallCause::launch);
  const Cycles memory = stall(longest, StallCause::memory_edge) + stall(longest, StallCause::memory_port) +
                        stall(longest, StallCause::memory_l2) + stall(longest, StallCause::memory_hbm);
  const Cycles port = stall(longest, StallCause::port);
  const Cycles busy = block.pipes[longest].busy;
  const Cycles issue = stall(longest, StallCause::dispatch);
  const auto scaled = [&](Cycles cycles) { return static_cast<Picoseconds>(static_cast<__int128>(time) * cycles / block.total_cycles); };
  Picoseconds left = time;
  for (const auto& [part, cycles] : {std::pair<PartIndex, Cycles>{kLaunch, launch}, {kMemory, memory}, {kPort, port},
                                     {part_of(static_cast<isa::Pipe>(longest)), busy}, {kScalar, issue}}) {
    into[part] += scaled(cycles);
    left -= scaled(cycles);
  }
  into[kSync] += left;
}

}  // namespace

Attribution attribute(const RunResult& run) {
  std::array<Picoseconds, kPartCount> time{};
  std::map<std::uint64_t, const CoreBlockRecord*> last_block;
  for (const CoreBlockRecord& block : run.recorder->core_blocks()) {
    const CoreBlockRecord*& last = last_block[block.task];
    if (last == nullptr || block.end_time > last->end_time) last = &block;
  }
  // Tasks in order of retirement; each one accounts for the time since the path last advanced.
  std::vector<const TaskRecord*> tasks;
  for (const TaskRecord& task : run.recorder->tasks()) tasks.push_back(&task);
  std::stable_sort(tasks.begin(), tasks.end(), [](const TaskRecord* a, const TaskRecord* b) { return a->ended < b->ended; });
  Picoseconds reached = tasks.empty() ? 0 : tasks.front()->submitted;
  const Picoseconds begin = reached;
  const auto advance = [&](Picoseconds to, PartIndex part) {
    if (to <= reached) return;
    time[part] += to - reached;
    reached = to;
  };
  for (const TaskRecord* task : tasks) {
    advance(task->submitted, kHost);
    advance(task->started, kScheduler);
    if (task->ended > reached) {
      const auto block = last_block.find(task->task);
      if (task->kind == "kernel" && block != last_block.end()) {
        split_block(*block->second, task->ended - reached, time);
        reached = task->ended;
      } else {
        advance(task->ended, task->kind == "kernel" ? kSync : kLink);
      }
    }
  }
  for (const TaskRecord* task : tasks) advance(task->completed, kScheduler);
  for (const TaskRecord* task : tasks) advance(task->retired, kHost);

  Attribution result;
  result.total = reached - begin;
  for (int part = 0; part < kPartCount; ++part) {
    if (time[part] == 0) continue;
    const std::int64_t permille = assumed_permille(parts()[part], run.board->parameters);
    const Picoseconds assumed = static_cast<Picoseconds>(static_cast<__int128>(time[part]) * permille / 1000);
    result.shares.push_back({parts()[part].name, time[part], assumed});
    result.assumed += assumed;
  }
  std::stable_sort(result.shares.begin(), result.shares.end(), [](const PathShare& a, const PathShare& b) { return a.time > b.time; });
  if (!result.shares.empty() && result.total > 0) {
    const auto part = std::find_if(parts().begin(), parts().end(), [&](const Part& p) { return p.name == result.shares[0].name; });
    result.bottleneck = fmt::format("The run is limited by {} ({:.0f} % of the critical path).", part->sentence,
                                    100.0 * static_cast<double>(result.shares[0].time) / static_cast<double>(result.total));
  }
  return result;
}

}  // namespace npulab::report
