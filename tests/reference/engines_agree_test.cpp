// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <systemc>

#include "model/base/clock_domain.h"
#include "model/spec/board_spec.h"
#include "tests/reference/random_kernel.h"
#include "tests/support/core_rig.h"

namespace npulab::test {
namespace {

/// Text of everything that must be equal, so that a difference can be shown.
std::string describe(const RigResult& result) {
  std::string text;
  const auto add = [&](const char* name, std::initializer_list<std::int64_t> values) {
    text += name;
    for (std::int64_t value : values) text += ' ' + std::to_string(value);
    text += '\n';
  };
  for (std::size_t i = 0; i < result.end_times.size(); ++i) {
    add("end", {static_cast<std::int64_t>(i), result.end_times[i]});
    text += result.errors[i] + result.blocked[i];
  }
  for (const CoreBlockRecord& block : result.blocks) {
    add("block", {block.core, block.total_cycles, block.mac_int8});
    for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) {
      const PipeTotals& t = block.pipes[pipe];
      add("  pipe", {pipe, t.busy, t.pmu_active, t.instructions, t.gm_read_bytes, t.gm_write_bytes});
      for (Cycles stall : t.stall) text += ' ' + std::to_string(stall);
      text += '\n';
    }
  }
  for (const InstructionRecord& r : result.instructions) {
    add("i", {r.core, static_cast<int>(r.pipe), static_cast<int>(r.opcode), r.position, r.start, r.busy_end, r.visible});
  }
  std::uint64_t hash = 1469598103934665603ull;
  for (std::uint8_t byte : result.gm) hash = (hash ^ byte) * 1099511628211ull;
  add("gm", {static_cast<std::int64_t>(hash)});
  return text;
}

/// Runs in a child process, since SystemC elaborates once a process.
std::string run_apart(const SocSpec& soc, int group_kind, const Kernel& kernel, EngineKind engine, const RigOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      text = describe(run_on_cores(soc, group_kind, kernel, engine, options));
    } catch (const std::exception& error) {
      text = std::string("exception: ") + error.what();
    }
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    close(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) text += "child died";
  return text;
}

/// First line in which two texts differ, with its number.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t at = 0, line = 1, start = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) {
    if (a[at] == '\n') {
      ++line;
      start = at + 1;
    }
    ++at;
  }
  if (at == a.size() && at == b.size()) return "";
  return "line " + std::to_string(line) + ": scoreboard '" + a.substr(start, a.find('\n', start) - start) + "' process '" +
         b.substr(start, b.find('\n', start) - start) + "'";
}

SocSpec soc_of(const char* board) { return load_board(std::string(NPULAB_SOURCE_DIR "/configs/board/") + board, {}).socs[0]; }

struct Case {
  const char* board;
  int group_kind;
  int max_groups;
};

class EnginesAgree : public testing::TestWithParam<Case> {};

TEST_P(EnginesAgree, on_random_kernels) {
  const Case& c = GetParam();
  const SocSpec soc = soc_of(c.board);
  const int programs = NPULAB_RANDOM_PROGRAMS;
  int finished = 0;
  for (int seed = 1; seed <= programs; ++seed) {
    const SocSpec varied = random_variation(soc, static_cast<std::uint32_t>(seed));
    RandomKernelShape shape;
    // Most programs are small; every 32nd fills all groups.
    shape.groups = seed % 32 == 0 ? c.max_groups : 1 + seed % 4;
    shape.groups = std::min(shape.groups, c.max_groups);
    shape.instructions = seed % 32 == 0 ? 40 : 60 + seed % 100;
    const Kernel kernel = random_kernel(varied, c.group_kind, shape, static_cast<std::uint32_t>(seed));
    RigOptions options;
    options.gm_bytes = kRandomKernelGmBytes;
    const std::string scoreboard = run_apart(varied, c.group_kind, kernel, EngineKind::scoreboard, options);
    const std::string process = run_apart(varied, c.group_kind, kernel, EngineKind::process, options);
    ASSERT_EQ(first_difference(scoreboard, process), "") << c.board << " seed " << seed;
    const bool ended = scoreboard.find("end 0 ") != std::string::npos && scoreboard.find("end 0 -1") == std::string::npos;
    if (ended && scoreboard.find("exception") == std::string::npos && scoreboard.find("child died") == std::string::npos) ++finished;
    ASSERT_EQ(finished, seed) << "legal programs must finish: " << scoreboard.substr(0, 500);
  }
}

/// The latest time after " end N " lines of a description.
Picoseconds last_end(const std::string& text) {
  Picoseconds last = 0;
  for (std::size_t at = 0; text.compare(at, 4, "end ") == 0; at = text.find('\n', at) + 1) {
    last = std::max<Picoseconds>(last, std::stoll(text.substr(text.find(' ', at + 4))));
  }
  return last;
}

// Whatever the engine has worked out ahead, an abort leaves what happened up to then: records, bytes and nothing else.
TEST_P(EnginesAgree, on_what_an_abort_leaves) {
  const Case& c = GetParam();
  const SocSpec soc = soc_of(c.board);
  const CoreGroupSpec& group = soc.groups[static_cast<std::size_t>(c.group_kind)];
  const ClockDomain clock(soc.core(group.fused_cores > 0 ? CoreKind::fused : CoreKind::cube).clock_khz);
  for (int seed = 1; seed <= NPULAB_RANDOM_PROGRAMS / 8; ++seed) {
    RandomKernelShape shape;
    shape.groups = 1 + seed % 3;
    shape.instructions = 60 + seed % 100;
    const Kernel kernel = random_kernel(soc, c.group_kind, shape, static_cast<std::uint32_t>(seed));
    RigOptions options;
    options.gm_bytes = kRandomKernelGmBytes;
    const std::string whole = run_apart(soc, c.group_kind, kernel, EngineKind::scoreboard, options);
    const Cycles last = clock.cycle_at_or_after(last_end(whole));
    ASSERT_GT(last, 2) << whole.substr(0, 500);
    // Between two edges, so that no event of the cores falls on the abort itself.
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    options.abort_at = clock.edge(1 + static_cast<Cycles>(random() % static_cast<std::uint32_t>(last - 1))) + 200;
    const std::string scoreboard = run_apart(soc, c.group_kind, kernel, EngineKind::scoreboard, options);
    const std::string process = run_apart(soc, c.group_kind, kernel, EngineKind::process, options);
    ASSERT_EQ(first_difference(scoreboard, process), "") << c.board << " seed " << seed << " abort at " << options.abort_at;
    ASSERT_NE(scoreboard, whole) << "aborted before the end, all the same nothing is missing";
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, EnginesAgree,
                         testing::Values(Case{"card_910b1.yaml", 0, 24}, Case{"card_310p3.yaml", 0, 8}, Case{"card_950pr.yaml", 0, 28},
                                         Case{"card_910a.yaml", 0, 32}),
                         [](const auto& info) { return std::string(info.param.board).substr(5, std::strlen(info.param.board) - 10); });

}  // namespace
}  // namespace npulab::test

int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
