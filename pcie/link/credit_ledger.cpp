// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/credit_ledger.h"

#include <algorithm>

namespace npulab::pcie {

bool CreditLedger::allows(const Count& consumed, const Count& granted) const {
  return (headers_ == 0 || consumed.headers <= headers_ + granted.headers) && (data_ == 0 || consumed.data <= data_ + granted.data);
}

void CreditLedger::fold(Picoseconds now) {
  while (!returns_.empty() && returns_.front().time <= now) {
    const Count& count = returns_.front().count;
    granted_ = {granted_.headers + count.headers, granted_.data + count.data};
    announced_ = {announced_.headers - count.headers, announced_.data - count.data};
    returns_.pop_front();
  }
}

int CreditLedger::cover(const TlpList& tlps, Picoseconds now, Picoseconds* times) {
  fold(now);
  Count consumed = consumed_, granted = granted_;
  Picoseconds time = now;
  auto next = returns_.begin();
  for (int i = 0; i < tlps.count(); ++i) {
    consumed.headers += 1;
    consumed.data += ceil_div(tlps[i].payload, kCreditBytes);
    while (!allows(consumed, granted)) {
      if (next == returns_.end()) return i;
      time = next->time;
      granted = {granted.headers + next->count.headers, granted.data + next->count.data};
      ++next;
    }
    times[i] = time;
  }
  return tlps.count();
}

void CreditLedger::consume(const TlpList& tlps, int count) {
  for (int i = 0; i < count; ++i) {
    consumed_.headers += 1;
    consumed_.data += ceil_div(tlps[i].payload, kCreditBytes);
  }
  most_headers_ = std::max(most_headers_, headers_in_flight());
}

void CreditLedger::give_back(Picoseconds time, Bytes payload) {
  const Count count{1, ceil_div(payload, kCreditBytes)};
  announced_ = {announced_.headers + count.headers, announced_.data + count.data};
  auto at = returns_.end();
  while (at != returns_.begin() && std::prev(at)->time > time) --at;
  returns_.insert(at, {time, count});
}

}  // namespace npulab::pcie
