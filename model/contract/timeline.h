// SPDX-License-Identifier: Apache-2.0
// Simulated time as firmware and link logic see it: read it, be called at a time, take the call back. One SystemC
// implementation (app/machine); tests use a plain one. Calls for one instant come in the order they were asked for.
#pragma once

#include <cstdint>
#include <functional>

#include "model/base/units.h"

namespace npulab {

class Timeline {
 public:
  using TimerId = std::uint64_t;
  using Callback = std::function<void()>;
  /// Background events (heartbeats, idle credits) do not keep a run alive: work outstanding with no foreground event left
  /// is a deadlock.
  enum class Kind { foreground, background };

  virtual ~Timeline() = default;
  virtual Picoseconds now() const = 0;
  /// Calls `callback` at `time` (not before now). Not for per-instruction use.
  virtual TimerId at(Picoseconds time, Callback callback, Kind kind = Kind::foreground) = 0;
  /// A no-op for a timer that has fired or was cancelled.
  virtual void cancel(TimerId timer) = 0;
  TimerId after(Picoseconds delay, Callback callback, Kind kind = Kind::foreground) {
    return at(now() + delay, std::move(callback), kind);
  }
};

}  // namespace npulab
