// SPDX-License-Identifier: Apache-2.0
// The independent reader: lspci of pciutils reads the dump of an enumerated card and must see what was configured.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/unit/firmware/firmware_machine.h"

namespace npulab {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> part;
  while (pipe != nullptr && fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  if (pipe != nullptr) pclose(pipe);
  return text;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

class Lspci : public testing::Test {
 protected:
  void SetUp() override {
    if (output_of("command -v lspci").empty()) GTEST_SKIP() << "pciutils is not installed";
    BoardSpec board = test::card_board(4, test::plain_link(3, 16), test::plain_link(3, 4));
    board.pcie[3].link.width = 2;  // the first chip trained narrow
    machine = std::make_unique<test::FirmwareMachine>(board);
    machine->start();
    char name[] = "/tmp/npulab-lspci-XXXXXX";
    close(mkstemp(name));
    file = name;
    std::ofstream out(file);
    machine->plain.fabric->dump_lspci(out);
  }
  void TearDown() override { std::remove(file.c_str()); }
  std::string read(const std::string& options) { return output_of("lspci -F " + file + " " + options + " 2>&1"); }
  std::unique_ptr<test::FirmwareMachine> machine;
  std::string file;
};

TEST_F(Lspci, sees_the_tree) {
  const std::string tree = read("-tv");
  EXPECT_NE(tree.find("-[0000:00]---01.0-[01-06]----00.0-[02-06]--+-00.0-[03]----00.0"), std::string::npos) << tree;
  for (const char* branch : {"+-01.0-[04]----00.0", "+-02.0-[05]----00.0", "\\-03.0-[06]----00.0"}) EXPECT_NE(tree.find(branch), std::string::npos) << tree;
  EXPECT_EQ(count(tree, "Device d100"), 4) << tree;
}

TEST_F(Lspci, sees_identity_bars_and_interrupts) {
  const std::string text = read("-vvv -s 06:00.0");
  EXPECT_NE(text.find("Processing accelerators"), std::string::npos) << text;
  EXPECT_NE(text.find("Subsystem: Huawei"), std::string::npos) << text;
  EXPECT_NE(text.find("Mem+ BusMaster+"), std::string::npos) << text;
  EXPECT_NE(text.find("MSI-X: Enable+ Count=128 Masked-"), std::string::npos) << text;
  EXPECT_NE(text.find("Vector table: BAR=2 offset=00020000"), std::string::npos) << text;
  EXPECT_NE(text.find("PBA: BAR=2 offset=00030000"), std::string::npos) << text;
  EXPECT_NE(text.find("Express (v2) Endpoint"), std::string::npos) << text;
  EXPECT_NE(text.find("MaxPayload 256 bytes, MaxReadReq 512 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("RlxdOrd+ ExtTag+"), std::string::npos) << text;
  EXPECT_NE(text.find("Advanced Error Reporting"), std::string::npos) << text;
  EXPECT_NE(text.find("Device Serial Number d1-00-19-e5-00-00-00-03"), std::string::npos) << text;
  EXPECT_NE(text.find("Power Management version 3"), std::string::npos) << text;
  EXPECT_NE(text.find("Vendor Specific Information: Len=08"), std::string::npos) << text;
  const auto& entry = machine->driver.logical(3);
  for (const auto& [address, kind] : {std::make_pair(entry.io, "(64-bit, non-prefetchable)"), std::make_pair(entry.window, "(64-bit, prefetchable)")}) {
    char line[64];
    std::snprintf(line, sizeof(line), "Memory at %llx %s", static_cast<unsigned long long>(address), kind);
    EXPECT_NE(text.find(line), std::string::npos) << line << '\n' << text;
  }
}

TEST_F(Lspci, sees_links_and_their_downgrade) {
  const std::string narrow = read("-vvv -s 03:00.0"), full = read("-vvv -s 02:01.0"), up = read("-vvv -s 01:00.0");
  EXPECT_NE(narrow.find("LnkCap:\tPort #0, Speed 8GT/s, Width x8"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("Width x2 (downgraded)"), std::string::npos) << narrow;
  EXPECT_EQ(full.find("downgraded"), std::string::npos) << full;
  EXPECT_NE(full.find("Express (v2) Downstream Port"), std::string::npos) << full;
  EXPECT_NE(full.find("LnkSta:\tSpeed 8GT/s, Width x4"), std::string::npos) << full;
  EXPECT_NE(up.find("Express (v2) Upstream Port"), std::string::npos) << up;
  EXPECT_NE(up.find("Width x16"), std::string::npos) << up;
}

TEST_F(Lspci, sees_bridge_windows_that_hold_the_bars) {
  const std::string root = read("-vv -s 00:01.0");
  EXPECT_NE(root.find("Bus: primary=00, secondary=01, subordinate=06"), std::string::npos) << root;
  EXPECT_NE(root.find("Memory behind bridge: c0000000-c03fffff [size=4M]"), std::string::npos) << root;
  EXPECT_NE(root.find("Prefetchable memory behind bridge: 0000004000000000-"), std::string::npos) << root;
  EXPECT_NE(root.find("Express (v2) Root Port"), std::string::npos) << root;
  EXPECT_EQ(read("-vvv").find("<access denied>"), std::string::npos);
}

}  // namespace
}  // namespace npulab
