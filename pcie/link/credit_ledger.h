// SPDX-License-Identifier: Apache-2.0
// Flow-control credits of one class on one link direction, counted cumulatively as the standard does: what has been consumed
// may never exceed what has been granted. The receiver announces a return when it knows when a buffer will be free, so the
// sender can tell in advance when a TLP may go. Zero advertised credits are infinite ones.
#pragma once

#include <deque>

#include "pcie/link/tlp.h"

namespace npulab::pcie {

class CreditLedger {
 public:
  CreditLedger(int headers, int data) : headers_(headers), data_(data) {}

  /// How many of the first TLPs are covered by returns known by now; times[i] is when TLP i may leave, not before `now`.
  int cover(const TlpList& tlps, Picoseconds now, Picoseconds* times);
  /// Takes what cover() found for the first `count` TLPs.
  void consume(const TlpList& tlps, int count);
  /// A TLP of `payload` bytes will have left the receiver's buffer, and the sender know of it, at `time`.
  void give_back(Picoseconds time, Bytes payload);

  /// Headers consumed and not yet announced free.
  std::int64_t headers_in_flight() const { return consumed_.headers - granted_.headers - announced_.headers; }
  std::int64_t data_in_flight() const { return consumed_.data - granted_.data - announced_.data; }
  /// The most headers that were ever out at a time (by announcement); never above the advertised limit.
  std::int64_t most_headers() const { return most_headers_; }
  int advertised_headers() const { return headers_; }

 private:
  struct Count {
    std::int64_t headers = 0;
    std::int64_t data = 0;
  };
  struct Return {
    Picoseconds time;
    Count count;
  };
  bool allows(const Count& consumed, const Count& granted) const;
  void fold(Picoseconds now);

  int headers_, data_;
  Count consumed_;              // by the sender
  Count granted_;               // returns whose time has come
  Count announced_;             // returns to come
  std::deque<Return> returns_;  // in order of time
  std::int64_t most_headers_ = 0;
};

}  // namespace npulab::pcie
