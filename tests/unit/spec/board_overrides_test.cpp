// SPDX-License-Identifier: Apache-2.0
// --set on a real board.
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "model/spec/board_spec.h"
#include "tests/unit/spec/shipped_configs.h"

namespace npulab {
namespace {

std::string refusal(const std::string& board, const std::string& assignment) {
  try {
    load_board(test::source_path("configs/board/" + board), {assignment});
  } catch (const UserError& error) {
    std::string text;
    for (const Diagnostic& problem : error.diagnostics()) text += to_string(problem) + '\n';
    return text;
  }
  return "accepted";
}

TEST(BoardOverrides, every_way_of_naming_a_value_reaches_it) {
  const std::string file = test::source_path("configs/board/card_910b1.yaml");
  for (const char* path : {"soc.", "socs.ascend910b1.", "socs.*.", "npu0.soc.", "devices.npu0.soc.", "board.npu0.soc.", "*.soc.", "devices.*.soc."}) {
    const BoardSpec board = load_board(file, {std::string(path) + "memory.hbm.sustained_bandwidth=1.2TB/s"});
    ASSERT_EQ(board.socs.size(), 1u) << path;
    EXPECT_EQ(board.socs[0].memory.hbm.sustained_bytes_per_s, 1'200'000'000'000) << path;
  }
}

TEST(BoardOverrides, several_values_in_order) {
  const BoardSpec board = load_board(test::source_path("configs/board/card_910b1.yaml"),
                                     {"engine=process", "board.boot=full", "host.doorbell=1 us", "pcie.rp0.children.npu0.link.width=8",
                                      "soc.endpoint.bars.1.size=2 MiB", "npu0.boot_failure=HBM training failed", "host.doorbell=2 us",
                                      "soc.cores.cube.buffers.l0c.port_rate=512 B/cycle"});
  EXPECT_EQ(board.engine, EngineKind::process);
  EXPECT_TRUE(board.full_boot);
  EXPECT_EQ(board.host.doorbell_latency, 2'000'000);
  EXPECT_EQ(board.pcie.at(1).link.width, 8);
  EXPECT_EQ(board.socs[0].endpoint.bars.at(1).size, 2 << 20);
  EXPECT_TRUE(board.devices[0].fails_boot);
  EXPECT_EQ(board.devices[0].boot_failure, "HBM training failed");
  EXPECT_EQ(board.socs[0].cube.buffers[static_cast<int>(isa::Space::l0c)].port_rate.milli_per_cycle, 512'000) << "an optional key the file leaves out";
}

TEST(BoardOverrides, cross_core_flags_can_be_switched_off_and_the_rest_stays) {
  const BoardSpec board = load_board(test::source_path("configs/board/card_910b1.yaml"), {"soc.cross_flags.supported=false"});
  EXPECT_FALSE(board.socs[0].cross_flags.supported);
  EXPECT_NE(refusal("card_310p3.yaml", "soc.cross_flags.supported=true").find("cross_flags.flags: expected this key"), std::string::npos);
}

TEST(BoardOverrides, one_device_may_differ_from_its_sisters) {
  const BoardSpec board = load_board(test::source_path("configs/board/card_310x4.yaml"),
                                     {"npu2.soc.cores.fused.clock=340 MHz", "npu2.soc.memory.hbm.sustained_bandwidth=20 GB/s", "soc.memory.bucket=48 ns"});
  ASSERT_EQ(board.socs.size(), 2u);
  for (int i : {0, 1, 3}) EXPECT_EQ(board.socs.at(static_cast<std::size_t>(board.devices[static_cast<std::size_t>(i)].soc)).fused.clock_khz, 680'000);
  const SocSpec& slow = board.socs.at(static_cast<std::size_t>(board.devices[2].soc));
  EXPECT_EQ(slow.fused.clock_khz, 340'000);
  EXPECT_EQ(slow.memory.hbm.sustained_bytes_per_s, 20'000'000'000);
  EXPECT_EQ(slow.name, "ascend310") << "still the same product, so workloads for it run";
  for (const SocSpec& soc : board.socs) EXPECT_EQ(soc.memory.bucket, 48'000);
}

TEST(BoardOverrides, parameters_say_that_they_were_overridden) {
  const BoardSpec board = load_board(test::source_path("configs/board/card_910b1.yaml"), {"soc.memory.l2.ways=8"});
  int overridden = 0;
  for (const Parameter& parameter : board.parameters.parameters) {
    if (parameter.evidence != Evidence::overridden) continue;
    ++overridden;
    EXPECT_EQ(parameter.path, "socs.ascend910b1.memory.l2.ways");
    EXPECT_EQ(parameter.value, "8");
  }
  EXPECT_EQ(overridden, 1);
}

TEST(BoardOverrides, paths_of_parameters_are_paths_that_set_takes) {
  const std::string file = test::source_path("configs/board/card_310x4.yaml");
  const BoardSpec board = load_board(file, {});
  std::vector<std::string> all;
  for (const Parameter& parameter : board.parameters.parameters) all.push_back(parameter.path + '=' + parameter.value);
  const BoardSpec same = load_board(file, all);
  ASSERT_EQ(same.parameters.parameters.size(), board.parameters.parameters.size());
  for (const Parameter& parameter : same.parameters.parameters) EXPECT_EQ(parameter.evidence, Evidence::overridden) << parameter.path;
}

TEST(BoardOverrides, mistakes_are_said_at_the_command_line) {
  const std::pair<const char*, const char*> rows[] = {
      {"engine", "--set: expected PATH=VALUE, found 'engine'"},
      {"=3", "expected PATH=VALUE"},
      {"soc.memory.hbm.capacty=1GiB", "--set: socs.ascend910b1.memory.hbm.capacty: expected no such key here, did you mean 'capacity'?"},
      {"soc.memry.hbm.capacity=1GiB", "found no 'memry' there, did you mean 'memory'?"},
      {"npu1.soc.memory.hbm.capacity=1GiB", "found no 'npu1' there"},
      {"soc.memory.hbm.capacity=lots", "--set: socs.ascend910b1.memory.hbm.capacity: expected a size such as 512 KiB, found 'lots'"},
      {"soc.memory.hbm.capacity=0 B", "(too small)"},
      {"soc.memory.l2.capacity=1001 KiB", "--set: socs.ascend910b1.memory.l2.capacity: expected a multiple of line x ways"},
      {"host=3", "expected the path of a single value, found a group of 9"},
      {"engine=fast", "--set: engine: expected one of scoreboard, process, found 'fast'"},
      {"npu0.soc=ascend310", "--set: devices.npu0.soc: expected a name under socs, found 'ascend310'"},
      {"soc.memory.l2.ways.evidence=measured", "expected nothing below a quantity, found 'evidence'"},
      {"bananas=1", "--set: bananas: expected no such key here"},
      {"soc.endpoint.max_width=8", "expected width of at most 8 as the endpoint has, found 16"},
  };
  for (const auto& [assignment, expected] : rows) {
    const std::string text = refusal("card_910b1.yaml", assignment);
    EXPECT_NE(text.find(expected), std::string::npos) << assignment << ": " << text;
  }
}

TEST(BoardOverrides, all_mistakes_come_at_once) {
  try {
    load_board(test::source_path("configs/board/card_910b1.yaml"), {"nonsense.a=1", "engine=x", "host.doorbell=1"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostics().size(), 3u);
  }
}

}  // namespace
}  // namespace npulab
