// SPDX-License-Identifier: Apache-2.0
#include "cores/process/group_control.h"

namespace npulab::cores {

std::uint64_t GroupControl::ticks_per_ps() {
  static const std::uint64_t ticks = sc_core::sc_time(1, sc_core::SC_PS).value();
  return ticks;
}

namespace {

sc_core::sc_time delay(Picoseconds picoseconds) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(picoseconds) * GroupControl::ticks_per_ps());
}

}  // namespace

void GroupControl::wait_until(Cycles cycle) const {
  check();
  const Picoseconds edge = clock_.edge(cycle);
  while (now() < edge) {
    sc_core::wait(delay(edge - now()), stop_event_);
    check();
  }
}

void GroupControl::wait_until(Cycles deadline, const sc_core::sc_event& event) const {
  check();
  const Picoseconds edge = clock_.edge(deadline);
  if (now() < edge) sc_core::wait(delay(edge - now()), event | stop_event_);
  check();
}

void GroupControl::wait_for(const sc_core::sc_event& event) const {
  check();
  sc_core::wait(event | stop_event_);
  check();
}

}  // namespace npulab::cores
