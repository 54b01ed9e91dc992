// SPDX-License-Identifier: Apache-2.0
#include "cores/process/pipe_account.h"

#include <algorithm>

namespace npulab::cores {

void PipeAccount::begin(Cycles first_cycle, Cycles dispatch_from) {
  totals_ = PipeTotals{};
  used_ = false;
  add(StallCause::launch, dispatch_from - first_cycle);
  to_ = dispatch_from;
}

void PipeAccount::gap(Cycles arrival, Cycles start, StallCause cause) {
  if (arrival > to_) {
    const Cycles until = std::min(arrival, start);
    add(StallCause::dispatch, until - to_);
    to_ = until;
  }
  add(cause, start - to_);
  to_ = start;
}

void PipeAccount::executed(Cycles start, Cycles end, Cycles work) {
  totals_.busy += work;
  add(StallCause::port, end - start - work);
  totals_.pmu_active += end - start;
  ++totals_.instructions;
  to_ = end;
  used_ = true;
}

void PipeAccount::moved(Cycles start, Cycles end, const TransferResult& result, std::int64_t frequency_khz, MemoryAccess access,
                        Bytes bytes) {
  Cycles left = end - start;
  const std::pair<StallCause, Picoseconds> waits[] = {{StallCause::memory_edge, result.wait_edge},
                                                      {StallCause::memory_port, result.wait_port},
                                                      {StallCause::memory_l2, result.wait_l2},
                                                      {StallCause::memory_hbm, result.wait_hbm}};
  for (const auto& [cause, picoseconds] : waits) {
    const Cycles cycles = std::min<Cycles>(left, static_cast<Cycles>(static_cast<__int128>(picoseconds) * frequency_khz / 1'000'000'000));
    add(cause, cycles);
    left -= cycles;
  }
  totals_.busy += left;
  totals_.pmu_active += end - start;
  ++totals_.instructions;
  (access == MemoryAccess::read ? totals_.gm_read_bytes : totals_.gm_write_bytes) += bytes;
  to_ = end;
  used_ = true;
}

void PipeAccount::end(Cycles visible, Cycles block_end) {
  if (used_ && visible > to_) {
    add(StallCause::drain, visible - to_);
    to_ = visible;
  }
  add(StallCause::done, block_end - to_);
  to_ = block_end;
}

}  // namespace npulab::cores
