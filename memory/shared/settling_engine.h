// SPDX-License-Identifier: Apache-2.0
// The shared memory's clockwork: collects requests until the next memory clock edge, settles them there window by window
// against tags and calendar, and answers. Plain C++; whoever drives it calls settle() at next_edge(). Stands for crossbar,
// L2 and HBM together. All numbers come from MemorySpec and MemoryClientSpec.
#pragma once

#include <string>
#include <vector>

#include "memory/shared/address_map.h"
#include "memory/shared/bandwidth_calendar.h"
#include "memory/shared/edge_queue.h"
#include "memory/shared/tag_stage.h"
#include "model/contract/fault_point.h"

namespace npulab::memory {

class SettlingEngine {
 public:
  explicit SettlingEngine(const MemorySpec& spec);
  SettlingEngine(const SettlingEngine&) = delete;
  SettlingEngine& operator=(const SettlingEngine&) = delete;

  /// Ids count up from zero. An outstanding size of zero books a whole transfer as one window.
  MemoryClientId register_client(const MemoryClientSpec& spec);
  /// MemorySystem::request at `now`. InternalError for an unknown client, a negative row or a direction without a rate.
  RequestId request(const TransferRequest& transfer, TransferClient& client, Picoseconds now);
  /// MemorySystem::cancel at `now`.
  void cancel(RequestId request, Picoseconds now);
  /// When settle() has to be called next; kNever if nothing is outstanding.
  Picoseconds next_edge() const { return queue_.front().time; }
  /// Settles everything that is due and calls the clients. InternalError unless `now` is next_edge().
  void settle(Picoseconds now);
  /// MemorySystem::earliest_data_time.
  Picoseconds earliest_data_time(Picoseconds now) const { return clock_.edge_after(now); }

  /// Armed, a read that covers the device address `parameter` ends with uncorrectable_error, at its usual time.
  FaultPoint& uncorrectable() { return uncorrectable_; }
  MemoryStatistics statistics() const;
  const BandwidthCalendar& calendar() const { return calendar_; }
  const AddressMap& map() const { return map_; }

 private:
  using Handle = TransferPool::Handle;

  void check(const TransferRequest& transfer) const;
  void order_batch(Cycles edge);
  void look_up(std::size_t index, Picoseconds now);
  void close(std::size_t index);
  void add_waits(PendingTransfer& transfer, std::size_t index);
  void count(PendingTransfer& transfer, const Window& window);
  void resolve(PendingTransfer& transfer);
  void continue_later(Handle handle);
  void drop_passed(std::vector<BookedRun>& runs, Picoseconds now) const;
  void answer(Handle handle, Picoseconds now);
  void forget(Handle handle, Picoseconds now);
  Picoseconds bound_of(const PendingTransfer& transfer) const;

  /// Position of a transfer among those of its edge.
  struct Turn {
    std::uint32_t client = 0;  // after rotation
    std::uint8_t lane = 0;
    std::uint64_t address = 0;
    std::uint64_t serial = 0;  // decides only between requests of one client and lane for one address
    Handle handle;
  };
  static bool before(const Turn& a, const Turn& b);

  MemorySpec spec_;
  AddressMap map_;
  MemoryClock clock_;
  BandwidthCalendar calendar_;
  TagStage tags_;
  TransferPool pool_;
  EdgeQueue queue_;
  FaultPoint uncorrectable_;
  std::vector<MemoryClientSpec> clients_;
  std::vector<ClientStatistics> counts_;
  std::uint64_t requests_ = 0;
  std::int64_t windows_ = 0;
  MemoryEdge edge_{-1, -1};  // settled last
  // The batch of one edge, index by index.
  std::vector<Handle> batch_;
  std::vector<Turn> turns_;
  std::vector<Window> windows_of_batch_;
  std::vector<Claim> claims_;
  std::vector<Picoseconds> unloaded_;
  bool settling_ = false;
};

}  // namespace npulab::memory
