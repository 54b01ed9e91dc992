// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/l2_cache.h"

#include "model/base/errors.h"

namespace npulab::memory {

L2Cache::L2Cache(const L2Spec& spec) : line_bytes_(spec.line_bytes), sector_bytes_(spec.sector_bytes) {
  const auto power_of_two = [](Bytes bytes) { return bytes > 0 && (bytes & (bytes - 1)) == 0; };
  if (!power_of_two(sector_bytes_) || !power_of_two(line_bytes_) || line_bytes_ < sector_bytes_ ||
      line_bytes_ / sector_bytes_ > kMostSectors) {
    throw InternalError("l2: a line must be 1, 2, 4, 8 or 16 sectors, both powers of two");
  }
  if (spec.capacity == 0) return;
  if (spec.ways <= 0 || spec.ways > static_cast<int>(kMostWays) || spec.capacity % (line_bytes_ * spec.ways) != 0) {
    throw InternalError("l2: the capacity must be a whole number of sets of 1 to 16 lines");
  }
  ways_ = static_cast<unsigned>(spec.ways);
  sets_.resize(static_cast<std::size_t>(spec.capacity / (line_bytes_ * spec.ways)));
  clear();
}

void L2Cache::clear() {
  Set empty;
  for (unsigned way = 0; way < ways_; ++way) empty.order |= std::uint64_t{way} << (4 * way);
  sets_.assign(sets_.size(), empty);
  lines_.assign(sets_.size() * ways_, Line{});
}

// Gives the least recently used way to the located line. Ways never used are least recent of all.
unsigned L2Cache::replace(Outcome& outcome) {
  Set& set = sets_[set_];
  const unsigned way = static_cast<unsigned>(set.order & 15);
  Line& entry = lines_[set_ * ways_ + way];
  outcome.victim_dirty = entry.dirty;
  entry = Line{};
  entry.tag = tag_;
  const unsigned shift = 4 * way;
  set.hints = (set.hints & ~(std::uint64_t{15} << shift)) | std::uint64_t{tag_ & 15} << shift;
  return way;
}

}  // namespace npulab::memory
