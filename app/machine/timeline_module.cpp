// SPDX-License-Identifier: Apache-2.0
#include "app/machine/timeline_module.h"

namespace npulab::machine {

TimelineModule::TimelineModule(sc_core::sc_module_name name)
    : sc_module(name), ticks_per_ps_(static_cast<Picoseconds>(sc_core::sc_time(1, sc_core::SC_PS).value())) {
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

Picoseconds TimelineModule::now() const { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()) / ticks_per_ps_; }

Timeline::TimerId TimelineModule::at(Picoseconds time, Callback callback, Kind kind) {
  const TimerId timer = next_++;
  if (time < now()) time = now();
  calls_.emplace(Key{time, timer}, Call{std::move(callback), kind});
  times_[timer] = time;
  if (kind == Kind::foreground) ++foreground_;
  arm();
  return timer;
}

void TimelineModule::cancel(TimerId timer) {
  const auto found = times_.find(timer);
  if (found == times_.end()) return;
  const auto call = calls_.find({found->second, timer});
  if (call->second.kind == Kind::foreground) --foreground_;
  calls_.erase(call);
  times_.erase(found);
}

void TimelineModule::arm() {
  if (calls_.empty()) return;
  // Background calls alone do not keep a run alive: with nothing else to come, the kernel is left to starve and the run ends.
  if (foreground_ == 0 && !sc_core::sc_pending_activity()) return;
  const Picoseconds delay = calls_.begin()->first.first - now();
  if (delay <= 0) wake_.notify(sc_core::SC_ZERO_TIME);
  else wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(delay * ticks_per_ps_)));
}

void TimelineModule::run() {
  // What is asked for now, at this instant, comes in a later delta: a call never runs inside another one's at().
  const TimerId limit = next_;
  while (!calls_.empty() && calls_.begin()->first.first <= now() && calls_.begin()->first.second < limit) {
    const auto first = calls_.begin();
    Call call = std::move(first->second);
    times_.erase(first->first.second);
    calls_.erase(first);
    if (call.kind == Kind::foreground) --foreground_;
    call.callback();
  }
  arm();
}

}  // namespace npulab::machine
