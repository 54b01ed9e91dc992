// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/bandwidth_calendar.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::memory {
namespace {

constexpr std::int64_t kUnlimitedRate = 1'000'000'000;  // thousandths of a byte per ns: a petabyte per second

std::int64_t milli_bytes_per_ns(std::int64_t bytes_per_s) { return bytes_per_s / 1'000'000; }

std::int64_t l2_rate(std::int64_t bytes_per_s) {
  return bytes_per_s == 0 ? kUnlimitedRate : milli_bytes_per_ns(bytes_per_s);
}

/// How often a bucket with these results repeats before a demand runs out.
std::int64_t repeats_of(const Claim& claim, MicroBytes near, MicroBytes far, MicroBytes hbm) {
  std::int64_t count = std::numeric_limits<std::int64_t>::max();
  if (far > 0) count = std::min(count, (claim.far - 1) / far);
  if (hbm > 0) count = std::min(count, claim.hbm / hbm);
  if (near > 0) count = std::min(count, (claim.near - 1) / near);
  return count;
}

}  // namespace

BandwidthCalendar::BandwidthCalendar(const MemorySpec& spec)
    : bucket_(spec.bucket),
      l2_{{l2_rate(spec.l2.read_bytes_per_s), spec.bucket}, {l2_rate(spec.l2.write_bytes_per_s), spec.bucket}},
      hbm_(milli_bytes_per_ns(spec.hbm.sustained_bytes_per_s), spec.bucket) {
  if (bucket_ <= 0) throw InternalError("memory: the bandwidth bucket must be longer than zero");
  if (hbm_.rate() <= 0) throw InternalError("hbm: the sustained bandwidth must be above zero");
}

void BandwidthCalendar::add_client(std::int64_t read_rate_milli_bytes_per_ns,
                                   std::int64_t write_rate_milli_bytes_per_ns) {
  ports_.emplace_back(read_rate_milli_bytes_per_ns, bucket_);
  ports_.emplace_back(write_rate_milli_bytes_per_ns, bucket_);
}

std::int64_t BandwidthCalendar::rate_of(MemoryClientId client, MemoryAccess access, std::int64_t cap) const {
  const std::int64_t rate = std::min(port(client, access).rate(), l2(access).rate());
  return cap > 0 ? std::min(rate, cap) : rate;
}

Picoseconds BandwidthCalendar::unloaded(const Claim& claim) const {
  const Picoseconds path = ceil_div(claim.near + claim.far, claim.rate);
  return claim.hbm == 0 ? path : std::max(path, ceil_div(claim.hbm, hbm_.rate()));
}

void BandwidthCalendar::book(Claim* claims, std::size_t count, Picoseconds now) {
  if (count != 1) return book_together(claims, count, now);
  prepare(claims[0], now / bucket_);
  if (claims[0].near + claims[0].far > 0) book_alone(claims[0]);
}

void BandwidthCalendar::book_together(Claim* claims, std::size_t count, Picoseconds now) {
  active_.clear();
  std::int64_t bucket = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < count; ++i) {
    prepare(claims[i], now / bucket_);
    if (claims[i].near + claims[i].far == 0) continue;
    active_.push_back(&claims[i]);
    bucket = std::min(bucket, claims[i].first_bucket);
  }
  while (!active_.empty()) {
    bucket = skip_full(bucket);
    bucket += fill_bucket(bucket, now);
  }
}

void BandwidthCalendar::prepare(Claim& claim, std::int64_t bucket) {
  ports_[port_index(claim.client, claim.access)].forget_before(bucket);
  l2_[static_cast<int>(claim.access)].forget_before(bucket);
  hbm_.forget_before(bucket);
  claim.finish = claim.far_finish = claim.start;
  claim.first_bucket = claim.start / bucket_;
  std::fill(std::begin(claim.lost), std::end(claim.lost), 0);
  claim.weight = claim.hbm == claim.far ? kUnitWeight : multiply_divide_up(claim.hbm, kUnitWeight, claim.far);
}

void BandwidthCalendar::book_alone(Claim& claim) {
  std::int64_t bucket = claim.first_bucket;
  Picoseconds begin = claim.start;
  for (bool done = false; !done;) {
    const Opening opening = first_open(claim, bucket);
    if (opening.bucket > bucket) {
      claim.lost[static_cast<int>(opening.cause)] += (opening.bucket - bucket) * claim.rate * bucket_;
      bucket = opening.bucket;
      begin = bucket * bucket_;
    }
    std::int64_t count = 1;
    done = step_alone(claim, bucket, begin, count);
    bucket += count;
    begin = bucket * bucket_;
  }
}

