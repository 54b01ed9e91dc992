// SPDX-License-Identifier: Apache-2.0
// Tags of the shared L2: set-associative, exact LRU, write-allocate, write-back, sectored lines (a sector is valid or dirty
// by itself). Holds no payload and no time. Left out: slices and their hash, replacement other than LRU (not public). Sizes
// come from L2Spec; a capacity of zero means the chip has no L2 and everything misses.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/soc_spec.h"

namespace npulab::memory {

/// A set of sectors of one line, bit 0 the lowest address.
using SectorMask = std::uint32_t;

class L2Cache {
 public:
  /// Throws InternalError unless lines and sectors are powers of two with at most 16 sectors a line, and the capacity is a
  /// whole number of sets of at most 16 ways.
  explicit L2Cache(const L2Spec& spec);

  struct Outcome {
    SectorMask hit = 0;           // which of the asked sectors were there
    SectorMask victim_dirty = 0;  // sectors to write back because their line was evicted
    std::uint32_t fill = 0;       // who filled the line last (its tag from `fill`), 0 if there is no such line
  };
  /// Looks up `sectors` of line number `line` and makes them present; a write makes them dirty. Missing sectors of a read
  /// are marked as filled by `fill`.
  Outcome access(std::uint64_t line, SectorMask sectors, bool write, std::uint32_t fill);
  /// access() of all sectors of each of `count` lines from `first` on, in order; `visit(outcome)` is called for lines that were
  /// there in part or whole, and for those that evicted dirty sectors.
  template <typename Visit>
  void access_whole(std::uint64_t first, std::int64_t count, bool write, std::uint32_t fill, Visit visit);
  /// As access, but absent lines stay absent, absent sectors are not filled and the LRU order does not change. Present
  /// sectors serve a read; a write goes into a present line.
  Outcome access_bypass(std::uint64_t line, SectorMask sectors, bool write);
  /// Everything absent, dirty data lost: a power-on reset.
  void clear();

  /// True for a chip without L2.
  bool absent() const { return sets_.empty(); }
  Bytes line_bytes() const { return line_bytes_; }
  Bytes sector_bytes() const { return sector_bytes_; }

