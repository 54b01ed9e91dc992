// SPDX-License-Identifier: Apache-2.0
// Walks the rows of a transfer in pieces that lie within one L2 line. Reads move whole sectors (both ends of a row rounded
// out), writes move exactly their bytes under byte enables. Rows that touch are one row.
#pragma once

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
  /// Steps over `piece`, the answer of piece().
  void advance(const Piece& piece);
  /// Bytes still to come, before rounding to sectors.
  Bytes remaining() const { return done() ? 0 : rows_ * row_bytes_ - offset_; }
  /// Address of the next byte.
  std::uint64_t address() const { return row_ + static_cast<std::uint64_t>(offset_); }

 private:
  bool whole_sectors_ = false;
  int line_shift_ = 0;
  int sector_shift_ = 0;
  std::int64_t rows_ = 0;  // left, this one included
  Bytes row_bytes_ = 0;
  Bytes row_pitch_ = 0;
  std::uint64_t row_ = 0;
  Bytes offset_ = 0;
};

}  // namespace npulab::memory