// One bucket of a claim that has the calendar to itself; `count` becomes the number of equal buckets booked at once.
bool BandwidthCalendar::step_alone(Claim& claim, std::int64_t bucket, Picoseconds begin, std::int64_t& count) {
  const Picoseconds length = (bucket + 1) * bucket_ - begin;
  const MicroBytes own = claim.rate * length;
  const MicroBytes port_left = ports_[port_index(claim.client, claim.access)].left(bucket);
  const MicroBytes l2_left = l2_[static_cast<int>(claim.access)].left(bucket);
  const MicroBytes path = std::min({own, port_left, l2_left});
  MicroBytes far = 0, hbm = 0;
  bool hbm_short = false;
  if (claim.far > 0) {
    const MicroBytes hbm_left = hbm_.left(bucket);
    const MicroBytes limit = far_of(hbm_.rate() * length, claim.weight);
    far = std::min({claim.far, path, limit, far_of(hbm_left, claim.weight)});
    hbm = std::min(hbm_of(far, claim.weight), claim.hbm);
    if (far > 0 && far == claim.far) {
      claim.far_finish = begin + std::max(multiply_divide_up(far, length, std::min(own, limit)),
                                          multiply_divide_up(hbm, length, hbm_left));
    }
    hbm_short = far < std::min({claim.far, path, limit});
  }
  const MicroBytes near = std::min(claim.near, path - far);
  const MicroBytes total = far + near;
  const bool done = far == claim.far && near == claim.near;
  if (done) {
    claim.finish = std::max(claim.far_finish, begin + multiply_divide_up(total, length, path));
  } else {
    if (length == bucket_ && untouched(claim, bucket)) {
      count = std::max<std::int64_t>(1, repeats_of(claim, near, far, hbm));
    }
    const Limit cause = total < path && hbm_short ? Limit::hbm : port_left <= l2_left ? Limit::port : Limit::l2;
    if (total < own && (total == path || hbm_short)) claim.lost[static_cast<int>(cause)] += (own - total) * count;
  }
  if (total > 0) commit(claim, {bucket, count, begin, total, hbm}, far);
  return done;
}

bool BandwidthCalendar::untouched(const Claim& claim, std::int64_t bucket) const {
  return port(claim.client, claim.access).end() <= bucket && l2(claim.access).end() <= bucket &&
         (claim.far == 0 || hbm_.end() <= bucket);
}

// First bucket in which the claim can move anything, and what kept it from moving before.
BandwidthCalendar::Opening BandwidthCalendar::first_open(const Claim& claim, std::int64_t bucket) {
  BucketRing& port = ports_[port_index(claim.client, claim.access)];
  BucketRing& side = l2_[static_cast<int>(claim.access)];
  Opening opening{bucket, Limit::own};
  const auto pass = [&opening](BucketRing& ring, Limit cause) {
    const std::int64_t open = ring.first_open(opening.bucket);
    if (open == opening.bucket) return false;
    opening = {open, cause};
    return true;
  };
  while (true) {
    bool moved = pass(port, Limit::port);
    moved = pass(side, Limit::l2) || moved;
    if (claim.near == 0) moved = pass(hbm_, Limit::hbm) || moved;
    if (!moved) return opening;
  }
}

// First bucket from `bucket` on in which any active claim can move.
std::int64_t BandwidthCalendar::skip_full(std::int64_t bucket) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Claim* claim : active_) {
    first = std::min(first, first_open(*claim, std::max(bucket, claim->first_bucket)).bucket);
    if (first == bucket) return bucket;
  }
  for (Claim* claim : active_) {
    const std::int64_t from = std::max(bucket, claim->first_bucket);
    if (from >= first) continue;
    const Limit cause = first_open(*claim, from).cause;
    claim->lost[static_cast<int>(cause)] += (first - from) * claim->rate * bucket_;
  }
  return first;
}

std::int64_t BandwidthCalendar::fill_bucket(std::int64_t bucket, Picoseconds now) {
  collect_shares(bucket, now);
  filling_.fill();
  const std::int64_t count = repeats(bucket);
  for (const Share& share : filling_.shares()) settle_share(share, bucket, count);
  const auto done = [](const Claim* claim) { return claim->near + claim->far == 0; };
  active_.erase(std::remove_if(active_.begin(), active_.end(), done), active_.end());
  return count;
}

