// SPDX-License-Identifier: Apache-2.0
// Which transfers are settled at which memory clock edge. First windows come in the order of time and stand in a row; next
// windows stand in a heap.
#pragma once

#include <vector>

#include "memory/shared/transfer_pool.h"

namespace npulab::memory {

class EdgeQueue {
 public:
  using Handle = TransferPool::Handle;

  explicit EdgeQueue(TransferPool& pool) : pool_(pool) {}

  /// Adds a transfer with the edge of its first window; edges never decrease.
  void collect(Handle handle) { collected_.push_back(handle); }
  /// Adds a transfer with the edge of its next window.
  void schedule(Handle handle);
  /// Takes a collected transfer out; it may not be in the heap.
  void remove_collected(Handle handle);
  /// Drops heap entries at the front whose transfer is gone.
  void prune();
  /// The earliest edge; its time is kNever if there is none.
  MemoryEdge front() const;
  /// Moves all transfers of edges up to `time` into `batch`.
  void gather(Picoseconds time, std::vector<Handle>& batch);

 private:
  struct Entry {
    MemoryEdge edge;
    Handle handle;
  };
  static bool later(const Entry& a, const Entry& b) { return a.edge.number > b.edge.number; }

  TransferPool& pool_;
  std::vector<Handle> collected_;
  std::vector<Entry> heap_;
};

}  // namespace npulab::memory
