// SPDX-License-Identifier: Apache-2.0
// Walks the rows of a transfer in pieces that lie within one L2 line. Reads move whole sectors (both ends of a row rounded
// out), writes move exactly their bytes under byte enables. Rows that touch are one row.
#pragma once

#include <algorithm>

#include "memory/shared/l2_cache.h"
#include "model/contract/memory_system.h"

namespace npulab::memory {

class RowCursor {
 public:
  struct Piece {
    std::uint64_t line = 0;
    SectorMask sectors = 0;
    Bytes moved = 0;  // over port and L2
    Bytes asked = 0;  // of the row
  };

  RowCursor() = default;
  /// At the first byte of `transfer`; an empty transfer is done at once.
  RowCursor(const TransferRequest& transfer, Bytes line_bytes, Bytes sector_bytes);

  bool done() const { return rows_ == 0; }
  /// The next piece; the cursor must not be done.
  Piece piece() const;
  /// Whole lines from here on in this row; 0 inside a line.
  std::int64_t whole_lines() const {
    const std::uint64_t first = address();
    return first & ((std::uint64_t{1} << line_shift_) - 1) ? 0 : (row_bytes_ - offset_) >> line_shift_;
  }
  std::uint64_t line() const { return address() >> line_shift_; }
  /// Steps over `count` of whole_lines().
  void advance_lines(std::int64_t count) { advance(count << line_shift_); }
  /// Steps over `piece`, the answer of piece().
  void advance(const Piece& piece) { advance(piece.asked); }
  /// Bytes still to come, before rounding to sectors.
  Bytes remaining() const { return done() ? 0 : rows_ * row_bytes_ - offset_; }
  /// Address of the next byte.
  std::uint64_t address() const { return row_ + static_cast<std::uint64_t>(offset_); }

 private:
  void advance(Bytes asked);

  bool whole_sectors_ = false;
  int line_shift_ = 0;
  int sector_shift_ = 0;
  std::int64_t rows_ = 0;  // left, this one included
  Bytes row_bytes_ = 0;
  Bytes row_pitch_ = 0;
  std::uint64_t row_ = 0;
  Bytes offset_ = 0;
};

inline RowCursor::Piece RowCursor::piece() const {
  const std::uint64_t first = address();
  Piece piece;
  piece.line = first >> line_shift_;
  const auto in_line = static_cast<Bytes>(first - (piece.line << line_shift_));
  piece.asked = std::min(row_bytes_ - offset_, (Bytes{1} << line_shift_) - in_line);
  const int low = static_cast<int>(in_line >> sector_shift_);
  const int high = static_cast<int>((in_line + piece.asked - 1) >> sector_shift_);
  piece.sectors = ((SectorMask{2} << (high - low)) - 1) << low;
  piece.moved = whole_sectors_ ? static_cast<Bytes>(high - low + 1) << sector_shift_ : piece.asked;
  return piece;
}

inline void RowCursor::advance(Bytes asked) {
  offset_ += asked;
  if (offset_ < row_bytes_) return;
  offset_ = 0;
  row_ += static_cast<std::uint64_t>(row_pitch_);
  --rows_;
}

}  // namespace npulab::memory
