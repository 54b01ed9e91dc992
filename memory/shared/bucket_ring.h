// SPDX-License-Identifier: Apache-2.0
// Bandwidth of one resource (a port, one side of the L2, HBM) over time: how much of each bucket is booked. The rate comes
// from the client's or the SoC's spec. Amounts are millionths of a byte, because one thousandth of a byte per nanosecond
// moves exactly one of them per picosecond.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace npulab::memory {

using MicroBytes = std::int64_t;
inline constexpr MicroBytes kMicroBytesPerByte = 1'000'000;

class BucketRing {
 public:
  BucketRing(std::int64_t rate_milli_bytes_per_ns, Picoseconds bucket)
      : rate_(rate_milli_bytes_per_ns), capacity_(rate_ * bucket), full_below_(capacity_ >> 16), used_(kFirstSize) {}

  std::int64_t rate() const { return rate_; }
  MicroBytes capacity() const { return capacity_; }
  /// What can still be booked in `bucket`, which must not have been forgotten.
  MicroBytes left(std::int64_t bucket) const { return bucket < end_ ? capacity_ - used_[slot(bucket)] : capacity_; }
  MicroBytes used(std::int64_t bucket) const { return bucket < end_ && bucket >= begin_ ? used_[slot(bucket)] : 0; }
  /// First bucket from which on nothing is booked.
  std::int64_t end() const { return end_; }

  /// Books `amount` in each of `count` buckets from `bucket` on.
  void take(std::int64_t bucket, std::int64_t count, MicroBytes amount) {
    if (bucket + count > begin_ + static_cast<std::int64_t>(used_.size())) grow(bucket + count - 1);
    for (std::int64_t i = 0; i < count; ++i) used_[slot(bucket + i)] += amount;
    end_ = std::max(end_, bucket + count);
  }
  /// Takes back what was booked.
  void give_back(std::int64_t bucket, MicroBytes amount);
  /// First bucket from `bucket` on that is not full. A bucket with less than 1/65536 of its capacity left counts as full.
  std::int64_t first_open(std::int64_t bucket) {
    return bucket >= end_ || left(bucket) > full_below_ ? bucket : skip_full(bucket);
  }
  /// Forgets all buckets before `bucket`.
  void forget_before(std::int64_t bucket) {
    if (bucket > begin_) forget(bucket);
  }

 private:
  static constexpr std::size_t kFirstSize = 64;  // a power of two; grows to the longest booking ahead

  std::size_t slot(std::int64_t bucket) const { return static_cast<std::size_t>(bucket) & (used_.size() - 1); }
  bool full(std::int64_t bucket) const { return bucket < end_ && left(bucket) <= full_below_; }
  std::int64_t skip_full(std::int64_t bucket);
  void forget(std::int64_t bucket);
  void grow(std::int64_t last_bucket);

  std::int64_t rate_;
  MicroBytes capacity_;
  MicroBytes full_below_;
  std::vector<MicroBytes> used_;  // slots outside [begin_, end_) are zero
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t full_begin_ = 0;  // all buckets in [full_begin_, full_end_) are known to be full
  std::int64_t full_end_ = 0;
};

}  // namespace npulab::memory
