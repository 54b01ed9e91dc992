// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/driver.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "model/base/errors.h"
#include "model/contract/config_registers.h"
#include "model/contract/device_registers.h"

namespace npulab::firmware::host {
namespace {

constexpr std::uint32_t kAcceleratorClass = 0x12;
constexpr std::uint32_t kVectorsPerDevice = 2048;
constexpr std::uint32_t kAllOnes = 0xffffffff;
// Polls become rarer the longer one waits, so that a lost device costs hundreds of polls, not millions.
constexpr Picoseconds kPollFraction = 16;

const PciBar* bar_of(const PciFunction& function, std::uint32_t index) {
  const auto found = std::find_if(function.bars.begin(), function.bars.end(), [&](const PciBar& bar) { return static_cast<std::uint32_t>(bar.index) == index; });
  return found == function.bars.end() ? nullptr : &*found;
}

std::string milliseconds(Picoseconds time) {
  const Picoseconds microseconds = time / kPicosecondsPerMicrosecond;
  return std::to_string(microseconds / 1000) + "." + std::to_string(microseconds % 1000 + 1000).substr(1) + " ms";
}

}  // namespace

Driver::Driver(HostLink& link, HostThread& thread, const HostSpec& host, TraceSink* trace) : access_(link, thread), host_(host), trace_(trace) {
  if (trace_ != nullptr) track_ = trace_->add_track("board.host.driver", "driver");
  link.on_interrupt([this](std::uint32_t message) {
    const auto found = handlers_.find(message);
    if (found != handlers_.end()) found->second();
  });
}

void Driver::span(const char* name, Picoseconds from) {
  if (trace_ != nullptr) trace_->span({track_, from, access_.thread().now(), name, 0, 0});
}

void Driver::start() {
  const Picoseconds begin = access_.thread().now();
  functions_ = Enumerator(access_).run();
  find_devices();
  span("enumerate", begin);
  const Picoseconds waiting = access_.thread().now();
  wait_ready();
  span("wait for ready", waiting);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].boot != BootState::ready) continue;
    devices_[i].logical = static_cast<int>(logical_.size());
    logical_.push_back(static_cast<int>(i));
  }
}

void Driver::find_devices() {
  for (const PciFunction& function : functions_) {
    if (function.bridge || function.class_code >> 16 != kAcceleratorClass) continue;
    DeviceEntry entry;
    entry.address = function.address;
    entry.vendor = function.vendor;
    entry.device = function.device;
    entry.reason = function.problem;
    if (function.problem.empty()) map_bars(function, entry);
    devices_.push_back(entry);
  }
}

void Driver::map_bars(const PciFunction& function, DeviceEntry& entry) {
  const std::uint32_t head = function.vendor_specific == 0 ? kAllOnes : access_.config_read(function.address, function.vendor_specific);
  const std::uint32_t tail = function.vendor_specific == 0 ? kAllOnes : access_.config_read(function.address, function.vendor_specific + config::kVendorMemoryBar);
  const PciBar* io = bar_of(function, head >> 24);
  const PciBar* window = bar_of(function, tail & 0xff);
  if (io == nullptr || window == nullptr || function.msix == 0) {
    entry.reason = "its BARs or interrupts are not those of a device this driver knows";
    return;
  }
  entry.io = io->address;
  entry.window = window->address;
  entry.window_bytes = static_cast<Bytes>(window->size);
  const std::uint32_t control = access_.config_read(function.address, function.msix);
  entry.vectors = static_cast<int>((control >> 16 & 0x7ff) + 1);
  access_.config_write(function.address, function.msix, control | config::kMsixEnable << 16);
}

