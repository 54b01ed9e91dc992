// SPDX-License-Identifier: Apache-2.0
// Every shipped board comes up on plain memories: its devices are found, usable, and copy at a rate its links allow.
#include <gtest/gtest.h>

#include "tests/unit/firmware/firmware_machine.h"

namespace npulab {
namespace {

class ShippedBoard : public testing::TestWithParam<const char*> {};

TEST_P(ShippedBoard, comes_up_and_copies) {
  const BoardSpec board = load_board(std::string(NPULAB_SOURCE_DIR) + "/configs/board/" + GetParam() + ".yaml", {});
  test::FirmwareMachine machine(board, 2, false);
  machine.start();
  ASSERT_EQ(machine.driver.logical_count(), static_cast<int>(board.devices.size())) << machine.driver.describe();
  const Bytes bytes = 16 << 20;
  for (int d = 0; d < machine.driver.logical_count(); ++d) {
    int stream = -1;
    std::uint64_t device = 0;
    firmware::host::Runtime& runtime = machine.runtime(d);
    ASSERT_EQ(runtime.create_stream(stream), RuntimeCode::ok);
    ASSERT_EQ(runtime.allocate(bytes, device), RuntimeCode::ok);
    const std::uint64_t host = runtime.allocate_host(bytes);
    runtime.copy_to_device(stream, device, host, bytes, {"in", "", 0});
    runtime.copy_to_host(stream, host, device, bytes, {"out", "", 0});
    ASSERT_EQ(runtime.synchronize(stream), RuntimeCode::ok);
    EXPECT_EQ(runtime.device().max_streams, board.socs[0].scheduler.max_streams);
  }
  for (const PcieNodeSpec& node : board.pcie) {
    if (node.kind != PcieNodeSpec::Kind::endpoint) continue;
    const EndpointSpec& endpoint = board.socs[static_cast<std::size_t>(board.devices[static_cast<std::size_t>(node.device)].soc)].endpoint;
    const double link = static_cast<double>(pcie::LinkRate(node.link).raw_bytes_per_s()) * (1000 - node.link.dllp_overhead_permille) / 1000;
    const double payload = node.link.max_payload_bytes;
    for (const TaskRecord& record : machine.records.tasks) {
      if (record.device != node.device) continue;
      const double rate = static_cast<double>(bytes) / static_cast<double>(record.ended - record.started) * 1e12;
      const double limit = std::min(static_cast<double>(endpoint.dma_bytes_per_s), link * payload / (payload + (record.kind == "d2h" ? 24 : 20)));
      EXPECT_LT(rate, limit) << record.kind;
      EXPECT_GT(rate, 0.97 * limit) << record.kind;
    }
  }
  machine.plain.timeline.run();
  EXPECT_EQ(machine.plain.fabric->outstanding(), "");
}

INSTANTIATE_TEST_SUITE_P(All, ShippedBoard, testing::Values("card_310p3", "card_310x4", "card_910a", "card_910b1", "card_910b2", "card_910b3", "card_950pr", "card_950pr_28core"),
                         [](const auto& board) { return std::string(board.param); });

}  // namespace
}  // namespace npulab
