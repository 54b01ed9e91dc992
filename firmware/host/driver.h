// SPDX-License-Identifier: Apache-2.0
// The host driver: enumerates the PCIe tree, finds the devices, waits until each one says it is ready or has failed or is out
// of time, and offers the ready ones as logical devices, numbered from zero in order of discovery. Leaves out the heartbeat
// watch after start-up, reset and hot-plug.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "firmware/host/enumerator.h"
#include "model/contract/health.h"
#include "model/spec/board_spec.h"
#include "model/trace/trace_sink.h"

namespace npulab::firmware::host {

/// One device found, usable or not.
struct DeviceEntry {
  int logical = -1;            // -1: left out
  PciAddress address;
  std::uint16_t vendor = 0, device = 0;
  BootState boot = BootState::uninitialised;
  HealthLevel health = HealthLevel::unknown;
  std::string reason;          // why it was left out
  Picoseconds ready_time = kNever;  // when the driver saw it
  std::uint64_t io = 0;        // host addresses of the BARs
  std::uint64_t window = 0;
  Bytes window_bytes = 0;
  Bytes memory_bytes = 0;
  int max_streams = 0;
  int queue_depth = 0;
  int vectors = 0;
};

class Driver {
 public:
  using VectorHandler = std::function<void()>;

  /// `trace` may be null.
  Driver(HostLink& link, HostThread& thread, const HostSpec& host, TraceSink* trace);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Runs on the host thread; returns when every device is ready or given up.
  void start();
  const std::vector<PciFunction>& functions() const { return functions_; }
  const std::vector<DeviceEntry>& devices() const { return devices_; }
  int logical_count() const { return static_cast<int>(logical_.size()); }
  /// InternalError for a number that does not exist.
  const DeviceEntry& logical(int number) const;
  /// A line a device, for people: address, identity, health, logical number or reason.
  std::string describe() const;

  /// Unmasks a vector of a logical device; `handler` is called at the time of each interrupt.
  void connect(int logical, int vector, VectorHandler handler);
  HostAccess& access() { return access_; }
  const HostSpec& host() const { return host_; }

 private:
  void find_devices();
  void map_bars(const PciFunction& function, DeviceEntry& entry);
  void wait_ready();
  bool settled(DeviceEntry& entry);
  void take_over(DeviceEntry& entry);
  std::string error_text(const DeviceEntry& entry);
  void span(const char* name, Picoseconds from);

  HostAccess access_;
  HostSpec host_;
  TraceSink* trace_;
  std::uint32_t track_ = 0;
  std::vector<PciFunction> functions_;
  std::vector<DeviceEntry> devices_;
  std::vector<int> logical_;                        // index into devices_
  std::map<std::uint32_t, VectorHandler> handlers_; // by message
};

}  // namespace npulab::firmware::host
