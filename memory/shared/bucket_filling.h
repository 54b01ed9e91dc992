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
  Claim* claim = nullptr;
  std::size_t port = 0;     // index into the bucket's ports
  Picoseconds begin = 0;    // from here ...
  Picoseconds length = 0;   // ... for so long, to the end of the bucket
  MicroBytes own = 0;       // what it could move alone in that time
  MicroBytes far_limit = 0;  // of which far: what HBM alone could carry
  MicroBytes near = 0;      // result
  MicroBytes far = 0;       // result
  MicroBytes hbm = 0;       // result
  Picoseconds time = 0;      // result if its demand ends here: when after `begin` its last byte has passed
  Picoseconds far_time = 0;  // result if its far demand ends here
  Limit stopped_by = Limit::own;      // result: what ended its growth
  MicroBytes far_room = 0;            // far_limit, or the demand if that is smaller
  bool far_open = false, near_open = false;
};

class BucketFilling {
 public:
  /// One resource within the bucket.
  struct Supply {
    MicroBytes left = 0;
    MicroBytes supply = 0;  // left at first
    std::int64_t users = 0;    // growing now; for HBM the sum of their weights
    std::int64_t rounding = 0;
  };
  static constexpr MicroBytes kOpen = std::numeric_limits<MicroBytes>::max();

  /// Starts a bucket with `hbm`, `l2_read` and `l2_write` left.
  void start(MicroBytes hbm, MicroBytes l2_read, MicroBytes l2_write);
  /// Index of the port `id` with `left`, the same for every share of one port.
  std::size_t add_port(std::size_t id, MicroBytes left);
  void add(const Share& share);
  /// Fills the results of all shares.
  void fill();
  std::vector<Share>& shares() { return shares_; }
  const std::vector<Share>& shares() const { return shares_; }

 private:
  Supply& l2_of(const Share& share) { return l2_[static_cast<int>(share.claim->access)]; }
  void open(Share& share);
  bool count_users();
  MicroBytes largest_step() const;
  MicroBytes room(const Share& share) const;
  void grow(MicroBytes step);
  void close_exhausted();
  void set_times(Share& share);
  MicroBytes taken_until(const Share& share, bool port) const;
  MicroBytes hbm_taken_until(const Share& share) const;

  std::vector<Share> shares_;
  std::vector<Supply> ports_;
  std::vector<std::size_t> port_ids_;
  Supply l2_[2];
  Supply hbm_;
};

}  // namespace npulab::memory
