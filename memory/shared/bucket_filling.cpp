// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/bucket_filling.h"

#include <algorithm>

namespace npulab::memory {
namespace {

bool growing(const Share& share) { return share.far_open || share.near_open; }

/// The largest equal step of all users, or kOpen.
MicroBytes step_of(const BucketFilling::Supply& supply, std::int64_t unit) {
  if (supply.users == 0) return BucketFilling::kOpen;
  if (supply.users == unit && supply.rounding == 0) return supply.left;
  return std::max<MicroBytes>(supply.left - supply.rounding, 0) * unit / supply.users;
}

bool exhausted(const BucketFilling::Supply& supply, std::int64_t unit) {
  return supply.users > 0 && step_of(supply, unit) == 0;
}

}  // namespace

void BucketFilling::start(MicroBytes hbm, MicroBytes l2_read, MicroBytes l2_write) {
  shares_.clear();
  ports_.clear();
  port_ids_.clear();
  hbm_ = {hbm, hbm};
  l2_[0] = {l2_read, l2_read};
  l2_[1] = {l2_write, l2_write};
}

std::size_t BucketFilling::add_port(std::size_t id, MicroBytes left) {
  // Claims come in the order of their clients, so equal ports are mostly neighbours.
  for (std::size_t i = port_ids_.size(); i-- > 0;) {
    if (port_ids_[i] == id) return i;
  }
  port_ids_.push_back(id);
  ports_.push_back({left, left});
  return ports_.size() - 1;
}

void BucketFilling::add(const Share& share) {
  shares_.push_back(share);
  open(shares_.back());
}

void BucketFilling::open(Share& share) {
  share.far_room = std::min(share.far_limit, share.claim->far);
  share.far_open = share.far_room > 0;
  share.near_open = share.claim->near > 0 && share.own > 0;
}

void BucketFilling::fill() {
  while (count_users()) {
    const MicroBytes step = largest_step();
    if (step > 0) grow(step);
    close_exhausted();
  }
  for (Share& share : shares_) set_times(share);
}

bool BucketFilling::count_users() {
  for (Supply& port : ports_) port.users = 0;
  l2_[0].users = l2_[1].users = hbm_.users = hbm_.rounding = 0;
  bool any = false;
  for (const Share& share : shares_) {
    if (!growing(share)) continue;
    any = true;
    ++ports_[share.port].users;
    ++l2_of(share).users;
    if (!share.far_open) continue;
    hbm_.users += share.claim->weight;
    hbm_.rounding += share.claim->weight == kUnitWeight ? 0 : 1;
  }
  return any;
}

// Largest further growth that no limit of the share's own forbids.
MicroBytes BucketFilling::room(const Share& share) const {
  const MicroBytes total = share.own - share.far - share.near;
  return std::min(total, share.far_open ? share.far_room - share.far : share.claim->near - share.near);
}

MicroBytes BucketFilling::largest_step() const {
  MicroBytes step = std::min(step_of(l2_[0], 1), step_of(l2_[1], 1));
  step = std::min(step, step_of(hbm_, kUnitWeight));
  for (const Supply& port : ports_) step = std::min(step, step_of(port, 1));
  for (const Share& share : shares_) {
    if (growing(share)) step = std::min(step, room(share));
  }
  return step;
}

void BucketFilling::grow(MicroBytes step) {
  for (Share& share : shares_) {
    if (!growing(share)) continue;
    ports_[share.port].left -= step;
    l2_of(share).left -= step;
    if (!share.far_open) {
      share.near += step;
      continue;
    }
    share.far += step;
    const MicroBytes hbm = std::min(hbm_of(step, share.claim->weight), share.claim->hbm - share.hbm);
    share.hbm += hbm;
    hbm_.left -= hbm;
  }
}

void BucketFilling::close_exhausted() {
  const bool hbm_out = exhausted(hbm_, kUnitWeight);
  const bool l2_out[2] = {exhausted(l2_[0], 1), exhausted(l2_[1], 1)};
  for (Share& share : shares_) {
    if (!growing(share)) continue;
    const bool port_out = exhausted(ports_[share.port], 1);
    const bool side_out = l2_out[static_cast<int>(share.claim->access)];
    if (port_out || side_out || share.own == share.far + share.near) {
      if (share.own > share.far + share.near) share.stopped_by = port_out ? Limit::port : Limit::l2;
      share.far_open = share.near_open = false;
      continue;
    }
    if (share.far_open && (hbm_out || share.far == share.far_room)) {
      share.far_open = false;
      if (share.far < share.far_room) share.stopped_by = Limit::hbm;
    }
    if (share.near == share.claim->near) share.near_open = false;
  }
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
                multiply_divide_up(taken_until(share, true), share.length, ports_[share.port].supply),
                multiply_divide_up(taken_until(share, false), share.length, l2_of(share).supply)});
  share.time = std::max(path, share.far_time);
}

}  // namespace npulab::memory
