// SPDX-License-Identifier: Apache-2.0
// A device's way from power-on to READY: boot ROM, firmware load, operating system, self-test, services, each for its time in
// BootSpec; the fast profile shrinks the whole to BootSpec::fast_total in the same proportions. Every state is shown in the
// boot register. A device that is told to fail (DeviceSpec) fails after its self-test with its text, or hangs there without one.
#pragma once

#include <functional>
#include <string>

#include "firmware/device/self_test.h"
#include "model/contract/health.h"

namespace npulab::firmware::device {

class BootSequence {
 public:
  BootSequence(const DeviceContext& context, SelfTest& self_test) : context_(context), self_test_(self_test) {}

  /// Once; `ready` is called when the state becomes ready.
  void power_on(std::function<void()> ready);
  BootState state() const { return state_; }
  /// Why it failed.
  const std::string& failure() const { return failure_; }
  Picoseconds ready_time() const { return ready_time_; }

 private:
  void enter(BootState state);
  Picoseconds duration(BootState state) const;
  void self_test_part();
  void after_self_test();
  void fail(const std::string& text);

  DeviceContext context_;
  SelfTest& self_test_;
  std::function<void()> ready_;
  BootState state_ = BootState::uninitialised;
  std::string failure_;
  int open_ = 0;
  Picoseconds ready_time_ = kNever;
};

}  // namespace npulab::firmware::device
