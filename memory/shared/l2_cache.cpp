// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/l2_cache.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::memory {

L2Cache::L2Cache(const L2Spec& spec)
    : line_bytes_(spec.line_bytes), sector_bytes_(spec.sector_bytes), sectors_per_line_(0) {
  const auto power_of_two = [](Bytes bytes) { return bytes > 0 && (bytes & (bytes - 1)) == 0; };
  if (!power_of_two(sector_bytes_) || !power_of_two(line_bytes_) || line_bytes_ < sector_bytes_ ||
      line_bytes_ / sector_bytes_ > kMostSectors) {
    throw InternalError("l2: a line must be 1, 2, 4, 8 or 16 sectors, both powers of two");
  }
  sectors_per_line_ = static_cast<int>(line_bytes_ / sector_bytes_);
  if (spec.capacity == 0) return;
  if (spec.ways <= 0 || spec.capacity % (line_bytes_ * spec.ways) != 0) {
    throw InternalError("l2: capacity must be a whole number of sets of `ways` lines");
  }
  ways_ = static_cast<std::size_t>(spec.ways);
  sets_ = static_cast<std::size_t>(spec.capacity / (line_bytes_ * spec.ways));
  clear();
}

void L2Cache::clear() {
  tags_.assign(sets_ * ways_, kNoTag);
  stamps_.assign(sets_ * ways_, 0);
  clocks_.assign(sets_, 0);
  lines_.assign(sets_ * ways_, Line{});
}

L2Cache::Outcome L2Cache::access(std::uint64_t line, SectorMask sectors, bool write, std::uint32_t fill) {
  if (sets_ == 0) return {};
  const Place place = locate(line);
  std::size_t way = find(place);
  Outcome outcome;
  if (way == kAbsent) {
    way = oldest(place.first);
    outcome.victim_dirty = lines_[way].dirty;
    tags_[way] = place.tag;
    lines_[way] = Line{};
  } else {
    outcome.hit = sectors & lines_[way].valid;
    outcome.fill = lines_[way].fill;
  }
  Line& entry = lines_[way];
  entry.valid = static_cast<std::uint16_t>(entry.valid | sectors);
  if (write) {
    entry.dirty = static_cast<std::uint16_t>(entry.dirty | sectors);
  } else if (outcome.hit != sectors) {
    entry.fill = fill;
  }
  touch(place.set, way);
  return outcome;
}

L2Cache::Outcome L2Cache::access_bypass(std::uint64_t line, SectorMask sectors, bool write) {
  if (sets_ == 0) return {};
  const std::size_t way = find(locate(line));
  if (way == kAbsent) return {};
  Line& entry = lines_[way];
  if (!write) return {sectors & entry.valid, 0, entry.fill};
  entry.valid = static_cast<std::uint16_t>(entry.valid | sectors);
  entry.dirty = static_cast<std::uint16_t>(entry.dirty | sectors);
  return {sectors, 0, entry.fill};
}

L2Cache::Place L2Cache::locate(std::uint64_t line) {
  if (line == memo_line_ + 1) {
    if (++memo_set_ == sets_) {
      memo_set_ = 0;
      ++memo_tag_;
    }
  } else if (line != memo_line_) {
    memo_set_ = static_cast<std::size_t>(line % sets_);
    memo_tag_ = static_cast<std::uint32_t>(line / sets_);
  }
  memo_line_ = line;
  return {memo_set_, memo_set_ * ways_, memo_tag_};
}

std::size_t L2Cache::find(const Place& place) const {
  const std::uint32_t* tags = tags_.data() + place.first;
  for (std::size_t way = 0; way < ways_; ++way) {
    if (tags[way] == place.tag) return place.first + way;
  }
  return kAbsent;
}

void L2Cache::touch(std::size_t set, std::size_t way) {
  std::uint32_t& clock = clocks_[set];
  if (++clock == ~std::uint32_t{0}) renumber(set);
  stamps_[way] = clock;
}

std::size_t L2Cache::oldest(std::size_t first) const {
  const auto begin = stamps_.begin() + static_cast<std::ptrdiff_t>(first);
  return first + static_cast<std::size_t>(std::min_element(begin, begin + static_cast<std::ptrdiff_t>(ways_)) - begin);
}

// The set's clock is about to wrap: keep the order, start again from small numbers.
void L2Cache::renumber(std::size_t set) {
  const std::size_t first = set * ways_;
  std::vector<std::uint32_t> sorted(stamps_.begin() + static_cast<std::ptrdiff_t>(first),
                                    stamps_.begin() + static_cast<std::ptrdiff_t>(first + ways_));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t way = first; way < first + ways_; ++way) {
    if (stamps_[way] == 0) continue;
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), stamps_[way]) - sorted.begin();
    stamps_[way] = static_cast<std::uint32_t>(rank) + 1;
  }
  clocks_[set] = static_cast<std::uint32_t>(ways_) + 1;
}

}  // namespace npulab::memory
