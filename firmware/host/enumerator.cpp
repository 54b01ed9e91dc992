// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/enumerator.h"

#include <algorithm>

#include "firmware/host/address_plan.h"
#include "model/contract/config_registers.h"

namespace npulab::firmware::host {
namespace {

using namespace npulab::config;

constexpr std::uint32_t kAllOnes = 0xffffffff;
constexpr int kDevicesPerBus = 32;
constexpr std::uint32_t kLastBus = 255;
constexpr std::uint32_t kRootPort = 4, kDownstreamPort = 6;
constexpr int kMostCapabilities = 48;

}  // namespace

std::vector<PciFunction> Enumerator::run() {
  functions_.clear();
  next_bus_ = 1;
  scan_bus(0, -1, kDevicesPerBus);
  const AddressPlan plan = plan_addresses(functions_);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const PciFunction& function = functions_[i];
    if (function.bridge) {
      write_windows(function, plan.memory[i].base, plan.memory[i].size, false);
      write_windows(function, plan.prefetch[i].base, plan.prefetch[i].size, true);
    } else {
      write_bars(function);
    }
  }
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].parent < 0) set_payload(static_cast<int>(i), payload_code(static_cast<int>(i)));
  }
  for (const PciFunction& function : functions_) enable(function);
  return functions_;
}

void Enumerator::scan_bus(std::uint8_t bus, int parent, int devices) {
  for (int device = 0; device < devices; ++device) {
    const PciAddress address{bus, static_cast<std::uint8_t>(device), 0};
    const std::uint32_t identity = access_.config_read(address, kVendor);
    if (identity == kAllOnes) continue;
    const int index = add_function(address, identity, parent);
    if (functions_[static_cast<std::size_t>(index)].bridge) scan_bridge(index);
    else size_bars(functions_[static_cast<std::size_t>(index)]);
  }
}

int Enumerator::add_function(PciAddress address, std::uint32_t identity, int parent) {
  PciFunction function;
  function.address = address;
  function.vendor = static_cast<std::uint16_t>(identity);
  function.device = static_cast<std::uint16_t>(identity >> 16);
  function.class_code = access_.config_read(address, kRevision) >> 8;
  function.bridge = (access_.config_read(address, 0x0c) >> 16 & 0x7f) == kHeaderBridge;
  function.parent = parent;
  find_capabilities(function);
  functions_.push_back(function);
  const int index = static_cast<int>(functions_.size()) - 1;
  if (parent >= 0) functions_[static_cast<std::size_t>(parent)].children.push_back(index);
  return index;
}

void Enumerator::find_capabilities(PciFunction& function) {
  std::uint32_t at = access_.config_read(function.address, kCapabilities) & 0xfc;
  for (int i = 0; at != 0 && i < kMostCapabilities; ++i) {
    const std::uint32_t head = access_.config_read(function.address, at);
    if ((head & 0xff) == kCapExpress) function.express = at;
    if ((head & 0xff) == kCapMsix) function.msix = at;
    if ((head & 0xff) == kCapVendor) function.vendor_specific = at;
    at = head >> 8 & 0xfc;
  }
}

void Enumerator::scan_bridge(int index) {
  PciFunction bridge = functions_[static_cast<std::size_t>(index)];
  if (next_bus_ > kLastBus) {
    functions_[static_cast<std::size_t>(index)].problem = "no bus number left";
    return;
  }
  bridge.secondary = static_cast<std::uint8_t>(next_bus_++);
  const std::uint32_t numbers = bridge.address.bus | static_cast<std::uint32_t>(bridge.secondary) << 8;
  access_.config_write(bridge.address, kPrimary, numbers | kLastBus << 16);
  functions_[static_cast<std::size_t>(index)].secondary = bridge.secondary;
  // Below a root or downstream port there is a link, and on a link only device 0.
  const std::uint32_t type = access_.config_read(bridge.address, bridge.express) >> 20 & 0xf;
  const bool link = bridge.express != 0 && (type == kRootPort || type == kDownstreamPort);
  scan_bus(bridge.secondary, index, link ? 1 : kDevicesPerBus);
  const std::uint32_t last = next_bus_ - 1;
  access_.config_write(bridge.address, kPrimary, numbers | last << 16);
  functions_[static_cast<std::size_t>(index)].subordinate = static_cast<std::uint8_t>(last);
}

