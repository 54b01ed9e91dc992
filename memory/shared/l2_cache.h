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
  /// Throws InternalError if lines, sectors and ways do not divide the capacity.
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
  bool absent() const { return sets_ == 0; }
  Bytes line_bytes() const { return line_bytes_; }
  Bytes sector_bytes() const { return sector_bytes_; }
  int sectors_per_line() const { return sectors_per_line_; }

 private:
  struct Place {
    std::size_t set;
    std::size_t first;  // index of way 0 of the set
    std::uint32_t tag;
  };
  struct Line {
    std::uint32_t fill = 0;
    std::uint16_t valid = 0;
    std::uint16_t dirty = 0;
  };

  Place locate(std::uint64_t line);
  std::size_t find(const Place& place) const;  // index of the way, or kAbsent
  void touch(std::size_t set, std::size_t way);
  std::size_t oldest(std::size_t first) const;
  void renumber(std::size_t set);

  static constexpr Bytes kMostSectors = 16;  // bits of Line::valid
  static constexpr std::size_t kAbsent = ~std::size_t{0};
  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};

  Bytes line_bytes_;
  Bytes sector_bytes_;
  int sectors_per_line_;
  std::size_t ways_ = 0;
  std::size_t sets_ = 0;
  std::uint64_t memo_line_ = 0;  // last line located: neighbours need no division
  std::size_t memo_set_ = 0;
  std::uint32_t memo_tag_ = 0;
  std::vector<std::uint32_t> tags_;    // [set][way]
  std::vector<std::uint32_t> stamps_;  // [set][way]: time of last use counted per set, 0 for an empty way
  std::vector<std::uint32_t> clocks_;  // [set]
  std::vector<Line> lines_;            // [set][way]
};

}  // namespace npulab::memory
