// SPDX-License-Identifier: Apache-2.0
// The one SystemC implementation of Timeline: a heap of calls and a single event. Calls of one instant come in the order in
// which they were asked for.
#pragma once

#include <systemc>

#include <map>
#include <unordered_map>
#include <utility>

#include "model/contract/timeline.h"

namespace npulab::machine {

class TimelineModule : public sc_core::sc_module, public Timeline {
 public:
  SC_HAS_PROCESS(TimelineModule);
  explicit TimelineModule(sc_core::sc_module_name name);

  Picoseconds now() const override;
  TimerId at(Picoseconds time, Callback callback, Kind kind = Kind::foreground) override;
  void cancel(TimerId timer) override;
  /// Calls still to come that keep the run alive.
  std::int64_t foreground_calls() const { return foreground_; }

 private:
  struct Call {
    Callback callback;
    Kind kind;
  };
  using Key = std::pair<Picoseconds, TimerId>;
  void run();
  void arm();

  std::map<Key, Call> calls_;
  std::unordered_map<TimerId, Picoseconds> times_;  // looked up, never walked
  TimerId next_ = 1;
  std::int64_t foreground_ = 0;
  Picoseconds ticks_per_ps_;
  sc_core::sc_event wake_;
};

}  // namespace npulab::machine