void Enumerator::size_bars(PciFunction& function) {
  for (int i = 0; i < kBars; ++i) {
    const std::uint32_t at = kBar0 + 4 * static_cast<std::uint32_t>(i);
    const std::uint32_t before = access_.config_read(function.address, at);
    access_.config_write(function.address, at, kAllOnes);
    const std::uint32_t low = access_.config_read(function.address, at);
    access_.config_write(function.address, at, before);
    if (low == 0 || (low & 1) != 0) continue;  // absent, or I/O space
    std::uint64_t mask = low & ~kBarFlags;
    if ((low & kBar64) != 0) {
      const std::uint32_t upper = access_.config_read(function.address, at + 4);
      access_.config_write(function.address, at + 4, kAllOnes);
      mask |= static_cast<std::uint64_t>(access_.config_read(function.address, at + 4)) << 32;
      access_.config_write(function.address, at + 4, upper);
    } else {
      mask |= static_cast<std::uint64_t>(kAllOnes) << 32;
    }
    function.bars.push_back({i, ~mask + 1, (low & kBarPrefetchable) != 0, 0});
    if ((low & kBar64) != 0) ++i;
  }
}

void Enumerator::write_windows(const PciFunction& bridge, std::uint64_t base, std::uint64_t size, bool prefetchable) {
  // A closed window has its base above its limit.
  const std::uint64_t first = size == 0 ? 0xfff : base / kWindowGranule;
  const std::uint64_t last = size == 0 ? 0 : (base + size - 1) / kWindowGranule;
  const std::uint32_t low = static_cast<std::uint32_t>((first & 0xfff) << 4 | (last & 0xfff) << 20);
  access_.config_write(bridge.address, prefetchable ? kPrefetchBase : kMemoryBase, low);
  if (!prefetchable) return;
  access_.config_write(bridge.address, kPrefetchBaseUpper, static_cast<std::uint32_t>(first >> 12));
  access_.config_write(bridge.address, kPrefetchLimitUpper, static_cast<std::uint32_t>(last >> 12));
}

void Enumerator::write_bars(const PciFunction& function) {
  for (const PciBar& bar : function.bars) {
    const std::uint32_t at = kBar0 + 4 * static_cast<std::uint32_t>(bar.index);
    access_.config_write(function.address, at, static_cast<std::uint32_t>(bar.address));
    access_.config_write(function.address, at + 4, static_cast<std::uint32_t>(bar.address >> 32));
  }
}

// A path uses the smallest payload that any of its ports supports; one size for the whole tree below a root port.
std::uint32_t Enumerator::payload_code(int index) {
  const PciFunction& function = functions_[static_cast<std::size_t>(index)];
  std::uint32_t code = 7;
  if (function.express != 0) code = access_.config_read(function.address, function.express + kDeviceCap) & 7;
  for (int child : function.children) code = std::min(code, payload_code(child));
  return code;
}

void Enumerator::set_payload(int index, std::uint32_t code) {
  const PciFunction& function = functions_[static_cast<std::size_t>(index)];
  if (function.express != 0) {
    const std::uint32_t at = function.express + kDeviceControl;
    const bool tags = (access_.config_read(function.address, function.express + kDeviceCap) & kDeviceCapExtendedTags) != 0;
    const std::uint32_t control = access_.config_read(function.address, at) & 0xffff & ~(7u << kDeviceControlPayloadShift);
    access_.config_write(function.address, at, control | code << kDeviceControlPayloadShift | (tags ? kDeviceControlExtendedTags : 0));
  }
  for (int child : function.children) set_payload(child, code);
}

void Enumerator::enable(const PciFunction& function) {
  if (function.problem.empty()) access_.config_write(function.address, kCommand, kCommandMemory | kCommandMaster);
}

}  // namespace npulab::firmware::host
