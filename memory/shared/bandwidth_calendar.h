// SPDX-License-Identifier: Apache-2.0
// Who moves how much in which time bucket: each client's port per direction, the read and the write side of the L2, HBM.
// A claim takes in each bucket the least that is left on its whole path; claims booked together share max-min. Left out:
// order within a bucket, DRAM banks and rows (contained in the sustained rate). Rates come from MemorySpec and the clients.
#pragma once

#include <vector>

#include "memory/shared/bucket_filling.h"
#include "memory/shared/bucket_ring.h"
#include "memory/shared/claim.h"
#include "model/spec/soc_spec.h"

namespace npulab::memory {

/// Everything booked so far, released bookings taken off again.
struct BookedTotals {
  MicroBytes l2_read = 0, l2_write = 0, hbm = 0;
};

class BandwidthCalendar {
 public:
  /// Throws InternalError for a bucket or an HBM rate that is not above zero; an L2 rate of zero means no L2 limit.
  explicit BandwidthCalendar(const MemorySpec& spec);

  /// Ports of the next client id; a rate of zero makes a port that cannot be used.
  void add_client(std::int64_t read_rate_milli_bytes_per_ns, std::int64_t write_rate_milli_bytes_per_ns);
  /// Books `count` claims that are settled together at `now`; every start is `now` or later. Fills in their answers.
  void book(Claim* claims, std::size_t count, Picoseconds now);
  /// The same result as book() for one claim by the path that serves several: what tests compare.
  void book_together(Claim* claims, std::size_t count, Picoseconds now);
  /// Gives back the part of `runs` that lies after `now`.
  void release(MemoryClientId client, MemoryAccess access, const std::vector<BookedRun>& runs, Picoseconds now);

  /// Time the claim would take on an idle machine, from its asked amounts.
  Picoseconds unloaded(const Claim& claim) const;
  /// Highest rate of a claim of this client with this cap (0: none).
  std::int64_t rate_of(MemoryClientId client, MemoryAccess access, std::int64_t cap) const;

  Picoseconds bucket_length() const { return bucket_; }
  const BucketRing& port(MemoryClientId client, MemoryAccess access) const { return ports_[port_index(client, access)]; }
  const BucketRing& l2(MemoryAccess access) const { return l2_[static_cast<int>(access)]; }
  const BucketRing& hbm() const { return hbm_; }
  const BookedTotals& totals() const { return totals_; }

 private:
  static std::size_t port_index(MemoryClientId client, MemoryAccess access) {
    return client * 2 + static_cast<std::size_t>(access);
  }
  struct Opening {
    std::int64_t bucket;
    Limit cause;
  };

  void prepare(Claim& claim, std::int64_t bucket);
  void book_alone(Claim& claim);
  bool step_alone(Claim& claim, std::int64_t bucket, Picoseconds begin, std::int64_t& count);
  Opening first_open(const Claim& claim, std::int64_t bucket);
  std::int64_t skip_full(std::int64_t bucket);
  std::int64_t fill_bucket(std::int64_t bucket, Picoseconds now);
  void collect_shares(std::int64_t bucket, Picoseconds now);
  std::int64_t repeats(std::int64_t bucket) const;
  void settle_share(const Share& share, std::int64_t bucket, std::int64_t count);
  void commit(Claim& claim, const BookedRun& run, MicroBytes far);
  bool untouched(const Claim& claim, std::int64_t bucket) const;

  Picoseconds bucket_;
  std::vector<BucketRing> ports_;
  BucketRing l2_[2];
  BucketRing hbm_;
  BookedTotals totals_;
  std::vector<Claim*> active_;
  BucketFilling filling_;
};

}  // namespace npulab::memory
