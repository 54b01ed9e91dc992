// SPDX-License-Identifier: Apache-2.0
// When lines that missed arrive: one entry for the misses of one window, named by a tag that the L2 keeps with the line.
// Stands for the miss-status registers; left out: a limit on their number (the outstanding windows of the clients bound it).
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace npulab::memory {

class FillTable {
 public:
  /// Entries are kept until `keep` after the fill's time.
  explicit FillTable(Picoseconds keep) : keep_(keep), entries_(kFirstSize) {}

  /// A tag for the misses of a window that is settled at `now`; their time is pending until set.
  std::uint32_t open(Picoseconds now) {
    if (++last_ == 0) ++last_;  // 0 means: never filled
    while (occupied(entries_[last_ & (entries_.size() - 1)], now)) grow();
    entries_[last_ & (entries_.size() - 1)] = {last_, kNever};
    return last_;
  }
  /// The misses of `tag` have passed the shared path at `time`.
  void set(std::uint32_t tag, Picoseconds time) { entries_[tag & (entries_.size() - 1)].time = time; }
  /// Time of a fill; kNever while pending, 0 when it is so long ago that it bounds nothing. A tag met again after 2^32
  /// windows may be taken for its successor.
  Picoseconds time(std::uint32_t tag) const {
    const Entry& entry = entries_[tag & (entries_.size() - 1)];
    return entry.tag == tag ? entry.time : 0;
  }

 private:
  struct Entry {
    std::uint32_t tag = 0;
    Picoseconds time = 0;
  };
  static constexpr std::size_t kFirstSize = 1024;  // a power of two; grows when more windows are in flight

  bool occupied(const Entry& entry, Picoseconds now) const {
    return entry.tag != 0 && (entry.time == kNever || entry.time + keep_ > now);
  }
  void grow() {
    std::vector<Entry> wider(entries_.size() * 2);
    for (const Entry& entry : entries_) {
      if (entry.tag != 0) wider[entry.tag & (wider.size() - 1)] = entry;
    }
    entries_.swap(wider);
  }

  Picoseconds keep_;
  std::uint32_t last_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace npulab::memory
