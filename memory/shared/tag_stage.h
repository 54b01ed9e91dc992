// SPDX-License-Identifier: Apache-2.0
// What a window costs: walks its lines through the L2 tags and says how many bytes come from the L2, how many need HBM, and
// which fills in flight it must wait for. Stands for the L2 controller. Left out: L2 bandwidth of reading out a victim.
#pragma once

#include <vector>

#include "memory/shared/claim.h"
#include "memory/shared/fill_table.h"
#include "memory/shared/l2_cache.h"
#include "memory/shared/memory_statistics.h"
#include "memory/shared/row_cursor.h"

namespace npulab::memory {

/// One window of one transfer between tag look-up and answer.
struct Window {
  Bytes hit = 0, miss = 0;
  Bytes near = 0, far = 0, hbm = 0;
  std::uint32_t fill = 0;         // tag of its own misses, 0 for writes
  std::uint32_t last_fill = 0;    // the fill it asked about last
  Picoseconds fill_bound = 0;     // latest arrival of a line that somebody else is filling
};

class TagStage {
 public:
  explicit TagStage(const MemorySpec& spec);

  /// Looks up the next `limit` bytes (0: all) of `cursor`, at least one piece. `index` numbers the windows of one edge.
  Window look_up(RowCursor& cursor, const TransferRequest& transfer, Bytes limit, std::size_t index, Picoseconds now);
  /// Far bytes of `window` pass at `time`: its lines can be used by others from then on.
  void filled(const Window& window, Picoseconds time) {
    if (window.fill != 0) fills_.set(window.fill, window.far > 0 ? time : 0);
  }
  /// After filled() of all windows of an edge: raises the bounds of those that wait for a line of another one.
  void bind(std::vector<Window>& windows);

  const L2Cache& cache() const { return cache_; }
  /// Adds what the tags have seen.
  void add_to(MemoryStatistics& statistics) const;

 private:
  struct Binding {
    std::size_t window;
    std::uint32_t fill;
  };

  std::int64_t whole_lines(const RowCursor& cursor, Bytes limit) const;
  Bytes read_lines(RowCursor& cursor, Bytes limit, Window& window, std::size_t index);
  Bytes write_lines(RowCursor& cursor, Bytes limit, Window& window);
  void read_piece(const RowCursor::Piece& piece, bool bypass, Window& window, std::size_t index);
  void write_piece(const RowCursor::Piece& piece, bool bypass, Window& window);
  void wait_for(std::uint32_t fill, Window& window, std::size_t index);
  Bytes bytes_of(SectorMask sectors) const;
  Bytes evicted(SectorMask dirty);

  L2Cache cache_;
  SectorMask whole_line_;
  FillTable fills_;
  std::vector<Binding> bindings_;
  std::int64_t victim_lines_ = 0;
  Bytes victim_bytes_ = 0;
  Bytes fill_bytes_ = 0;
};

}  // namespace npulab::memory
