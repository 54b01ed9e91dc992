// SPDX-License-Identifier: Apache-2.0
// Offsets and bits of PCI configuration space that devices and driver agree on, as published with lspci and the Linux
// headers.
#pragma once

#include <cstdint>

namespace npulab::config {

// Header, both types.
inline constexpr std::uint32_t kVendor = 0x00, kDevice = 0x02, kCommand = 0x04, kStatus = 0x06, kRevision = 0x08;
inline constexpr std::uint32_t kClass = 0x09, kHeaderType = 0x0e, kCapabilities = 0x34;
inline constexpr std::uint32_t kCommandMemory = 0x2, kCommandMaster = 0x4;
inline constexpr std::uint32_t kStatusCapabilities = 0x10;
inline constexpr std::uint32_t kHeaderBridge = 1;
// Type 0.
inline constexpr std::uint32_t kBar0 = 0x10, kSubsystemVendor = 0x2c, kSubsystem = 0x2e;
inline constexpr int kBars = 6;
inline constexpr std::uint32_t kBar64 = 0x4, kBarPrefetchable = 0x8, kBarFlags = 0xf;
// Type 1.
inline constexpr std::uint32_t kPrimary = 0x18, kSecondary = 0x19, kSubordinate = 0x1a;
inline constexpr std::uint32_t kMemoryBase = 0x20, kMemoryLimit = 0x22, kPrefetchBase = 0x24, kPrefetchLimit = 0x26;
inline constexpr std::uint32_t kPrefetchBaseUpper = 0x28, kPrefetchLimitUpper = 0x2c, kBridgeControl = 0x3e;
inline constexpr std::uint64_t kWindowGranule = 1 << 20;

// Capabilities.
inline constexpr std::uint32_t kCapPower = 0x01, kCapVendor = 0x09, kCapExpress = 0x10, kCapMsix = 0x11;
inline constexpr std::uint32_t kExpressFlags = 0x02, kDeviceCap = 0x04, kDeviceControl = 0x08, kLinkCap = 0x0c;
inline constexpr std::uint32_t kLinkControl = 0x10, kLinkStatus = 0x12, kLinkCap2 = 0x2c, kLinkControl2 = 0x30;
inline constexpr std::uint32_t kMsixControl = 0x02, kMsixTable = 0x04, kMsixPending = 0x08;
inline constexpr std::uint32_t kMsixEnable = 0x8000, kMsixMaskAll = 0x4000;
inline constexpr std::uint32_t kDeviceCapExtendedTags = 0x20, kDeviceControlExtendedTags = 0x100;
inline constexpr std::uint32_t kDeviceControlPayloadShift = 5, kDeviceControlReadShift = 12;
// Vendor specific: which BAR plays which role.
inline constexpr std::uint32_t kVendorIoBar = 0x03, kVendorMemoryBar = 0x04;
inline constexpr std::uint32_t kNoBar = 0xff;

// Extended capabilities.
inline constexpr std::uint32_t kExtended = 0x100, kExtAer = 0x0001, kExtSerial = 0x0003;

/// 128, 256, ... as the three-bit code of MPS and MRRS.
constexpr std::uint32_t size_code(std::int64_t bytes) {
  std::uint32_t code = 0;
  while ((std::int64_t{128} << code) < bytes) ++code;
  return code;
}
constexpr std::int64_t size_of_code(std::uint32_t code) { return std::int64_t{128} << code; }

}  // namespace npulab::config
