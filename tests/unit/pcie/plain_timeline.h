// SPDX-License-Identifier: Apache-2.0
// Time, a host thread and a device memory without SystemC, for tests of links and firmware.
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/contract/host_thread.h"
#include "model/contract/memory_system.h"
#include "model/contract/timeline.h"

namespace npulab::test {

class PlainTimeline : public Timeline {
 public:
  Picoseconds now() const override { return now_; }
  TimerId at(Picoseconds time, Callback callback, Kind kind = Kind::foreground) override {
    const TimerId id = next_++;
    const Picoseconds due = time < now_ ? now_ : time;
    calls_.emplace(std::make_pair(due, id), Call{std::move(callback), kind});
    times_[id] = due;
    if (kind == Kind::foreground) ++foreground_;
    return id;
  }
  void cancel(TimerId timer) override {
    const auto found = times_.find(timer);
    if (found == times_.end()) return;
    const auto call = calls_.find({found->second, timer});
    if (call->second.kind == Kind::foreground) --foreground_;
    calls_.erase(call);
    times_.erase(found);
  }
  /// One call, if there is one no later than `limit`.
  bool step(Picoseconds limit = kNever) {
    if (calls_.empty() || calls_.begin()->first.first > limit) return false;
    const auto first = calls_.begin();
    now_ = first->first.first;
    Call call = std::move(first->second);
    times_.erase(first->first.second);
    calls_.erase(first);
    if (call.kind == Kind::foreground) --foreground_;
    ++steps_;
    call.callback();
    return true;
  }
  /// Until nothing is left that keeps the run alive.
  void run() {
    while (foreground_ > 0) step();
  }
  void run_until(Picoseconds time) {
    while (step(time)) {}
    now_ = std::max(now_, time);
  }
  std::int64_t foreground() const { return foreground_; }
  std::int64_t steps() const { return steps_; }

 private:
  struct Call {
    Callback callback;
    Kind kind;
  };
  std::map<std::pair<Picoseconds, TimerId>, Call> calls_;
  std::map<TimerId, Picoseconds> times_;
  TimerId next_ = 1;
  Picoseconds now_ = 0;
  std::int64_t foreground_ = 0;
  std::int64_t steps_ = 0;
};

/// Host code runs on the test's own stack and drives the timeline while it waits.
class PlainHostThread : public HostThread {
 public:
  explicit PlainHostThread(PlainTimeline& timeline) : timeline_(timeline) {}
  Picoseconds now() const override { return timeline_.now(); }
  bool wait_until(const std::function<bool()>& done, Picoseconds deadline = kNever) override {
    while (!done()) {
      if (timeline_.foreground() == 0 && deadline == kNever) throw std::runtime_error("the host waits for nothing");
      if (timeline_.step(deadline)) continue;
      timeline_.run_until(deadline);
      return done();
    }
    return true;
  }
  void spend(Picoseconds duration) override { timeline_.run_until(timeline_.now() + duration); }
  void wake() override { ++wakes; }
  int wakes = 0;

 private:
  PlainTimeline& timeline_;
};

/// A fixed latency after a serial port: the simplest memory that keeps the contract.
class PlainMemory : public MemorySystem, public GlobalMemory {
 public:
  PlainMemory(PlainTimeline& timeline, Bytes capacity, Picoseconds latency) : timeline_(timeline), capacity_(capacity), latency_(latency) {}

  MemoryClientId register_client(const MemoryClientSpec& spec) override {
    clients_.push_back({spec, 0});
    return static_cast<MemoryClientId>(clients_.size() - 1);
  }
  RequestId request(const TransferRequest& transfer, TransferClient& client) override {
    Client& own = clients_.at(transfer.client);
    const Bytes bytes = transfer.rows * transfer.row_bytes;
    const std::int64_t rate = transfer.access == MemoryAccess::read ? own.spec.read_rate_milli_bytes_per_ns : own.spec.write_rate_milli_bytes_per_ns;
    TransferResult result;
    own.free = std::max(own.free, timeline_.now()) + ceil_div(bytes * 1'000'000, rate);
    result.data_time = own.free;
    result.visible_time = own.free + latency_;
    if (transfer.address + static_cast<std::uint64_t>(bytes) > static_cast<std::uint64_t>(capacity_)) result.status = MemoryStatus::address_error;
    if (broken_at != 0 && transfer.access == MemoryAccess::read && transfer.address <= broken_at && broken_at < transfer.address + static_cast<std::uint64_t>(bytes)) {
      result.status = MemoryStatus::uncorrectable_error;
    }
    const RequestId id = next_++;
    moved_bytes += bytes;
    timeline_.after(1, [&client, id, result] { client.transfer_resolved(id, result); });
    return id;
  }
  Picoseconds earliest_data_time(Picoseconds now) const override { return now; }
  void cancel(RequestId) override {}
  GlobalMemory& bytes() override { return *this; }
  Bytes capacity() const override { return capacity_; }
  void read(std::uint64_t address, void* out, Bytes bytes) const override {
    for (Bytes i = 0; i < bytes; ++i) {
      const auto found = store_.find(address + static_cast<std::uint64_t>(i));
      static_cast<std::uint8_t*>(out)[i] = found == store_.end() ? 0 : found->second;
    }
    if (corrupt && bytes > 0) static_cast<std::uint8_t*>(out)[0] ^= 1;
  }
  void write(std::uint64_t address, const void* in, Bytes bytes) override {
    for (Bytes i = 0; i < bytes; ++i) store_[address + static_cast<std::uint64_t>(i)] = static_cast<const std::uint8_t*>(in)[i];
  }

  Bytes moved_bytes = 0;
  std::uint64_t broken_at = 0;  // a read of this address is uncorrectable
  bool corrupt = false;         // every read has a wrong bit

 private:
  struct Client {
    MemoryClientSpec spec;
    Picoseconds free;
  };
  PlainTimeline& timeline_;
  Bytes capacity_;
  Picoseconds latency_;
  std::vector<Client> clients_;
  std::map<std::uint64_t, std::uint8_t> store_;
  RequestId next_ = 1;
};

}  // namespace npulab::test
