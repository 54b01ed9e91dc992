// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/outstanding_window.h"

#include <algorithm>

namespace npulab::memory {

void OutstandingWindow::start(const std::vector<BookedRun>& runs, Picoseconds finish, Picoseconds bucket) {
  MicroBytes total = 0;
  for (const BookedRun& run : runs) total += run.data * run.count;
  oldest_ = 0;
  int part = 0;
  MicroBytes before = 0;
  for (const BookedRun& run : runs) {
    const MicroBytes all = run.data * run.count;
    for (; part < kParts - 1 && before + all >= total / kParts * (part + 1); ++part) {
      // Full buckets first, then a share of the next; only the first bucket of a run may be shorter.
      const MicroBytes need = std::max<MicroBytes>(0, total / kParts * (part + 1) - before);
      const std::int64_t full = std::min(need / run.data, run.count - 1);
      const Picoseconds begin = full == 0 ? run.begin : (run.bucket + full) * bucket;
      const Picoseconds length = (run.bucket + full + 1) * bucket - begin;
      passed_[part] = std::min(finish, begin + multiply_divide_up(need - full * run.data, length, run.data));
    }
    before += all;
  }
  for (; part < kParts; ++part) passed_[part] = finish;
}

void OutstandingWindow::follow(Picoseconds finish) {
  passed_[oldest_] = finish;
  oldest_ = (oldest_ + 1) % kParts;
}

}  // namespace npulab::memory
