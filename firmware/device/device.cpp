// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/device.h"

#include "model/contract/device_registers.h"

namespace npulab::firmware::device {

Device::Device(const DeviceContext& context) : context_(context), self_test_(context), boot_(context, self_test_), scheduler_(context) {
  context.port->listen(*this);
}

void Device::power_on() {
  boot_.power_on([this] {
    show_capabilities();
    beat();
  });
}

void Device::show_capabilities() {
  EndpointPort& port = *context_.port;
  const std::uint64_t memory = static_cast<std::uint64_t>(context_.memory->capacity());
  port.write_register(registers::kMaxStreams, static_cast<std::uint32_t>(context_.soc->scheduler.max_streams));
  port.write_register(registers::kQueueDepth, static_cast<std::uint32_t>(context_.soc->scheduler.queue_depth));
  port.write_register(registers::kMemoryLow, static_cast<std::uint32_t>(memory));
  port.write_register(registers::kMemoryHigh, static_cast<std::uint32_t>(memory >> 32));
}

void Device::beat() {
  context_.port->write_register(registers::kHeartbeat, ++beats_);
  context_.timeline->after(context_.soc->boot.heartbeat_period, [this] { beat(); }, Timeline::Kind::background);
}

void Device::doorbell(int queue) {
  if (state() == BootState::ready) scheduler_.doorbell(queue);
}

void Device::completion_room(int queue) {
  if (state() == BootState::ready) scheduler_.completion_room(queue);
}

std::string Device::outstanding() const {
  std::string text;
  if (state() != BootState::ready && state() != BootState::failed) text = context_.device->path + ": boot is at " + name_of(state()) + "\n";
  return text + self_test_.outstanding() + scheduler_.outstanding();
}

}  // namespace npulab::firmware::device
