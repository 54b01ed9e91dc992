// SPDX-License-Identifier: Apache-2.0
// Enumeration through real configuration TLPs: bus numbers, sizes, places, windows, payload sizes.
#include "firmware/host/enumerator.h"

#include <gtest/gtest.h>

#include "firmware/host/address_plan.h"
#include "tests/unit/pcie/pcie_board.h"

namespace npulab::firmware::host {
namespace {

using test::card_board;
using test::plain_link;
using test::PlainMachine;

std::vector<PciFunction> enumerate(PlainMachine& machine) {
  HostAccess access(machine.fabric->host(), machine.thread);
  return Enumerator(access).run();
}

/// Every placed BAR is aligned, overlaps no other and lies in the windows of all bridges above it.
void expect_reachable(PlainMachine& machine, const std::vector<PciFunction>& functions) {
  std::map<std::uint64_t, std::uint64_t> taken;
  for (const PciFunction& function : functions) {
    for (const PciBar& bar : function.bars) {
      ASSERT_NE(bar.address, 0u);
      EXPECT_EQ(bar.address % bar.size, 0u);
      EXPECT_EQ(bar.prefetchable, bar.address >= kPrefetchSpace);
      const auto after = taken.lower_bound(bar.address);
      if (after != taken.end()) {
        EXPECT_LE(bar.address + bar.size, after->first);
      }
      if (after != taken.begin()) {
        EXPECT_LE(std::prev(after)->first + std::prev(after)->second, bar.address);
      }
      taken[bar.address] = bar.size;
      for (int up = function.parent; up >= 0; up = functions[static_cast<std::size_t>(up)].parent) {
        for (int n = 0; n < machine.fabric->node_count(); ++n) {
          if (!(machine.fabric->node(n).address() == functions[static_cast<std::size_t>(up)].address)) continue;
          EXPECT_TRUE(machine.fabric->node(n).config().covers_address(bar.address));
          EXPECT_TRUE(machine.fabric->node(n).config().covers_address(bar.address + bar.size - 1));
        }
      }
    }
  }
}

TEST(Enumerator, a_card_of_four_chips_is_numbered_depth_first) {
  PlainMachine machine(card_board(4, plain_link(3, 16), plain_link(3, 4)));
  const std::vector<PciFunction> functions = enumerate(machine);
  std::vector<std::string> found;
  for (const PciFunction& f : functions) found.push_back(to_string(f.address) + (f.bridge ? " " + std::to_string(f.secondary) + "-" + std::to_string(f.subordinate) : ""));
  EXPECT_EQ(found, (std::vector<std::string>{"00:01.0 1-6", "01:00.0 2-6", "02:00.0 3-3", "03:00.0", "02:01.0 4-4", "04:00.0", "02:02.0 5-5", "05:00.0", "02:03.0 6-6", "06:00.0"}));
  EXPECT_EQ(functions[3].vendor, 0x19e5);
  EXPECT_EQ(functions[3].device, 0xd100);
  EXPECT_EQ(functions[3].class_code, 0x120000u);
  ASSERT_EQ(functions[3].bars.size(), 3u);
  EXPECT_EQ(functions[3].bars[0].size, 65536u);
  EXPECT_EQ(functions[3].bars[1].size, std::uint64_t{1} << 20);
  EXPECT_EQ(functions[3].bars[2].size, std::uint64_t{64} << 20);
  expect_reachable(machine, functions);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(machine.fabric->device_at(functions[static_cast<std::size_t>(3 + 2 * i)].address), i);
}

TEST(Enumerator, switches_below_switches_and_several_root_ports) {
  using Kind = PcieNodeSpec::Kind;
  BoardSpec board = test::single_board();
  board.pcie.clear();
  board.devices.clear();
  const auto add = [&](Kind kind, int parent, int device) {
    board.pcie.push_back(test::plain_node(kind, "board.n" + std::to_string(board.pcie.size()), parent, device, plain_link(4, 8), 105'000));
    return static_cast<int>(board.pcie.size()) - 1;
  };
  const auto chip = [&](int port) {
    board.devices.push_back({"board.npu" + std::to_string(board.devices.size()), 0, false, ""});
    add(Kind::endpoint, port, static_cast<int>(board.devices.size()) - 1);
  };
  for (int root = 0; root < 2; ++root) {
    const int up = add(Kind::switch_upstream, add(Kind::root_port, -1, -1), -1);
    chip(add(Kind::switch_downstream, up, -1));
    const int inner = add(Kind::switch_upstream, add(Kind::switch_downstream, up, -1), -1);
    chip(add(Kind::switch_downstream, inner, -1));
    chip(add(Kind::switch_downstream, inner, -1));
  }
  PlainMachine machine(board);
  const std::vector<PciFunction> functions = enumerate(machine);
  EXPECT_EQ(functions.size(), board.pcie.size());
  expect_reachable(machine, functions);
  // Every chip answers at its own BAR.
  HostAccess access(machine.fabric->host(), machine.thread);
  for (const PciFunction& function : functions) {
    if (function.bridge) continue;
    const int device = machine.fabric->device_at(function.address);
    machine.fabric->device(device).write_register(0x08, 1000u + static_cast<std::uint32_t>(device));
    EXPECT_EQ(access.mmio_read(function.bars[1].address + 0x08), 1000u + static_cast<std::uint32_t>(device));
  }
  EXPECT_TRUE(machine.fabric->quiet());
}

TEST(Enumerator, the_payload_is_the_smallest_of_the_tree) {
  BoardSpec board = card_board(2, plain_link(3, 16, 512), plain_link(3, 4, 512));
  board.socs[0].endpoint.max_payload_bytes = 512;
  PlainMachine wide(board);
  enumerate(wide);
  EXPECT_EQ(wide.fabric->node(0).config().max_payload(), 512);
  board.pcie[5].link.max_payload_bytes = 128;  // the second chip's link
  PlainMachine narrow(board);
  enumerate(narrow);
  for (int i = 0; i < narrow.fabric->node_count(); ++i) EXPECT_EQ(narrow.fabric->node(i).config().max_payload(), 128) << i;
}

TEST(Enumerator, a_device_without_room_is_left_disabled_with_a_reason) {
  BoardSpec board = card_board(4, plain_link(3, 16), plain_link(3, 4));
  board.socs[0].endpoint.bars[1].size = 256 << 20;  // four of these do not fit 768 MiB of 32-bit space
  PlainMachine machine(board);
  const std::vector<PciFunction> functions = enumerate(machine);
  EXPECT_EQ(functions[9].problem, "no room for its BARs in the 32-bit address space");
  EXPECT_FALSE(machine.fabric->node(9).config().memory_enabled());
  for (int i : {3, 5, 7}) {
    EXPECT_EQ(functions[static_cast<std::size_t>(i)].problem, "");
    EXPECT_TRUE(machine.fabric->node(i).config().memory_enabled());
  }
}

TEST(Enumerator, very_large_bars_lie_above_four_gigabytes) {
  BoardSpec board = card_board(4, plain_link(5, 16), plain_link(5, 4));
  board.socs[0].endpoint.bars[2].size = std::int64_t{1} << 37;
  PlainMachine machine(board);
  const std::vector<PciFunction> functions = enumerate(machine);
  EXPECT_EQ(functions[9].bars[2].size, std::uint64_t{1} << 37);
  expect_reachable(machine, functions);
}

}  // namespace
}  // namespace npulab::firmware::host
