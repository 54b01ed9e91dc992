// SPDX-License-Identifier: Apache-2.0
#include "app/machine/host_thread_module.h"

namespace npulab::machine {

HostThreadModule::HostThreadModule(sc_core::sc_module_name name)
    : sc_module(name), ticks_per_ps_(static_cast<Picoseconds>(sc_core::sc_time(1, sc_core::SC_PS).value())) {
  SC_THREAD(run);
  // Host code keeps tensors and names on its stack; SystemC's default is tight for that.
  set_stack_size(1 << 20);
}

void HostThreadModule::run() {
  try {
    program_();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (...) {
    failure_ = std::current_exception();
  }
  finished_ = true;
  sc_core::sc_stop();
}

Picoseconds HostThreadModule::now() const { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()) / ticks_per_ps_; }

sc_core::sc_time HostThreadModule::delay(Picoseconds time) const {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time * ticks_per_ps_));
}

bool HostThreadModule::wait_until(const std::function<bool()>& done, Picoseconds deadline) {
  while (!done()) {
    if (deadline == kNever) {
      wait(wake_);
      continue;
    }
    if (now() >= deadline) return false;
    wait(delay(deadline - now()), wake_);
  }
  return true;
}

void HostThreadModule::spend(Picoseconds duration) {
  if (duration > 0) wait(delay(duration));
}

}  // namespace npulab::machine
