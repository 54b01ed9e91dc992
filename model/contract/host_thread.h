// SPDX-License-Identifier: Apache-2.0
// A thread of host software. Host code is straight-line code that waits: for time to pass, or for something that an interrupt
// or an answer from the link makes true. Implemented by a SystemC thread (app/machine) or by a plain event loop (tests).
#pragma once

#include <functional>

#include "model/base/units.h"

namespace npulab {

class HostThread {
 public:
  virtual ~HostThread() = default;
  virtual Picoseconds now() const = 0;
  /// Returns true as soon as `done()` holds; it is tried at once and after each wake(). False when `deadline` comes first.
  virtual bool wait_until(const std::function<bool()>& done, Picoseconds deadline = kNever) = 0;
  /// The processor is busy with software for this long.
  virtual void spend(Picoseconds duration) = 0;
  /// Called by whoever has changed something that wait_until may be waiting for. May be called when nobody waits.
  virtual void wake() = 0;
};

}  // namespace npulab