 private:
  using Hints __attribute__((vector_size(16))) = std::uint8_t;
  struct Set {
    Hints hints = {};         // a byte of each way's tag, scattered: tags of neighbours often differ in high bits alone
    std::uint64_t order = 0;  // way numbers, a nibble each, least recently used in the lowest
  };
  struct Line {
    std::uint32_t tag = kNoTag;
    std::uint32_t fill = 0;
    std::uint16_t valid = 0;
    std::uint16_t dirty = 0;
  };
  static constexpr std::uint64_t kEach = 0x1111'1111'1111'1111;
  static std::uint8_t hint_of(std::uint32_t tag) { return static_cast<std::uint8_t>(tag * 0x9e37'79b1u >> 24); }
  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};
  static constexpr unsigned kAbsent = ~0u;
  static constexpr Bytes kMostSectors = 16;  // bits of Line::valid
  static constexpr unsigned kMostWays = 16;  // nibbles of Set::order
  static constexpr std::size_t kSetsAhead = 6;  // for the host's cache: far enough to hide a miss, few enough to stay in it

  struct Place {
    Set* set;
    Line* lines;  // way 0
    std::uint32_t tag;
  };
  Place locate(std::uint64_t line);
  Outcome use(const Place& place, SectorMask sectors, bool write, std::uint32_t fill);
  unsigned find(const Place& place) const;
  SectorMask replace(const Place& place, SectorMask sectors, bool write, std::uint32_t fill) const;
  void touch(Set& set, unsigned way) const;

  /// The high bit of each nibble that is zero; nibbles above the lowest such one may be named wrongly.
  static std::uint64_t zero_nibbles(std::uint64_t x) { return (x - kEach) & ~x & (kEach << 3); }

  Bytes line_bytes_;
  Bytes sector_bytes_;
  unsigned ways_ = 0;
  unsigned top_ = 0;              // place of the most recent way in Set::order
  std::uint64_t below_top_ = 0;   // the places below it
  std::vector<Set> sets_;
  std::vector<Line> lines_;  // [set][way]
  // The line located last; its neighbour needs no division.
  std::uint64_t line_ = 0;
  std::size_t set_ = 0;
  std::uint32_t tag_ = 0;
};

inline L2Cache::Place L2Cache::locate(std::uint64_t line) {
  std::size_t set = set_;
  std::uint32_t tag = tag_;
  if (line == line_ + 1) {
    if (++set == sets_.size()) {
      set = 0;
      ++tag;
    }
  } else if (line != line_) {
    tag = static_cast<std::uint32_t>(line / sets_.size());
    set = static_cast<std::size_t>(line - tag * std::uint64_t{sets_.size()});
  }
  line_ = line;
  set_ = set;
  tag_ = tag;
  return {sets_.data() + set, lines_.data() + set * ways_, tag};
}

inline unsigned L2Cache::find(const Place& place) const {
  using Halves __attribute__((vector_size(16))) = std::uint64_t;
  const auto same = (Halves)(place.set->hints == hint_of(place.tag) + Hints{});
  if ((same[0] | same[1]) == 0) return kAbsent;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t candidates = same[half] & 0x0101'0101'0101'0101;
    for (; candidates != 0; candidates &= candidates - 1) {
      const unsigned way = 8 * half + static_cast<unsigned>(__builtin_ctzll(candidates)) / 8;
      if (way < ways_ && place.lines[way].tag == place.tag) return way;
    }
  }
  return kAbsent;
}

// Gives the least recently used way to the line; ways never used are least recent of all. Returns the victim's dirty sectors.
inline SectorMask L2Cache::replace(const Place& place, SectorMask sectors, bool write, std::uint32_t fill) const {
  const std::uint64_t order = place.set->order;
  const std::uint64_t way = order & 15;
  place.set->order = order >> 4 | way << top_;
  place.set->hints[way] = hint_of(place.tag);
  Line& entry = place.lines[way];
  const SectorMask victim = entry.dirty;
  const auto valid = static_cast<std::uint16_t>(sectors);
  entry = {place.tag, write ? 0 : fill, valid, write ? valid : std::uint16_t{0}};
  return victim;
}

inline void L2Cache::touch(Set& set, unsigned way) const {
  const std::uint64_t order = set.order;
  if (order >> top_ == way) return;
  const unsigned bit = static_cast<unsigned>(__builtin_ctzll(zero_nibbles(order ^ kEach * way))) & ~3u;
  // The way leaves its place, the more recent ones move down by one, it comes on top.
  const std::uint64_t kept = (std::uint64_t{1} << bit) - 1;
  set.order = (order & kept) | (order >> 4 & ~kept & below_top_) | std::uint64_t{way} << top_;
}

inline L2Cache::Outcome L2Cache::use(const Place& place, SectorMask sectors, bool write, std::uint32_t fill) {
  const unsigned way = find(place);
  if (way == kAbsent) return {0, replace(place, sectors, write, fill), 0};
  touch(*place.set, way);
  Line& entry = place.lines[way];
  const SectorMask hit = sectors & entry.valid;
  const std::uint32_t filled = entry.fill;
  entry.valid = static_cast<std::uint16_t>(entry.valid | sectors);
  if (write) {
    entry.dirty = static_cast<std::uint16_t>(entry.dirty | sectors);
  } else if (hit != sectors) {
    entry.fill = fill;
  }
  return {hit, 0, filled};
}

inline L2Cache::Outcome L2Cache::access(std::uint64_t line, SectorMask sectors, bool write, std::uint32_t fill) {
  if (absent()) return {};
  return use(locate(line), sectors, write, fill);
}

template <typename Visit>
inline void L2Cache::access_whole(std::uint64_t first, std::int64_t count, bool write, std::uint32_t fill, Visit visit) {
  const auto whole = (SectorMask{2} << (line_bytes_ / sector_bytes_ - 1)) - 1;
  Place place = locate(first);
  const Set* const end = sets_.data() + sets_.size();
  for (std::int64_t i = 0; i < count; ++i) {
    if (place.set + kSetsAhead < end) {
      const Set& later = place.set[kSetsAhead];
      __builtin_prefetch(place.lines + kSetsAhead * ways_ + (later.order & 15), 1);
    }
    const Outcome outcome = use(place, whole, write, fill);
    if ((outcome.hit | outcome.victim_dirty) != 0) visit(outcome);
    ++place.set;
    place.lines += ways_;
    if (place.set == end) place = {sets_.data(), lines_.data(), place.tag + 1};
  }
}

inline L2Cache::Outcome L2Cache::access_bypass(std::uint64_t line, SectorMask sectors, bool write) {
  if (absent()) return {};
  const Place place = locate(line);
  const unsigned way = find(place);
  if (way == kAbsent) return {};
  Line& entry = place.lines[way];
  if (!write) return {sectors & entry.valid, 0, entry.fill};
  entry.valid = static_cast<std::uint16_t>(entry.valid | sectors);
  entry.dirty = static_cast<std::uint16_t>(entry.dirty | sectors);
  return {sectors, 0, entry.fill};
}

}  // namespace npulab::memory
