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
  top_ = 4 * (ways_ - 1);
  below_top_ = (std::uint64_t{1} << top_) - 1;
  sets_.resize(static_cast<std::size_t>(spec.capacity / (line_bytes_ * spec.ways)));
  clear();
}

void L2Cache::clear() {
  Set empty;
  empty.hints = hint_of(kNoTag) + Hints{};
  for (unsigned way = 0; way < ways_; ++way) empty.order |= std::uint64_t{way} << (4 * way);
  sets_.assign(sets_.size(), empty);
  lines_.assign(sets_.size() * ways_, Line{});
}

}  // namespace npulab::memory
