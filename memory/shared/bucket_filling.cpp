// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/bucket_filling.h"

#include <algorithm>

namespace npulab::memory {
namespace {

constexpr MicroBytes kAny = std::numeric_limits<MicroBytes>::max();

/// The largest equal step of all users, or kAny; `unit` is the weight of a user that takes one for one.
MicroBytes step_of(const BucketFilling::Supply& supply, std::int64_t unit) {
  if (supply.users == 0) return kAny;
  if (supply.users == unit && supply.rounding == 0) return supply.left;
  return std::max<MicroBytes>(supply.left - supply.rounding, 0) * unit / supply.users;
}

bool exhausted(const BucketFilling::Supply& supply, std::int64_t unit) {
  return supply.users > 0 && (supply.left - supply.rounding) * unit < supply.users;
}

}  // namespace

void BucketFilling::start(MicroBytes hbm, MicroBytes l2_read, MicroBytes l2_write) {
  shares_.clear();
  ports_.clear();
  ++bucket_;
  ports_shared_ = false;
  hbm_ = {hbm, hbm};
  l2_[0] = {l2_read, l2_read};
  l2_[1] = {l2_write, l2_write};
}

std::size_t BucketFilling::add_port(std::size_t id, MicroBytes left) {
  if (id >= index_of_port_.size()) index_of_port_.resize(id + 1);
  PortIndex& known = index_of_port_[id];
  if (known.bucket == bucket_) {
    ports_shared_ = true;
  } else {
    known = {bucket_, ports_.size()};
    ports_.push_back({left, left});
  }
  ++ports_[known.index].shares;
  return known.index;
}

void BucketFilling::fill() {
  growing_.clear();
  for (Share& share : shares_) open(share);
  while (!growing_.empty()) {
    grow(largest_step());
    close_exhausted();
  }
  for (Share& share : shares_) set_times(share);
}

void BucketFilling::open(Share& share) {
  const Supply& port = ports_[share.port];
  share.limit = port.shares == 1 ? std::min(share.own, port.left) : share.own;
  share.far_room = std::min(share.far_limit, share.claim->far);
  share.far_open = share.far_room > 0;
  share.near_open = share.claim->near > 0;
  ++l2_of(share).shares;
  if (!share.far_open && !share.near_open) return;
  growing_.push_back(&share);
  ++ports_[share.port].users;
  ++l2_of(share).users;
  if (!share.far_open) return;
  hbm_.users += share.claim->weight;
  hbm_.rounding += share.claim->weight == kUnitWeight ? 0 : 1;
}

MicroBytes BucketFilling::largest_step() const {
  MicroBytes step = std::min({step_of(l2_[0], 1), step_of(l2_[1], 1), step_of(hbm_, kUnitWeight)});
  if (ports_shared_) {
    for (const Supply& port : ports_) step = std::min(step, step_of(port, 1));
  }
  for (const Share* share : growing_) {
    const MicroBytes rest = share->far_open ? share->far_room - share->far : share->claim->near - share->near;
    step = std::min({step, rest, share->limit - share->far - share->near});
  }
  return step;
}

void BucketFilling::grow(MicroBytes step) {
  if (step == 0) return;
  l2_[0].left -= step * l2_[0].users;
  l2_[1].left -= step * l2_[1].users;
  for (Share* share : growing_) {
    ports_[share->port].left -= step;
    if (!share->far_open) {
      share->near += step;
      continue;
    }
    share->far += step;
    const MicroBytes hbm = std::min(hbm_of(step, share->claim->weight), share->claim->hbm - share->hbm);
    share->hbm += hbm;
    hbm_.left -= hbm;
  }
}

void BucketFilling::close_exhausted() {
  const bool hbm_out = exhausted(hbm_, kUnitWeight);
  const bool l2_out[2] = {exhausted(l2_[0], 1), exhausted(l2_[1], 1)};
  std::size_t kept = 0;
  for (Share* share : growing_) {
    if (stays_open(*share, hbm_out, l2_out)) growing_[kept++] = share;
  }
  growing_.resize(kept);
}

bool BucketFilling::stays_open(Share& share, bool hbm_out, const bool (&l2_out)[2]) {
  const MicroBytes total = share.far + share.near;
  const bool port_out = total == share.limit || (ports_shared_ && exhausted(ports_[share.port], 1));
  if (port_out || l2_out[static_cast<int>(share.claim->access)]) {
    if (total < share.own) share.stopped_by = port_out ? Limit::port : Limit::l2;
    close(share);
    return false;
  }
  if (share.far_open && (hbm_out || share.far == share.far_room)) {
    if (share.far < share.far_room) share.stopped_by = Limit::hbm;
    close_far(share);
  }
  if (share.near == share.claim->near) share.near_open = false;
  if (share.far_open || share.near_open) return true;
  close(share);
  return false;
}

void BucketFilling::close_far(Share& share) {
  if (!share.far_open) return;
  share.far_open = false;
  hbm_.users -= share.claim->weight;
  hbm_.rounding -= share.claim->weight == kUnitWeight ? 0 : 1;
}

void BucketFilling::close(Share& share) {
  close_far(share);
  share.near_open = false;
  --ports_[share.port].users;
  --l2_of(share).users;
}

// Sharers of a resource move at one pace, so when this share has passed, each other one has moved as much or all it has.
MicroBytes BucketFilling::taken_until(const Share& share, bool port) const {
  const MicroBytes total = share.far + share.near;
  MicroBytes sum = 0;
  for (const Share& other : shares_) {
    const bool same = port ? other.port == share.port : other.claim->access == share.claim->access;
    if (same) sum += std::min(total, other.far + other.near);
  }
  return sum;
}

Picoseconds BucketFilling::shared_time(const Share& share, const Supply& supply, bool port) const {
  if (supply.shares * share.own <= supply.supply) return 0;  // even at full pace of all it is not the slowest
  const MicroBytes taken = supply.shares == 1 ? share.far + share.near : taken_until(share, port);
  return multiply_divide_up(taken, share.length, supply.supply);
}

MicroBytes BucketFilling::hbm_taken_until(const Share& share) const {
  MicroBytes sum = 0;
  for (const Share& other : shares_) {
    sum += other.far <= share.far ? other.hbm : std::min(other.hbm, hbm_of(share.far, other.claim->weight));
  }
  return sum;
}

void BucketFilling::set_times(Share& share) {
  const MicroBytes total = share.far + share.near;
  if (share.far > 0 && share.far == share.claim->far) {
    share.far_time = std::max({multiply_divide_up(share.far, share.length, std::min(share.own, share.far_limit)),
                               multiply_divide_up(hbm_taken_until(share), share.length, hbm_.supply)});
  }
  if (share.far < share.claim->far || share.near < share.claim->near) return;
  const Picoseconds path =
      std::max({multiply_divide_up(total, share.length, share.own),
                shared_time(share, ports_[share.port], true), shared_time(share, l2_of(share), false)});
  share.time = std::max(path, share.far_time);
}

}  // namespace npulab::memory
