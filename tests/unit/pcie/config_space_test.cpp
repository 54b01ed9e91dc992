// SPDX-License-Identifier: Apache-2.0
// Configuration space as software sees it: sizing of BARs, command bits that gate traffic, windows of bridges.
#include <gtest/gtest.h>

#include "pcie/tree/function_config.h"
#include "tests/unit/pcie/pcie_board.h"

namespace npulab::pcie {
namespace {

FunctionConfig endpoint_config() {
  static const BoardSpec board = test::single_board();
  return FunctionConfig::endpoint(board.socs[0].endpoint, board.pcie[1], 7);
}

TEST(ConfigSpace, writing_ones_to_a_bar_shows_its_size) {
  struct Row { std::uint32_t at; std::uint64_t size; std::uint32_t flags; };
  for (const Row& row : {Row{0x10, 65536, 0xc}, Row{0x18, 1 << 20, 0x4}, Row{0x20, 64 << 20, 0xc}}) {
    FunctionConfig config = endpoint_config();
    EXPECT_EQ(config.read(row.at), row.flags);
    config.write(row.at, 0xffffffff);
    config.write(row.at + 4, 0xffffffff);
    const std::uint64_t mask = (config.read(row.at) & ~0xfu) | static_cast<std::uint64_t>(config.read(row.at + 4)) << 32;
    EXPECT_EQ(~mask + 1, row.size);
    EXPECT_EQ(config.read(row.at) & 0xf, row.flags);
  }
}

TEST(ConfigSpace, a_bar_of_many_gigabytes_uses_the_upper_half) {
  BoardSpec board = test::single_board();
  board.socs[0].endpoint.bars[2].size = std::int64_t{1} << 35;
  FunctionConfig config = FunctionConfig::endpoint(board.socs[0].endpoint, board.pcie[1], 0);
  config.write(0x20, 0xffffffff);
  config.write(0x24, 0xffffffff);
  EXPECT_EQ(config.read(0x20), 0xcu);
  EXPECT_EQ(config.read(0x24), 0xfffffff8u);
}

TEST(ConfigSpace, read_only_registers_keep_their_values) {
  FunctionConfig config = endpoint_config();
  for (std::uint32_t at : {0x00u, 0x08u, 0x2cu, 0x34u, 0x14u + 0x8u}) {
    const std::uint32_t before = config.read(at);
    if (at == 0x1c) continue;
    config.write(at, ~before);
    EXPECT_EQ(config.read(at), before) << std::hex << at;
  }
  EXPECT_EQ(config.read(0x00), 0xd10019e5u);
  EXPECT_EQ(config.read(0x08), 0x12000020u);
}

TEST(ConfigSpace, a_bar_answers_only_while_memory_is_enabled) {
  FunctionConfig config = endpoint_config();
  config.write(0x18, 0xd0000000);
  EXPECT_FALSE(config.find_bar(0xd0000000));
  config.write(0x04, 0x2);
  const auto hit = config.find_bar(0xd00fffff);
  ASSERT_TRUE(hit);
  EXPECT_EQ(*hit->role, "io");
  EXPECT_EQ(hit->offset, 0xfffffu);
  EXPECT_FALSE(config.find_bar(0xd0100000));
  EXPECT_FALSE(config.find_bar(0xcfffffff));
  EXPECT_FALSE(config.master_enabled());
  config.write(0x04, 0x6);
  EXPECT_TRUE(config.master_enabled());
}

TEST(ConfigSpace, bridge_windows_are_whole_mebibytes) {
  FunctionConfig bridge = FunctionConfig::bridge(PcieNodeSpec::Kind::root_port, test::plain_link(3, 8), 1);
  bridge.write(0x04, 0x6);
  EXPECT_FALSE(bridge.covers_address(0xc0000000));
  bridge.write(0x20, 0xc010c000);  // c0000000 to c01fffff
  EXPECT_TRUE(bridge.covers_address(0xc0000000));
  EXPECT_TRUE(bridge.covers_address(0xc01fffff));
  EXPECT_FALSE(bridge.covers_address(0xc0200000));
  EXPECT_FALSE(bridge.covers_address(0xbfffffff));
  bridge.write(0x24, 0x00100000);
  bridge.write(0x28, 0x40);
  bridge.write(0x2c, 0x40);  // 40_00000000 to 40_001fffff
  EXPECT_TRUE(bridge.covers_address(0x4000000000));
  EXPECT_TRUE(bridge.covers_address(0x40001fffff));
  EXPECT_FALSE(bridge.covers_address(0x4000200000));
  bridge.write(0x04, 0);
  EXPECT_FALSE(bridge.covers_address(0xc0000000));
}

TEST(ConfigSpace, bus_numbers_route_once_written) {
  FunctionConfig bridge = FunctionConfig::bridge(PcieNodeSpec::Kind::switch_upstream, test::plain_link(3, 8), 0);
  EXPECT_FALSE(bridge.covers_bus(0));
  bridge.write(0x18, 0x00060201);
  EXPECT_EQ(bridge.secondary(), 2);
  EXPECT_TRUE(bridge.covers_bus(2));
  EXPECT_TRUE(bridge.covers_bus(6));
  EXPECT_FALSE(bridge.covers_bus(7));
  EXPECT_FALSE(bridge.covers_bus(1));
}

TEST(ConfigSpace, errors_are_cleared_by_writing_ones) {
  FunctionConfig config = endpoint_config();
  config.space().set(0x104, 4, 0x100020);
  config.write(0x104, 0x20);
  EXPECT_EQ(config.read(0x104), 0x100000u);
  config.write(0x104, 0xffffffff);
  EXPECT_EQ(config.read(0x104), 0u);
}

}  // namespace
}  // namespace npulab::pcie
