// SPDX-License-Identifier: Apache-2.0
// Transfers that have been asked for and not yet answered, in slots that are used again. A request id is slot and
// generation, so that the id of an answered or cancelled transfer names nothing any more.
#pragma once

#include <vector>

#include "memory/shared/claim.h"
#include "memory/shared/memory_clock.h"
#include "memory/shared/outstanding_window.h"
#include "memory/shared/row_cursor.h"

namespace npulab::memory {

/// What a slot forgets when it is used again.
struct TransferState {
  TransferRequest request;
  TransferClient* client = nullptr;
  std::uint64_t serial = 0;       // counts request() calls
  RowCursor cursor;
  Bytes window = 0;               // most bytes booked ahead, 0: all
  OutstandingWindow outstanding;
  std::int64_t rate = 0;          // of this transfer alone, thousandths of a byte per ns
  Picoseconds flow = 0;           // when the next byte may begin to flow
  MemoryEdge edge;                // that settles the next bytes
  TransferResult result;          // so far
  Picoseconds fill_bound = 0;     // latest arrival of a line filled for somebody else
  bool collected = false;         // waits for its first edge
  bool started = false;           // its first window is booked
  bool resolved = false;          // only the answer is outstanding
  bool cancelled = false;         // at the time of its edge, before it was settled there
};

struct PendingTransfer : TransferState {
  std::vector<BookedRun> runs;    // booked and not known to have passed; keeps its memory
};

class TransferPool {
 public:
  struct Handle {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
  };

  /// A cleared transfer.
  Handle take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    static_cast<TransferState&>(slots_[slot].transfer) = TransferState{};
    return {slot, slots_[slot].generation};
  }
  void free(Handle handle) {
    ++slots_[handle.slot].generation;
    slots_[handle.slot].transfer.runs.clear();
    free_.push_back(handle.slot);
  }
  bool alive(Handle handle) const {
    return handle.slot < slots_.size() && slots_[handle.slot].generation == handle.generation;
  }
  PendingTransfer& operator[](Handle handle) { return slots_[handle.slot].transfer; }
  const PendingTransfer& operator[](Handle handle) const { return slots_[handle.slot].transfer; }

  static RequestId id_of(Handle handle) { return static_cast<RequestId>(handle.generation) << 32 | handle.slot; }
  static Handle handle_of(RequestId id) {
    return {static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32)};
  }

 private:
  struct Slot {
    std::uint32_t generation = 1;
    PendingTransfer transfer;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace npulab::memory
