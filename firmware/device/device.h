// SPDX-License-Identifier: Apache-2.0
// The firmware of one device: boots, keeps its heartbeat going, and schedules tasks once it is ready. Doorbells that come
// before are not heard.
#pragma once

#include <string>

#include "firmware/device/boot_sequence.h"
#include "firmware/device/task_scheduler.h"

namespace npulab::firmware::device {

class Device : public EndpointListener {
 public:
  /// Everything named in the context must outlive the device. Two clients are registered with the memory.
  explicit Device(const DeviceContext& context);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// At kernel time now; once.
  void power_on();
  BootState state() const { return boot_.state(); }
  Picoseconds ready_time() const { return boot_.ready_time(); }
  std::int64_t completed_tasks() const { return scheduler_.completed_tasks(); }
  /// What it has been asked for and has not done; empty when idle.
  std::string outstanding() const;

  void doorbell(int queue) override;
  void completion_room(int queue) override;

 private:
  void show_capabilities();
  void beat();

  DeviceContext context_;
  SelfTest self_test_;
  BootSequence boot_;
  TaskScheduler scheduler_;
  std::uint32_t beats_ = 0;
};

}  // namespace npulab::firmware::device
