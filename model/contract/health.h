// SPDX-License-Identifier: Apache-2.0
// What a device says about itself while it starts, and what the host makes of it. Boot states and health levels are those of
// the public management interface, with the failure and the self-test told apart.
#pragma once

#include <cstdint>

namespace npulab {

/// In the order a healthy device goes through them. Only `ready` accepts work.
enum class BootState : std::uint8_t { uninitialised, rom, firmware_load, os, self_test, services, ready, failed };
inline constexpr int kBootStateCount = 8;

enum class HealthLevel : std::uint8_t { ok, warning, alarm, critical, unknown };

inline const char* name_of(BootState state) {
  static const char* const names[] = {"uninitialised", "rom", "firmware_load", "os", "self_test", "services", "ready", "failed"};
  return static_cast<int>(state) < kBootStateCount ? names[static_cast<int>(state)] : "unknown";
}

inline const char* name_of(HealthLevel level) {
  static const char* const names[] = {"OK", "Warning", "Alarm", "Critical", "UNKNOWN"};
  return names[static_cast<int>(level)];
}

}  // namespace npulab
