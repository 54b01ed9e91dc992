// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/row_cursor.h"

#include <algorithm>

namespace npulab::memory {

RowCursor::RowCursor(const TransferRequest& transfer, Bytes line_bytes, Bytes sector_bytes)
    : whole_sectors_(transfer.access == MemoryAccess::read),
      line_shift_(__builtin_ctzll(static_cast<unsigned long long>(line_bytes))),
      sector_shift_(__builtin_ctzll(static_cast<unsigned long long>(sector_bytes))),
      rows_(transfer.row_bytes == 0 ? 0 : transfer.rows),
      row_bytes_(transfer.row_bytes),
      row_pitch_(transfer.row_pitch),
      row_(transfer.address) {
  if (rows_ > 1 && row_pitch_ == row_bytes_) {
    row_bytes_ *= rows_;
    rows_ = 1;
  }
}

RowCursor::Piece RowCursor::piece() const {
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

void RowCursor::advance(const Piece& piece) {
  offset_ += piece.asked;
  if (offset_ < row_bytes_) return;
  offset_ = 0;
  row_ += static_cast<std::uint64_t>(row_pitch_);
  --rows_;
}

}  // namespace npulab::memory
