// SPDX-License-Identifier: Apache-2.0
// One direction of a link: three queues (posted, non-posted, completions) in front of the wire, credits behind it. The TLPs of a
// burst leave back to back, as late as they must for that; each is stored before it is forwarded. That is as fast as TLPs sent
// one by one unless a slower link follows a faster one behind a still slower one (late by less than a burst, same rate).
// Ordering of one traffic class: nothing passes an earlier posted, everything else may. Leaves out replay: the wire is clean.
#pragma once

#include <deque>
#include <string>

#include "model/contract/timeline.h"
#include "model/trace/trace_sink.h"
#include "pcie/link/credit_ledger.h"
#include "pcie/link/link_rate.h"

namespace npulab::pcie {

/// What has gone over one direction.
struct LinkTotals {
  std::int64_t tlps = 0;
  Bytes wire_bytes = 0;
  Bytes payload_bytes = 0;
  Picoseconds busy = 0;
};

class LinkDirection {
 public:
  LinkDirection(Timeline& timeline, const LinkSpec& link, std::string path, BurstReceiver& far_end);
  LinkDirection(const LinkDirection&) = delete;
  LinkDirection& operator=(const LinkDirection&) = delete;

  /// Sends, after all that is queued before it in its class, once its TLPs have come in so far that they leave without a gap.
  void send(BurstPtr burst);
  /// The receiver has no more use for the buffer of TLP `index` at `free_time`.
  void release(const Burst& burst, int index, Picoseconds free_time);
  /// After release(): somebody may be waiting for credits.
  void released() { if (blocked_) pump(); }
  /// Releases every TLP as it arrives: for receivers that consume at once.
  static void consume(const Burst& burst);

  void trace_to(TraceSink* sink);
  const LinkRate& rate() const { return rate_; }
  const LinkTotals& totals() const { return totals_; }
  const CreditLedger& credits(CreditClass kind) const { return credits_[static_cast<int>(kind)]; }
  const std::string& path() const { return path_; }
  /// Bursts waiting for the wire or for credits; empty when none.
  std::string outstanding() const;

 private:
  struct Waiting {
    BurstPtr burst;
    Picoseconds ready;     // from then on it leaves without a gap
    std::uint64_t number;  // order of queueing
  };
  struct Choice {
    int kind = -1;
    Picoseconds start = kNever;
    int tlps = 0;
  };
  Picoseconds ready_time(const Burst& burst) const;
  void enqueue(BurstPtr burst, Picoseconds ready);
  void pump();
  void pump_at(Picoseconds time);
  Choice choose();
  Choice consider(int kind);
  bool behind_posted(const Waiting& waiting) const;
  void transmit(const Choice& choice);
  void launch(const BurstPtr& burst, Picoseconds start);
  void free_buffers(const Burst& burst, Picoseconds start);

  Timeline& timeline_;
  LinkRate rate_;
  Picoseconds propagation_;
  std::string path_;
  BurstReceiver& far_end_;
  CreditLedger credits_[kCreditClassCount];
  std::deque<Waiting> queues_[kCreditClassCount];
  std::uint64_t next_number_ = 0;
  Picoseconds wire_free_ = 0;
  Picoseconds pump_time_ = kNever;
  bool blocked_ = false;  // something is queued that no known credit covers
  LinkTotals totals_;
  TraceSink* trace_ = nullptr;
  std::uint32_t track_ = 0;
};

}  // namespace npulab::pcie
