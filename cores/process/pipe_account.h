// SPDX-License-Identifier: Apache-2.0
// Where each cycle of one pipe went during a block (rule 11). Spans are handed in in order; nothing may be left out.
#pragma once

#include "model/contract/memory_system.h"
#include "model/trace/trace_sink.h"

namespace npulab::cores {

class PipeAccount {
 public:
  /// The block began at `first_cycle`; the launch takes until `dispatch_from`.
  void begin(Cycles first_cycle, Cycles dispatch_from);
  /// The pipe was idle up to `arrival` for lack of an instruction and from then to `start` because of `cause`.
  void gap(Cycles arrival, Cycles start, StallCause cause);
  /// Occupied [start, end): busy for `work`, the rest `port`.
  void executed(Cycles start, Cycles end, Cycles work);
  /// Occupied [start, end) by a GM move.
  void moved(Cycles start, Cycles end, const TransferResult& result, std::int64_t frequency_khz, MemoryAccess access, Bytes bytes);
  /// Closes the account at the block's end; results were visible at `visible`.
  void end(Cycles visible, Cycles block_end);

  const PipeTotals& totals() const { return totals_; }
  Cycles accounted_to() const { return to_; }

 private:
  void add(StallCause cause, Cycles cycles) { totals_.stall[static_cast<int>(cause)] += cycles; }

  PipeTotals totals_;
  Cycles to_ = 0;
  bool used_ = false;
};

}  // namespace npulab::cores
