// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/row_cursor.h"

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

}  // namespace npulab::memory
