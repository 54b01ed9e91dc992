// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <utility>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

using Kind = PcieNodeSpec::Kind;

constexpr std::uint32_t kBytesPerLine = 16;

void check_credits(const PcieNodeSpec& node, std::vector<Diagnostic>& problems) {
  const auto least = [&](int found, int needed, const char* name) {
    if (found != 0 && found < needed) {
      problems.push_back({"", 0, 0, node.path + ".link.credits." + name,
                          "expected at least " + std::to_string(needed) + " (one TLP) or 0 (infinite), found " + std::to_string(found)});
    }
  };
  const int data = node.link.max_payload_bytes / static_cast<int>(kCreditBytes);
  least(node.link.posted_data_credits, data, "posted_data");
  least(node.link.completion_data_credits, data, "completion_data");
}

void check_bars(const DeviceSpec& device, const SocSpec& soc, std::vector<Diagnostic>& problems) {
  const std::int64_t needed = registers::io_bytes(static_cast<std::uint32_t>(soc.scheduler.max_streams));
  const auto io = std::find_if(soc.endpoint.bars.begin(), soc.endpoint.bars.end(), [](const auto& bar) { return bar.role == "io"; });
  const bool memory = std::any_of(soc.endpoint.bars.begin(), soc.endpoint.bars.end(), [](const auto& bar) { return bar.role == "memory"; });
  const std::string key = device.path + ".soc.endpoint.bars";
  if (io == soc.endpoint.bars.end()) problems.push_back({"", 0, 0, key, "expected a BAR with role io, found none"});
  else if (io->size < needed) problems.push_back({"", 0, 0, key, "expected an io BAR of at least " + std::to_string(needed) + " B for its queues, found " + std::to_string(io->size) + " B"});
  if (!memory) problems.push_back({"", 0, 0, key, "expected a BAR with role memory, found none"});
}

}  // namespace

Fabric::Fabric(const BoardSpec& board, Timeline& timeline, const std::vector<MemorySystem*>& memories, TraceSink* trace, bool functional)
    : board_(board), timeline_(timeline), root_(timeline, board.host) {
  check();
  for (std::size_t i = 0; i < board.pcie.size(); ++i) add_node(i);
  for (const auto& node : nodes_) {
    if (node->up() != nullptr) node->up()->trace_to(trace);
    if (node->down() != nullptr) node->down()->trace_to(trace);
  }
  fronts_.resize(board.devices.size());
  for (std::size_t i = 0; i < board.pcie.size(); ++i) {
    if (board.pcie[i].kind != Kind::endpoint) continue;
    const std::size_t index = static_cast<std::size_t>(board.pcie[i].device);
    const DeviceSpec& device = board.devices[index];
    fronts_[index] = std::make_unique<DeviceFront>(timeline, static_cast<Endpoint&>(*nodes_[i]), *memories.at(index),
                                                   board.socs[static_cast<std::size_t>(device.soc)], device.path, trace, functional);
  }
}

void Fabric::check() const {
  std::vector<Diagnostic> problems;
  for (const PcieNodeSpec& node : board_.pcie) {
    if (node.kind == Kind::switch_upstream || node.kind == Kind::endpoint) check_credits(node, problems);
  }
  for (const DeviceSpec& device : board_.devices) check_bars(device, board_.socs[static_cast<std::size_t>(device.soc)], problems);
  if (!problems.empty()) throw UserError(std::move(problems));
}

const LinkSpec& Fabric::link_of_port(std::size_t index) const {
  if (board_.pcie[index].kind == Kind::switch_upstream) return board_.pcie[index].link;
  for (const PcieNodeSpec& node : board_.pcie) {
    if (node.parent == static_cast<int>(index)) return node.link;
  }
  return board_.pcie[index].link;  // nothing below
}

void Fabric::add_node(std::size_t index) {
  const PcieNodeSpec& spec = board_.pcie[index];
  std::uint8_t number = 0;  // among the functions of its bus
  for (std::size_t i = 0; i < index; ++i) number = static_cast<std::uint8_t>(number + (board_.pcie[i].parent == spec.parent ? 1 : 0));
  Port* parent = spec.parent < 0 ? nullptr : static_cast<Port*>(nodes_[static_cast<std::size_t>(spec.parent)].get());
  if (spec.kind == Kind::endpoint) {
    const DeviceSpec& device = board_.devices[static_cast<std::size_t>(spec.device)];
    const EndpointSpec& endpoint = board_.socs[static_cast<std::size_t>(device.soc)].endpoint;
    nodes_.push_back(std::make_unique<Endpoint>(timeline_, spec, endpoint, static_cast<std::uint32_t>(spec.device)));
    return parent->link_to(*nodes_.back(), spec.link);
  }
  // Device 0 of bus 0 is the host bridge, which has no configuration space here.
  if (spec.kind == Kind::root_port) ++number;
  auto port = std::make_unique<Port>(timeline_, spec, FunctionConfig::bridge(spec.kind, link_of_port(index), number), number);
  if (spec.kind == Kind::root_port) root_.add_port(*port);
  else if (spec.kind == Kind::switch_downstream) port->hang_on(*parent);
  else parent->link_to(*port, spec.link);
  nodes_.push_back(std::move(port));
}

int Fabric::device_at(PciAddress address) const {
  for (const auto& node : nodes_) {
    if (node->spec().kind == Kind::endpoint && node->address() == address) return node->spec().device;
  }
  return -1;
}

void Fabric::dump_lspci(std::ostream& out) const {
  std::vector<const TreeNode*> found;
  for (const auto& node : nodes_) {
    const bool root = node->spec().kind == Kind::root_port;
    if (root ? node->address().device != 0 : node->address().bus != 0) found.push_back(node.get());
  }
  std::sort(found.begin(), found.end(), [](const TreeNode* a, const TreeNode* b) {
    return std::make_pair(a->address().bus, a->address().device) < std::make_pair(b->address().bus, b->address().device);
  });
  const auto flags = out.flags();
  out << std::hex << std::setfill('0');
  for (const TreeNode* node : found) {
    out << to_string(node->address()) << ' ' << node->spec().path << '\n';
    for (std::uint32_t at = 0; at < ConfigSpace::kBytes; at += kBytesPerLine) {
      out << std::setw(at < 0x100 ? 2 : 3) << at << ':';
      for (std::uint32_t i = 0; i < kBytesPerLine; ++i) out << ' ' << std::setw(2) << static_cast<int>(node->config().space().byte(at + i));
      out << '\n';
    }
    out << '\n';
  }
  out.flags(flags);
}

std::string Fabric::outstanding() const {
  std::string text = root_.outstanding();
  for (const auto& node : nodes_) {
    for (const LinkDirection* link : {node->up(), node->down()}) {
      if (link != nullptr) text += link->outstanding();
    }
  }
  for (const auto& front : fronts_) text += front->outstanding();
  return text;
}

bool Fabric::quiet() const {
  for (const auto& node : nodes_) {
    for (const LinkDirection* link : {node->up(), node->down()}) {
      if (link == nullptr) continue;
      if (!link->outstanding().empty()) return false;
      for (int kind = 0; kind < kCreditClassCount; ++kind) {
        const CreditLedger& credits = link->credits(static_cast<CreditClass>(kind));
        if (credits.headers_in_flight() != 0 || credits.data_in_flight() != 0) return false;
      }
    }
  }
  return true;
}

}  // namespace npulab::pcie
