// SPDX-License-Identifier: Apache-2.0
// The credit of one transfer: at most one outstanding window is booked ahead, in quarters. When a quarter has passed, the
// next quarter is booked, as bursts do in hardware one by one. Coarser steps let the queue of a saturated memory run low
// before it is refilled, which makes everybody else's waiting too short.
#pragma once

#include <vector>

#include "memory/shared/claim.h"

namespace npulab::memory {

class OutstandingWindow {
 public:
  static constexpr int kParts = 4;

  /// A whole window was booked as `runs`; all of it has passed at `finish`.
  void start(const std::vector<BookedRun>& runs, Picoseconds finish, Picoseconds bucket);
  /// The quarter after the oldest was booked behind the others and has passed at `finish`.
  void follow(Picoseconds finish);
  /// When the oldest quarter has passed.
  Picoseconds oldest() const { return passed_[oldest_]; }

 private:
  Picoseconds passed_[kParts] = {};
  int oldest_ = 0;
};

}  // namespace npulab::memory
