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
  // Sixteen ways in 64 bits: a nibble each.
  struct Set {
    std::uint64_t order = 0;  // way numbers, least recently used in the lowest nibble
    std::uint64_t hints = 0;  // low four bits of each way's tag
  };
  struct Line {
    std::uint32_t tag = kNoTag;
    std::uint32_t fill = 0;
    std::uint16_t valid = 0;
    std::uint16_t dirty = 0;
  };
  static constexpr std::uint64_t kEach = 0x1111'1111'1111'1111;
  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};
  static constexpr unsigned kAbsent = ~0u;
  static constexpr Bytes kMostSectors = 16;  // bits of Line::valid
  static constexpr unsigned kMostWays = 16;  // nibbles of Set::order

  void locate(std::uint64_t line);
  unsigned find() const;
  unsigned replace(Outcome& outcome);
  void touch(unsigned way);

  /// The high bit of each nibble that is zero; nibbles above the lowest such one may be named wrongly.
  static std::uint64_t zero_nibbles(std::uint64_t x) { return (x - kEach) & ~x & (kEach << 3); }

  Bytes line_bytes_;
  Bytes sector_bytes_;
  unsigned ways_ = 0;
  std::vector<Set> sets_;
  std::vector<Line> lines_;  // [set][way]
  // The line located last; its neighbour needs no division.
  std::uint64_t line_ = 0;
  std::size_t set_ = 0;
  std::uint32_t tag_ = 0;
};

inline void L2Cache::locate(std::uint64_t line) {
  if (line == line_ + 1) {
    if (++set_ == sets_.size()) {
      set_ = 0;
      ++tag_;
    }
  } else if (line != line_) {
    set_ = static_cast<std::size_t>(line % sets_.size());
    tag_ = static_cast<std::uint32_t>(line / sets_.size());
  }
  line_ = line;
}

inline unsigned L2Cache::find() const {
  const Line* lines = lines_.data() + set_ * ways_;
  std::uint64_t candidates = zero_nibbles(sets_[set_].hints ^ kEach * (tag_ & 15));
  for (; candidates != 0; candidates &= candidates - 1) {
    const unsigned way = static_cast<unsigned>(__builtin_ctzll(candidates)) / 4;
    if (way < ways_ && lines[way].tag == tag_) return way;
  }
  return kAbsent;
}

inline void L2Cache::touch(unsigned way) {
  std::uint64_t& order = sets_[set_].order;
  const unsigned bit = static_cast<unsigned>(__builtin_ctzll(zero_nibbles(order ^ kEach * way))) & ~3u;
  const std::uint64_t below = (std::uint64_t{1} << bit) - 1;
  // The way leaves its place, the more recent ones move down, it comes on top.
  const std::uint64_t moved = (order & below) | (order >> 4 & ~below);
  const unsigned top = 4 * (ways_ - 1);
  order = (moved & ~(std::uint64_t{15} << top)) | std::uint64_t{way} << top;
}

inline L2Cache::Outcome L2Cache::access(std::uint64_t line, SectorMask sectors, bool write, std::uint32_t fill) {
  Outcome outcome;
  if (absent()) return outcome;
  locate(line);
  unsigned way = find();
  if (way == kAbsent) way = replace(outcome);
  Line& entry = lines_[set_ * ways_ + way];
  outcome.hit = sectors & entry.valid;
  outcome.fill = entry.fill;
  entry.valid = static_cast<std::uint16_t>(entry.valid | sectors);
  if (write) {
    entry.dirty = static_cast<std::uint16_t>(entry.dirty | sectors);
  } else if (outcome.hit != sectors) {
    entry.fill = fill;
  }
  touch(way);
  return outcome;
}

inline L2Cache::Outcome L2Cache::access_bypass(std::uint64_t line, SectorMask sectors, bool write) {
  if (absent()) return {};
  locate(line);
  const unsigned way = find();
  if (way == kAbsent) return {};
  Line& entry = lines_[set_ * ways_ + way];
  if (!write) return {sectors & entry.valid, 0, entry.fill};
  entry.valid = static_cast<std::uint16_t>(entry.valid | sectors);
  entry.dirty = static_cast<std::uint16_t>(entry.dirty | sectors);
  return {sectors, 0, entry.fill};
}

}  // namespace npulab::memory
