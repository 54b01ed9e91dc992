// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/boot_sequence.h"

#include <algorithm>
#include <utility>

#include "model/contract/device_registers.h"
#include "model/task/runtime_code.h"

namespace npulab::firmware::device {
namespace {

Picoseconds full_duration(const BootSpec& boot, BootState state) {
  switch (state) {
    case BootState::rom: return boot.rom;
    case BootState::firmware_load: return boot.firmware_load;
    case BootState::os: return boot.os;
    case BootState::self_test: return boot.self_test;
    case BootState::services: return boot.services;
    default: return 0;
  }
}

}  // namespace

Picoseconds BootSequence::duration(BootState state) const {
  const BootSpec& boot = context_.soc->boot;
  const Picoseconds full = full_duration(boot, state);
  if (context_.full_boot) return full;
  // In microseconds, so that the product stays within 64 bits.
  const auto us = [](Picoseconds time) { return time / kPicosecondsPerMicrosecond; };
  const std::int64_t whole = us(boot.rom + boot.firmware_load + boot.os + boot.self_test + boot.services);
  if (whole == 0) return state == BootState::rom ? boot.fast_total : 0;
  return us(full) * (boot.fast_total / kPicosecondsPerNanosecond) / whole * kPicosecondsPerNanosecond;
}

void BootSequence::power_on(std::function<void()> ready) {
  ready_ = std::move(ready);
  enter(BootState::rom);
}

void BootSequence::enter(BootState state) {
  state_ = state;
  context_.port->write_register(registers::kBootState, static_cast<std::uint32_t>(state));
  if (state == BootState::ready) {
    ready_time_ = context_.timeline->now();
    return ready_();
  }
  if (state == BootState::failed) return;
  if (state == BootState::self_test) return self_test_part();
  const BootState next = static_cast<BootState>(static_cast<int>(state) + 1);
  context_.timeline->after(duration(state), [this, next] { enter(next); });
}

// The state lasts as long as it is said to, and longer if the tests do.
void BootSequence::self_test_part() {
  open_ = 2;
  context_.timeline->after(duration(BootState::self_test), [this] {
    if (--open_ == 0) after_self_test();
  });
  self_test_.start([this](const std::string& failure) {
    failure_ = failure;
    if (--open_ == 0) after_self_test();
  });
}

void BootSequence::after_self_test() {
  if (!failure_.empty()) return fail("self-test: " + failure_);
  if (!context_.device->fails_boot) return enter(BootState::services);
  if (!context_.device->boot_failure.empty()) fail(context_.device->boot_failure);
}

void BootSequence::fail(const std::string& text) {
  failure_ = text;
  std::string shown = text.substr(0, registers::kErrorTextBytes - 1);
  shown.resize(registers::kErrorTextBytes);
  for (std::uint32_t at = 0; at < registers::kErrorTextBytes; at += 4) {
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(shown[at + i])) << (8 * i);
    context_.port->write_register(registers::kErrorText + at, word);
  }
  context_.port->write_register(registers::kErrorCode, static_cast<std::uint32_t>(RuntimeCode::device_setup));
  enter(BootState::failed);
}

}  // namespace npulab::firmware::device
