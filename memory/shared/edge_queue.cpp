// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/edge_queue.h"

#include <algorithm>

namespace npulab::memory {

void EdgeQueue::schedule(Handle handle) {
  heap_.push_back({pool_[handle].edge, handle});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EdgeQueue::remove_collected(Handle handle) {
  const auto same = [handle](const Handle& other) { return other.slot == handle.slot; };
  collected_.erase(std::find_if(collected_.begin(), collected_.end(), same));
}

void EdgeQueue::prune() {
  while (!heap_.empty() && !pool_.alive(heap_.front().handle)) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
}

MemoryEdge EdgeQueue::front() const {
  MemoryEdge edge{kNeverCycles, kNever};
  if (!collected_.empty()) edge = pool_[collected_.front()].edge;
  if (!heap_.empty() && heap_.front().edge.time < edge.time) edge = heap_.front().edge;
  return edge;
}

void EdgeQueue::gather(Picoseconds time, std::vector<Handle>& batch) {
  std::size_t due = 0;
  while (due < collected_.size() && pool_[collected_[due]].edge.time <= time) batch.push_back(collected_[due++]);
  collected_.erase(collected_.begin(), collected_.begin() + static_cast<std::ptrdiff_t>(due));
  while (!heap_.empty() && heap_.front().edge.time <= time) {
    if (pool_.alive(heap_.front().handle)) batch.push_back(heap_.front().handle);
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
}

}  // namespace npulab::memory
