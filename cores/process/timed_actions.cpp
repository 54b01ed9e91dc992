// SPDX-License-Identifier: Apache-2.0
#include "cores/process/timed_actions.h"

#include "cores/process/group_control.h"

namespace npulab::cores {

TimedActions::TimedActions(sc_core::sc_module_name name) : sc_module(name) {
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

void TimedActions::at(Picoseconds time, std::function<void()> action) {
  actions_.emplace(std::make_pair(time, next_++), std::move(action));
  arm();
}

void TimedActions::clear() {
  actions_.clear();
  wake_.cancel();
}

void TimedActions::arm() {
  if (actions_.empty()) return;
  const Picoseconds time = actions_.begin()->first.first, now = GroupControl::now();
  // An earlier pending notification stays: notify() keeps the earlier of two.
  if (time <= now) {
    wake_.notify(sc_core::SC_ZERO_TIME);
  } else {
    wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time - now) * GroupControl::ticks_per_ps()));
  }
}

void TimedActions::run() {
  while (!actions_.empty() && actions_.begin()->first.first <= GroupControl::now()) {
    auto action = std::move(actions_.begin()->second);
    actions_.erase(actions_.begin());
    action();
  }
  arm();
}

}  // namespace npulab::cores
