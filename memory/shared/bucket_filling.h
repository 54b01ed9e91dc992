// SPDX-License-Identifier: Apache-2.0
// Max-min sharing of one time bucket by progressive filling: all claimants grow at the same pace; whoever meets its own
// limit or an exhausted resource stops. A claimant's far bytes grow first, its near bytes take what HBM cannot carry.
// Integers only; up to one millionth of a byte a claimant stays unused.
#pragma once

#include <vector>

#include "memory/shared/claim.h"

namespace npulab::memory {

/// One claimant in one bucket.
struct Share {
  // Asked.
  Claim* claim = nullptr;
  std::size_t port = 0;     // index into the bucket's ports
  Picoseconds begin = 0;    // from here ...
  Picoseconds length = 0;   // ... for so long, to the end of the bucket
  MicroBytes own = 0;       // what it could move alone in that time
  MicroBytes far_limit = 0;  // of which far: what HBM alone could carry
  // Results.
  MicroBytes near = 0;
  MicroBytes far = 0;
  MicroBytes hbm = 0;
  Picoseconds time = 0;      // if its demand ends here: when after `begin` its last byte has passed
  Picoseconds far_time = 0;  // if its far demand ends here
  Limit stopped_by = Limit::own;  // what ended its growth
  // While it is filled.
  MicroBytes limit = 0;     // own, or what is left of a port that it has to itself
  MicroBytes far_room = 0;  // far_limit, or the demand if that is smaller
  bool far_open = false, near_open = false;
};

class BucketFilling {
 public:
  /// Starts a bucket with `hbm`, `l2_read` and `l2_write` left.
  void start(MicroBytes hbm, MicroBytes l2_read, MicroBytes l2_write);
  /// Index of the port `id` with `left`, the same for every share of one port.
  std::size_t add_port(std::size_t id, MicroBytes left);
  /// A cleared share, to be filled in before the next call.
  Share& add() { return shares_.emplace_back(); }
  /// Computes the results of all shares.
  void fill();
  const std::vector<Share>& shares() const { return shares_; }

  /// One resource within the bucket.
  struct Supply {
    MicroBytes left = 0;
    MicroBytes supply = 0;      // left at first
    std::int64_t users = 0;     // growing now; for HBM the sum of their weights
    std::int64_t rounding = 0;  // growing now whose HBM bytes are rounded up
    std::int64_t shares = 0;    // all of the bucket
  };

 private:
  Supply& l2_of(const Share& share) { return l2_[static_cast<int>(share.claim->access)]; }
  void open(Share& share);
  MicroBytes largest_step() const;
  void grow(MicroBytes step);
  void close_exhausted();
  bool stays_open(Share& share, bool hbm_out, const bool (&l2_out)[2]);
  void close_far(Share& share);
  void close(Share& share);
  void set_times(Share& share);
  Picoseconds shared_time(const Share& share, const Supply& supply, bool port) const;
  MicroBytes taken_until(const Share& share, bool port) const;
  MicroBytes hbm_taken_until(const Share& share) const;

  std::vector<Share> shares_;
  std::vector<Share*> growing_;
  std::vector<Supply> ports_;
  struct PortIndex {
    std::uint64_t bucket = 0;  // counts start() calls
    std::size_t index = 0;
  };
  std::vector<PortIndex> index_of_port_;  // by id
  std::uint64_t bucket_ = 0;
  bool ports_shared_ = false;  // any port has more than one share
  Supply l2_[2];
  Supply hbm_;
};

}  // namespace npulab::memory
