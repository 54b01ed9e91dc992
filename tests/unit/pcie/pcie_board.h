// SPDX-License-Identifier: Apache-2.0
// Small boards for tests, written out in code: one device behind a root port, or a card with a switch and several chips.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/spec/board_spec.h"
#include "pcie/fabric.h"
#include "tests/unit/pcie/plain_timeline.h"

namespace npulab::test {

inline LinkSpec plain_link(int generation, int width, int max_payload = 256, int max_read = 512) {
  LinkSpec link;
  link.generation = generation;
  link.width = width;
  link.max_payload_bytes = max_payload;
  link.max_read_request_bytes = max_read;
  link.propagation = 50'000;
  link.dllp_overhead_permille = 50;
  link.posted_header_credits = 64;
  link.posted_data_credits = 320;
  link.nonposted_header_credits = 72;
  link.nonposted_data_credits = 4;
  return link;
}

inline SocSpec plain_soc() {
  SocSpec soc;
  soc.name = "plain";
  EndpointSpec& e = soc.endpoint;
  e.vendor_id = 0x19e5;
  e.device_id = 0xd100;
  e.subsystem_vendor_id = 0x19e5;
  e.subsystem_id = 0x0100;
  e.class_code = 0x120000;
  e.revision = 0x20;
  e.bars = {{0, 65536, true, "reserved"}, {2, 1 << 20, false, "io"}, {4, 64 << 20, true, "memory"}};
  e.msix_vectors = 128;
  e.max_generation = 3;
  e.max_width = 8;
  e.max_payload_bytes = 256;
  e.max_tags = 256;
  e.dma_channels = 4;
  e.dma_outstanding_bytes = 65536;
  e.dma_bytes_per_s = 20'000'000'000;
  e.dma_start_latency = 200'000;
  soc.scheduler = {200'000, 500'000, 200'000, 300'000, 128, 64, 32};
  soc.memory.clock_khz = 1'000'000;
  soc.memory.bucket = 64'000;
  soc.memory.l2 = {1 << 20, 512, 128, 16, 500'000'000'000, 500'000'000'000, 100'000, 80'000};
  soc.memory.hbm = {std::int64_t{1} << 30, 100'000'000'000, 200'000};
  soc.boot = {200'000'000'000, 800'000'000'000, 500'000'000'000, 400'000'000'000, 100'000'000'000, 200'000'000, 1'000'000'000'000};
  return soc;
}

inline HostSpec plain_host() {
  HostSpec host;
  host.memory_latency = 400'000;
  host.memory_bytes_per_s = 100'000'000'000;
  host.read_completion_boundary = 64;
  host.doorbell_latency = 400'000;
  host.interrupt_latency = 2'000'000;
  host.driver_call = 1'000'000;
  host.launch_call = 1'000'000;
  host.ready_timeout = 10'000'000'000;
  host.poll_period = 50'000'000;
  return host;
}

inline PcieNodeSpec plain_node(PcieNodeSpec::Kind kind, std::string path, int parent, int device, const LinkSpec& link, Picoseconds forward) {
  PcieNodeSpec node;
  node.kind = kind;
  node.path = std::move(path);
  node.parent = parent;
  node.device = device;
  node.link = link;
  node.forward_latency = forward;
  return node;
}

/// Root port and one endpoint.
inline BoardSpec single_board(const LinkSpec& link = plain_link(3, 8)) {
  using Kind = PcieNodeSpec::Kind;
  BoardSpec board;
  board.name = "single";
  board.host = plain_host();
  board.socs = {plain_soc()};
  board.devices = {{"board.npu0", 0, false, ""}};
  board.pcie = {plain_node(Kind::root_port, "board.rp0", -1, -1, {}, 0), plain_node(Kind::endpoint, "board.rp0.npu0", 0, 0, link, 0)};
  return board;
}

/// Root port, switch, and `chips` endpoints below it.
inline BoardSpec card_board(int chips, const LinkSpec& uplink, const LinkSpec& chip_link) {
  using Kind = PcieNodeSpec::Kind;
  BoardSpec board = single_board();
  board.name = "card";
  board.devices.clear();
  board.pcie = {plain_node(Kind::root_port, "board.rp0", -1, -1, {}, 0),
                plain_node(Kind::switch_upstream, "board.rp0.switch", 0, -1, uplink, 105'000)};
  for (int i = 0; i < chips; ++i) {
    const std::string down = "board.rp0.switch.down" + std::to_string(i), npu = "npu" + std::to_string(i);
    board.devices.push_back({"board." + npu, 0, false, ""});
    board.pcie.push_back(plain_node(Kind::switch_downstream, down, 1, -1, {}, 0));
    board.pcie.push_back(plain_node(Kind::endpoint, down + "." + npu, static_cast<int>(board.pcie.size()) - 1, i, chip_link, 0));
  }
  return board;
}

/// A fabric with plain memories behind its devices.
struct PlainMachine {
  explicit PlainMachine(BoardSpec spec, bool functional = true) : board(std::move(spec)), thread(timeline) {
    std::vector<MemorySystem*> pointers;
    for (std::size_t i = 0; i < board.devices.size(); ++i) {
      memories.push_back(std::make_unique<PlainMemory>(timeline, Bytes{1} << 30, 100'000));
      pointers.push_back(memories.back().get());
    }
    fabric = std::make_unique<pcie::Fabric>(board, timeline, pointers, nullptr, functional);
  }
  BoardSpec board;
  PlainTimeline timeline;
  PlainHostThread thread;
  std::vector<std::unique_ptr<PlainMemory>> memories;
  std::unique_ptr<pcie::Fabric> fabric;
};

}  // namespace npulab::test
