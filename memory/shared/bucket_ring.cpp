// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/bucket_ring.h"

#include <algorithm>

namespace npulab::memory {

void BucketRing::give_back(std::int64_t bucket, MicroBytes amount) {
  if (bucket < begin_) return;
  used_[slot(bucket)] -= amount;
  if (bucket >= full_begin_ && bucket < full_end_) full_end_ = bucket;
}

// `bucket` is full.
std::int64_t BucketRing::skip_full(std::int64_t bucket) {
  if (bucket >= full_begin_ && bucket < full_end_) bucket = full_end_;
  if (!full(bucket)) return bucket;
  if (bucket != full_end_) full_begin_ = bucket;  // a run of its own; the one nearer to now is the useful one
  while (full(bucket)) ++bucket;
  full_end_ = bucket;
  return bucket;
}

void BucketRing::forget(std::int64_t bucket) {
  const std::int64_t stop = std::min(bucket, end_);
  for (std::int64_t i = begin_; i < stop; ++i) used_[slot(i)] = 0;
  begin_ = bucket;
  end_ = std::max(end_, bucket);
}

void BucketRing::grow(std::int64_t last_bucket) {
  std::size_t size = used_.size();
  while (last_bucket >= begin_ + static_cast<std::int64_t>(size)) size *= 2;
  std::vector<MicroBytes> wider(size);
  for (std::int64_t i = begin_; i < end_; ++i) wider[static_cast<std::size_t>(i) & (size - 1)] = used_[slot(i)];
  used_.swap(wider);
}

}  // namespace npulab::memory
