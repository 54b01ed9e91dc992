// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/tag_stage.h"

#include <algorithm>

namespace npulab::memory {

TagStage::TagStage(const MemorySpec& spec)
    : cache_(spec.l2),
      whole_line_((SectorMask{1} << (cache_.line_bytes() / cache_.sector_bytes())) - 1),
      fills_(spec.hbm.miss_latency) {}

Window TagStage::look_up(RowCursor& cursor, const TransferRequest& transfer, Bytes limit, std::size_t index,
                         Picoseconds now) {
  Window window;
  if (cursor.done()) return window;
  const bool write = transfer.access == MemoryAccess::write;
  if (!write) window.fill = fills_.open(now);
  Bytes moved = 0;
  while (!cursor.done()) {
    if (!transfer.bypass_l2 && !cache_.absent() && (limit == 0 || moved < limit)) {
      const Bytes rest = limit == 0 ? 0 : limit - moved;
      moved += write ? write_lines(cursor, rest, window) : read_lines(cursor, rest, window, index);
      if (cursor.done()) break;
    }
    const RowCursor::Piece piece = cursor.piece();
    if (limit > 0 && moved > 0 && moved + piece.moved > limit) break;
    moved += piece.moved;
    if (write) {
      write_piece(piece, transfer.bypass_l2, window);
    } else {
      read_piece(piece, transfer.bypass_l2, window, index);
    }
    cursor.advance(piece);
  }
  return window;
}

std::int64_t TagStage::whole_lines(const RowCursor& cursor, Bytes limit) const {
  const std::int64_t whole = cursor.whole_lines();
  return limit == 0 ? whole : std::min(whole, limit / cache_.line_bytes());
}

// The common case, lines read as a whole, without cutting pieces. Returns the bytes moved.
Bytes TagStage::read_lines(RowCursor& cursor, Bytes limit, Window& window, std::size_t index) {
  const Bytes size = cache_.line_bytes();
  const std::int64_t count = whole_lines(cursor, limit);
  if (count == 0) return 0;
  Bytes hit = 0;
  Bytes victims = 0;
  cache_.access_whole(cursor.line(), count, false, window.fill, [&](const L2Cache::Outcome& outcome) {
    if (outcome.victim_dirty != 0) victims += evicted(outcome.victim_dirty);
    if (outcome.hit == 0) return;
    hit += outcome.hit == whole_line_ ? size : bytes_of(outcome.hit);
    if (outcome.fill != window.last_fill) wait_for(outcome.fill, window, index);
  });
  const Bytes miss = count * size - hit;
  window.hit += hit;
  window.near += hit;
  window.miss += miss;
  window.far += miss;
  window.hbm += miss + victims;
  fill_bytes_ += miss;
  cursor.advance_lines(count);
  return count * size;
}

// Lines written as a whole; the same as write_piece, line by line.
Bytes TagStage::write_lines(RowCursor& cursor, Bytes limit, Window& window) {
  const Bytes size = cache_.line_bytes();
  const std::int64_t count = whole_lines(cursor, limit);
  if (count == 0) return 0;
  std::int64_t hits = 0, evicting = 0;
  cache_.access_whole(cursor.line(), count, true, 0, [&](const L2Cache::Outcome& outcome) {
    hits += outcome.hit == whole_line_ ? 1 : 0;
    if (outcome.victim_dirty == 0) return;
    ++evicting;
    window.hbm += evicted(outcome.victim_dirty);
  });
  window.hit += hits * size;
  window.miss += (count - hits) * size;
  window.far += evicting * size;
  window.near += (count - evicting) * size;
  cursor.advance_lines(count);
  return count * size;
}

void TagStage::read_piece(const RowCursor::Piece& piece, bool bypass, Window& window, std::size_t index) {
  const L2Cache::Outcome outcome = bypass ? cache_.access_bypass(piece.line, piece.sectors, false)
                                          : cache_.access(piece.line, piece.sectors, false, window.fill);
  const Bytes hit = outcome.hit == piece.sectors ? piece.moved : bytes_of(outcome.hit);
  const Bytes miss = piece.moved - hit;
  window.hit += hit;
  window.near += hit;
  window.miss += miss;
  window.far += miss;
  window.hbm += miss;
  fill_bytes_ += miss;
  if (outcome.victim_dirty != 0) window.hbm += evicted(outcome.victim_dirty);
  if (hit > 0 && outcome.fill != window.last_fill) wait_for(outcome.fill, window, index);
}

// A write needs no fill: what it writes is valid and dirty by sector, and bytes of such a sector that it leaves out are
// merged by byte enables when the sector is written back. So it takes HBM only for a victim or when it bypasses.
void TagStage::write_piece(const RowCursor::Piece& piece, bool bypass, Window& window) {
  const L2Cache::Outcome outcome = bypass ? cache_.access_bypass(piece.line, piece.sectors, true)
                                          : cache_.access(piece.line, piece.sectors, true, 0);
  const bool hit = outcome.hit == piece.sectors;
  (hit ? window.hit : window.miss) += piece.moved;
  const bool through = bypass || cache_.absent();
  const Bytes hbm = outcome.victim_dirty != 0 ? evicted(outcome.victim_dirty)
                    : through && !hit        ? bytes_of(piece.sectors)
                                             : 0;
  (hbm > 0 ? window.far : window.near) += piece.moved;
  window.hbm += hbm;
}

void TagStage::wait_for(std::uint32_t fill, Window& window, std::size_t index) {
  window.last_fill = fill;
  if (fill == 0 || fill == window.fill) return;
  const Picoseconds time = fills_.time(fill);
  if (time == kNever) {
    bindings_.push_back({index, fill});  // settled at this very edge: its time is not known yet
  } else {
    window.fill_bound = std::max(window.fill_bound, time);
  }
}

void TagStage::bind(std::vector<Window>& windows) {
  for (const Binding& binding : bindings_) {
    Picoseconds& bound = windows[binding.window].fill_bound;
    bound = std::max(bound, fills_.time(binding.fill));
  }
  bindings_.clear();
}

Bytes TagStage::bytes_of(SectorMask sectors) const {
  Bytes bytes = 0;
  for (; sectors != 0; sectors &= sectors - 1) bytes += cache_.sector_bytes();
  return bytes;
}

Bytes TagStage::evicted(SectorMask dirty) {
  const Bytes bytes = bytes_of(dirty);
  ++victim_lines_;
  victim_bytes_ += bytes;
  return bytes;
}

void TagStage::add_to(MemoryStatistics& statistics) const {
  statistics.victim_lines = victim_lines_;
  statistics.victim_bytes = victim_bytes_;
  statistics.fill_bytes = fill_bytes_;
}

}  // namespace npulab::memory