void Driver::wait_ready() {
  HostThread& thread = access_.thread();
  const Picoseconds begin = thread.now();
  const Picoseconds deadline = begin + host_.ready_timeout;
  while (true) {
    bool all = true;
    for (DeviceEntry& entry : devices_) all = settled(entry) && all;
    if (all) return;
    const Picoseconds now = thread.now();
    if (now >= deadline) break;
    thread.spend(std::min(std::max(host_.poll_period, (now - begin) / kPollFraction), deadline - now));
  }
  for (DeviceEntry& entry : devices_) {
    if (entry.boot == BootState::ready || !entry.reason.empty()) continue;
    entry.health = HealthLevel::unknown;
    entry.reason = "not ready after " + milliseconds(host_.ready_timeout) + ": boot is at " + name_of(entry.boot);
  }
}

bool Driver::settled(DeviceEntry& entry) {
  if (entry.boot == BootState::ready || !entry.reason.empty()) return true;
  const std::uint32_t state = access_.mmio_read(entry.io + registers::kBootState);
  if (state == kAllOnes) {
    entry.health = HealthLevel::critical;
    entry.reason = "does not answer";
    return true;
  }
  entry.boot = static_cast<BootState>(state);
  if (entry.boot == BootState::ready) take_over(entry);
  if (entry.boot == BootState::failed) {
    entry.health = HealthLevel::critical;
    entry.reason = "boot failed: " + error_text(entry);
  }
  return entry.boot == BootState::ready || entry.boot == BootState::failed;
}

void Driver::take_over(DeviceEntry& entry) {
  entry.health = HealthLevel::ok;
  entry.ready_time = access_.thread().now();
  entry.max_streams = static_cast<int>(access_.mmio_read(entry.io + registers::kMaxStreams));
  entry.queue_depth = static_cast<int>(access_.mmio_read(entry.io + registers::kQueueDepth));
  const std::uint64_t low = access_.mmio_read(entry.io + registers::kMemoryLow);
  entry.memory_bytes = static_cast<Bytes>(low | static_cast<std::uint64_t>(access_.mmio_read(entry.io + registers::kMemoryHigh)) << 32);
}

std::string Driver::error_text(const DeviceEntry& entry) {
  std::string text;
  for (std::uint32_t at = 0; at < registers::kErrorTextBytes; at += 4) {
    const std::uint32_t word = access_.mmio_read(entry.io + registers::kErrorText + at);
    for (int i = 0; i < 4; ++i) {
      const char letter = static_cast<char>(word >> (8 * i) & 0xff);
      if (letter == 0) return text;
      text += letter;
    }
  }
  return text;
}

const DeviceEntry& Driver::logical(int number) const {
  if (number < 0 || number >= logical_count()) throw InternalError("no logical device " + std::to_string(number));
  return devices_[static_cast<std::size_t>(logical_[static_cast<std::size_t>(number)])];
}

void Driver::connect(int number, int vector, VectorHandler handler) {
  const DeviceEntry& entry = logical(number);
  const std::uint32_t message = static_cast<std::uint32_t>(number) * kVectorsPerDevice + static_cast<std::uint32_t>(vector);
  handlers_[message] = std::move(handler);
  const std::uint64_t address = access_.link().interrupt_address();
  const std::uint64_t at = entry.io + registers::kMsixTable + static_cast<std::uint64_t>(vector) * 16;
  access_.mmio_write(at, static_cast<std::uint32_t>(address));
  access_.mmio_write(at + 4, static_cast<std::uint32_t>(address >> 32));
  access_.mmio_write(at + 8, message);
  access_.mmio_write(at + 12, 0);
}

std::string Driver::describe() const {
  std::string text;
  for (const DeviceEntry& entry : devices_) {
    char identity[16];
    std::snprintf(identity, sizeof(identity), "%04x:%04x", entry.vendor, entry.device);
    text += to_string(entry.address) + ' ' + identity + ' ' + name_of(entry.health) + ' ';
    text += entry.logical >= 0 ? "logical device " + std::to_string(entry.logical) : "left out: " + entry.reason;
    text += '\n';
  }
  return text;
}

}  // namespace npulab::firmware::host
