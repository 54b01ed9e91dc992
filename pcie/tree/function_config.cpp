// SPDX-License-Identifier: Apache-2.0
#include "pcie/tree/function_config.h"

#include "model/base/errors.h"
#include "model/contract/device_registers.h"

namespace npulab::pcie {
namespace {

using namespace npulab::config;

// Where the capabilities lie.
constexpr std::uint32_t kPowerAt = 0x40, kExpressAt = 0x50, kMsixAt = 0x90, kVendorAt = 0xa0, kAerAt = 0x100, kSerialAt = 0x150;
constexpr std::uint32_t kVendorLength = 8;

// pci.ids: "HiSilicon PCIe Root Port with Gen4" and "PEX 8747 48-Lane, 5-Port PCI Express Gen 3 (8.0 GT/s) Switch".
constexpr std::uint32_t kRootVendor = 0x19e5, kRootDevice = 0xa120, kSwitchVendor = 0x10b5, kSwitchDevice = 0x8747;
constexpr std::uint32_t kBridgeClass = 0x060400;

constexpr std::uint32_t kTypeEndpoint = 0, kTypeRootPort = 4, kTypeUpstream = 5, kTypeDownstream = 6;
constexpr std::uint32_t kCommandWritable = 0x0547;      // io, memory, master, parity, SERR, INTx disable
constexpr std::uint32_t kRoleBasedErrors = 0x8000;
constexpr std::uint32_t kDeviceControlWritable = 0x7fff, kDeviceControlReset = 0x2810;  // relaxed ordering, no snoop, 512-byte reads
constexpr std::uint32_t kLinkActiveReporting = 1 << 20, kSlotClock = 1 << 12, kLinkActive = 1 << 13;
constexpr std::uint32_t kUncorrectable = 0x07fff030, kFatal = 0x00462030, kCorrectable = 0xf1c1;

std::uint32_t type_of(PcieNodeSpec::Kind kind) {
  if (kind == PcieNodeSpec::Kind::root_port) return kTypeRootPort;
  return kind == PcieNodeSpec::Kind::switch_upstream ? kTypeUpstream : kTypeDownstream;
}

}  // namespace

FunctionConfig FunctionConfig::endpoint(const EndpointSpec& spec, const PcieNodeSpec& node, std::uint32_t serial) {
  FunctionConfig out;
  const auto u = [](int value) { return static_cast<std::uint32_t>(value); };
  std::uint32_t io = kNoBar, memory = kNoBar;
  for (const EndpointSpec::Bar& bar : spec.bars) {
    if (bar.role == "io") io = u(bar.index);
    if (bar.role == "memory") memory = u(bar.index);
  }
  out.add_header(u(spec.vendor_id), u(spec.device_id), u(spec.class_code), u(spec.revision), 0);
  out.add_bars(spec.bars);
  out.space_.set(kSubsystemVendor, 2, u(spec.subsystem_vendor_id));
  out.space_.set(kSubsystem, 2, u(spec.subsystem_id));
  out.add_power(kExpressAt);
  out.add_express(kTypeEndpoint, spec.max_payload_bytes, spec.max_tags, node.link, spec.max_generation, spec.max_width, 0, kMsixAt);
  out.add_msix(spec.msix_vectors, io, kVendorAt);
  out.space_.set(kVendorAt, 4, kCapVendor | kVendorLength << 16 | io << 24);
  out.space_.set(kVendorAt + kVendorMemoryBar, 1, memory);
  out.add_aer(kSerialAt);
  out.add_serial(serial);
  return out;
}

FunctionConfig FunctionConfig::bridge(PcieNodeSpec::Kind kind, const LinkSpec& link, std::uint32_t port) {
  FunctionConfig out;
  const bool root = kind == PcieNodeSpec::Kind::root_port;
  out.add_header(root ? kRootVendor : kSwitchVendor, root ? kRootDevice : kSwitchDevice, kBridgeClass, 0, kHeaderBridge);
  out.add_windows();
  out.add_power(kExpressAt);
  out.add_express(type_of(kind), link.max_payload_bytes, 0, link, link.generation, link.width, port, 0);
  out.add_aer(0);
  return out;
}

void FunctionConfig::add_header(std::uint32_t vendor, std::uint32_t device, std::uint32_t class_code, std::uint32_t revision, std::uint32_t type) {
  space_.set(kVendor, 2, vendor);
  space_.set(kDevice, 2, device);
  space_.allow(kCommand, 2, kCommandWritable);
  space_.set(kStatus, 2, kStatusCapabilities);
  space_.set(kRevision, 4, class_code << 8 | revision);
  space_.set(kHeaderType, 1, type);
  space_.set(kCapabilities, 1, kPowerAt);
  space_.allow(0x0c, 1, 0xff);   // cache line size
  space_.allow(0x3c, 1, 0xff);   // interrupt line
}

void FunctionConfig::add_bars(const std::vector<EndpointSpec::Bar>& bars) {
  bars_ = bars;
  for (const EndpointSpec::Bar& bar : bars) {
    const std::uint64_t size = static_cast<std::uint64_t>(bar.size);
    if (bar.index < 0 || bar.index + 1 >= kBars || size < kBarFlags + 1 || (size & (size - 1)) != 0) throw InternalError("BAR " + std::to_string(bar.index));
    const std::uint32_t at = kBar0 + 4 * static_cast<std::uint32_t>(bar.index);
    const std::uint64_t mask = ~(size - 1);
    space_.set(at, 4, kBar64 | (bar.prefetchable ? kBarPrefetchable : 0));
    space_.allow(at, 4, static_cast<std::uint32_t>(mask));
    space_.allow(at + 4, 4, static_cast<std::uint32_t>(mask >> 32));
  }
}

void FunctionConfig::add_power(std::uint32_t next) {
  space_.set(kPowerAt, 4, kCapPower | next << 8 | 0x0003 << 16);  // version 3, no states below D0
  space_.allow(kPowerAt + 4, 2, 0x3);
}

void FunctionConfig::add_express(std::uint32_t type, std::int64_t max_payload, int max_tags, const LinkSpec& link, int cap_generation, int cap_width, std::uint32_t port, std::uint32_t next) {
  space_.set(kExpressAt, 4, kCapExpress | next << 8 | (2 | type << 4) << 16);
  space_.set(kExpressAt + kDeviceCap, 4, size_code(max_payload) | (max_tags > 32 ? kDeviceCapExtendedTags : 0) | kRoleBasedErrors);
  const std::uint32_t reads = size_code(link.max_read_request_bytes) << kDeviceControlReadShift;
  space_.set(kExpressAt + kDeviceControl, 2, (kDeviceControlReset & ~(7u << kDeviceControlReadShift)) | reads);
  space_.allow(kExpressAt + kDeviceControl, 2, kDeviceControlWritable);
  space_.allow_clear(kExpressAt + kDeviceControl + 2, 2, 0xf);
  add_link(link, cap_generation, cap_width, port, type == kTypeRootPort || type == kTypeDownstream);
}

void FunctionConfig::add_link(const LinkSpec& link, int cap_generation, int cap_width, std::uint32_t port, bool above_device) {
  const std::uint32_t generation = static_cast<std::uint32_t>(cap_generation), width = static_cast<std::uint32_t>(cap_width);
  space_.set(kExpressAt + kLinkCap, 4, generation | width << 4 | (above_device ? kLinkActiveReporting : 0) | port << 24);
  space_.allow(kExpressAt + kLinkControl, 2, 0x01fb);
  space_.set(kExpressAt + kLinkStatus, 2, static_cast<std::uint32_t>(link.generation) | static_cast<std::uint32_t>(link.width) << 4 |
                                              kSlotClock | (above_device ? kLinkActive : 0));
  space_.set(kExpressAt + kLinkCap2, 4, ((1u << generation) - 1) << 1);
  space_.set(kExpressAt + kLinkControl2, 2, generation);
  space_.allow(kExpressAt + kLinkControl2, 2, 0xf);
}

void FunctionConfig::add_msix(int vectors, std::uint32_t io_bar, std::uint32_t next) {
  msix_ = kMsixAt;
  space_.set(kMsixAt, 4, kCapMsix | next << 8 | static_cast<std::uint32_t>(vectors - 1) << 16);
  space_.allow(kMsixAt + kMsixControl, 2, kMsixEnable | kMsixMaskAll);
  space_.set(kMsixAt + kMsixTable, 4, registers::kMsixTable | io_bar);
  space_.set(kMsixAt + kMsixPending, 4, registers::kMsixPending | io_bar);
}

void FunctionConfig::add_aer(std::uint32_t next) {
  space_.set(kAerAt, 4, kExtAer | 2 << 16 | next << 20);
  space_.allow_clear(kAerAt + 0x04, 4, kUncorrectable);
  space_.allow(kAerAt + 0x08, 4, kUncorrectable);
  space_.set(kAerAt + 0x0c, 4, kFatal);
  space_.allow(kAerAt + 0x0c, 4, kUncorrectable);
  space_.allow_clear(kAerAt + 0x10, 4, kCorrectable);
  space_.set(kAerAt + 0x14, 4, 0x2000);  // advisory non-fatal errors are masked
  space_.allow(kAerAt + 0x14, 4, kCorrectable);
}

void FunctionConfig::add_serial(std::uint32_t serial) {
  space_.set(kSerialAt, 4, kExtSerial | 1 << 16);
  space_.set(kSerialAt + 4, 4, serial);
  space_.set(kSerialAt + 8, 4, space_.get(kVendor, 4));
}

void FunctionConfig::add_windows() {
  space_.allow(kPrimary, 4, 0x00ffffff);
  space_.allow(kMemoryBase, 4, 0xfff0fff0);
  space_.set(kPrefetchBase, 4, 0x00010001);  // 64-bit
  space_.allow(kPrefetchBase, 4, 0xfff0fff0);
  space_.allow(kPrefetchBaseUpper, 4, 0xffffffff);
  space_.allow(kPrefetchLimitUpper, 4, 0xffffffff);
  space_.allow(kBridgeControl, 2, 0x0043);   // parity, SERR, secondary bus reset
}

Bytes FunctionConfig::max_payload() const {
  return size_of_code(space_.get(kExpressAt + kDeviceControl, 2) >> kDeviceControlPayloadShift & 7);
}

Bytes FunctionConfig::max_read_request() const {
  return size_of_code(space_.get(kExpressAt + kDeviceControl, 2) >> kDeviceControlReadShift & 7);
}

std::optional<FunctionConfig::BarHit> FunctionConfig::find_bar(std::uint64_t address) const {
  if (!memory_enabled()) return std::nullopt;
  for (const EndpointSpec::Bar& bar : bars_) {
    const std::uint32_t at = kBar0 + 4 * static_cast<std::uint32_t>(bar.index);
    const std::uint64_t base = (space_.get(at, 4) & ~kBarFlags) | static_cast<std::uint64_t>(space_.get(at + 4, 4)) << 32;
    if (base != 0 && address - base < static_cast<std::uint64_t>(bar.size)) return BarHit{bar.index, address - base, &bar.role};
  }
  return std::nullopt;
}

bool FunctionConfig::covers_address(std::uint64_t address) const {
  if (!memory_enabled()) return false;
  // Windows are all zeros after reset; no device lies at address zero, so a zero limit is a closed window.
  const std::uint64_t granule = address / kWindowGranule;
  const std::uint64_t base = space_.get(kMemoryBase, 2) >> 4, limit = space_.get(kMemoryLimit, 2) >> 4;
  if (granule >= base && granule <= limit && limit != 0) return true;
  const std::uint64_t prefetch_base = space_.get(kPrefetchBase, 2) >> 4 | static_cast<std::uint64_t>(space_.get(kPrefetchBaseUpper, 4)) << 12;
  const std::uint64_t prefetch_limit = space_.get(kPrefetchLimit, 2) >> 4 | static_cast<std::uint64_t>(space_.get(kPrefetchLimitUpper, 4)) << 12;
  return prefetch_limit != 0 && granule >= prefetch_base && granule <= prefetch_limit;
}

}  // namespace npulab::pcie
