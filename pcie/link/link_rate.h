// SPDX-License-Identifier: Apache-2.0
// How long bytes take on one direction of a link: raw lane rate, line code, and the share that ACK, flow control and skip
// symbols take. Rates and codes are those of the public generation table; the share is LinkSpec::dllp_overhead_permille.
// Leaves out training and power states: a link is up at its configured speed and width.
#pragma once

#include "model/base/units.h"
#include "model/spec/board_spec.h"

namespace npulab::pcie {

class LinkRate {
 public:
  /// InternalError for a generation outside 1..6 (the reader has checked it).
  explicit LinkRate(const LinkSpec& link);

  /// Time on the wire of `bytes` bytes sent back to back, framing included in the bytes; rounded up to a picosecond.
  Picoseconds time(Bytes bytes) const { return ceil_div(bytes * picoseconds_, bytes_); }
  /// Bytes that framing, sequence number and LCRC add to each TLP.
  Bytes framing_bytes() const { return framing_; }
  /// Raw rate before the overhead share, in bytes per second, rounded down.
  std::int64_t raw_bytes_per_s() const { return raw_; }

 private:
  std::int64_t picoseconds_ = 0, bytes_ = 1;  // `bytes_` bytes take `picoseconds_`
  Bytes framing_ = 0;
  std::int64_t raw_ = 0;
};

}  // namespace npulab::pcie