void BandwidthCalendar::collect_shares(std::int64_t bucket, Picoseconds now) {
  const Picoseconds end = (bucket + 1) * bucket_;
  const Picoseconds rest = std::min(bucket_, end - now);
  const auto left = [bucket, rest](const BucketRing& ring) { return std::min(ring.left(bucket), ring.rate() * rest); };
  filling_.start(left(hbm_), left(l2_[0]), left(l2_[1]));
  for (Claim* claim : active_) {
    if (claim->start >= end) continue;
    const std::size_t index = port_index(claim->client, claim->access);
    Share& share = filling_.add();
    share.claim = claim;
    share.port = filling_.add_port(index, left(ports_[index]));
    share.begin = std::max(claim->start, bucket * bucket_);
    share.length = end - share.begin;
    share.own = claim->rate * share.length;
    share.far_limit = far_of(hbm_.rate() * share.length, claim->weight);
  }
}

// Nothing is booked from `bucket` on and no demand ends in it: the following buckets come out the same.
std::int64_t BandwidthCalendar::repeats(std::int64_t bucket) const {
  if (filling_.shares().size() != active_.size() || filling_.shares().front().begin != bucket * bucket_) return 1;
  std::int64_t count = std::numeric_limits<std::int64_t>::max();
  for (const Share& share : filling_.shares()) {
    if (share.begin != bucket * bucket_ || !untouched(*share.claim, bucket)) return 1;
    count = std::min(count, repeats_of(*share.claim, share.near, share.far, share.hbm));
  }
  return std::max<std::int64_t>(1, count);
}

void BandwidthCalendar::settle_share(const Share& share, std::int64_t bucket, std::int64_t count) {
  Claim& claim = *share.claim;
  const MicroBytes total = share.far + share.near;
  if (share.far > 0 && share.far == claim.far) claim.far_finish = share.begin + share.far_time;
  if (share.far == claim.far && share.near == claim.near) {
    claim.finish = std::max(claim.far_finish, share.begin + share.time);
  } else if (share.stopped_by != Limit::own) {
    claim.lost[static_cast<int>(share.stopped_by)] += (share.own - total) * count;
  }
  if (total > 0) commit(claim, {bucket, count, share.begin, total, share.hbm}, share.far);
}

void BandwidthCalendar::commit(Claim& claim, const BookedRun& run, MicroBytes far) {
  ports_[port_index(claim.client, claim.access)].take(run.bucket, run.count, run.data);
  l2_[static_cast<int>(claim.access)].take(run.bucket, run.count, run.data);
  (claim.access == MemoryAccess::read ? totals_.l2_read : totals_.l2_write) += run.data * run.count;
  claim.far -= far * run.count;
  claim.near -= (run.data - far) * run.count;
  if (run.hbm > 0) {
    hbm_.take(run.bucket, run.count, run.hbm);
    totals_.hbm += run.hbm * run.count;
    claim.hbm -= run.hbm * run.count;
  }
  if (claim.runs != nullptr) claim.runs->push_back(run);
}

void BandwidthCalendar::release(MemoryClientId client, MemoryAccess access, const std::vector<BookedRun>& runs,
                                Picoseconds now) {
  BucketRing& port = ports_[port_index(client, access)];
  BucketRing& side = l2_[static_cast<int>(access)];
  MicroBytes& side_total = access == MemoryAccess::read ? totals_.l2_read : totals_.l2_write;
  for (const BookedRun& run : runs) {
    for (std::int64_t bucket = std::max(run.bucket, now / bucket_); bucket < run.bucket + run.count; ++bucket) {
      const Picoseconds begin = bucket == run.bucket ? run.begin : bucket * bucket_;
      const Picoseconds length = (bucket + 1) * bucket_ - begin;
      const Picoseconds ahead = std::min(length, (bucket + 1) * bucket_ - now);
      const auto part = [length, ahead](MicroBytes amount) { return multiply_divide(amount, ahead, length); };
      port.give_back(bucket, part(run.data));
      side.give_back(bucket, part(run.data));
      hbm_.give_back(bucket, part(run.hbm));
      side_total -= part(run.data);
      totals_.hbm -= part(run.hbm);
    }
  }
}

}  // namespace npulab::memory
