// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/address_map.h"

namespace npulab::memory {

bool AddressMap::contains(const TransferRequest& transfer) const {
  if (!contains(transfer.address, transfer.row_bytes)) return false;
  // The rows between the first and the last lie between them.
  Bytes span = 0;
  if (__builtin_mul_overflow(static_cast<Bytes>(transfer.rows - 1), transfer.row_pitch, &span)) return false;
  Bytes last = 0;
  if (__builtin_add_overflow(static_cast<Bytes>(transfer.address), span, &last) || last < 0) return false;
  return contains(static_cast<std::uint64_t>(last), transfer.row_bytes);
}

}  // namespace npulab::memory
