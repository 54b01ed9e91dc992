// SPDX-License-Identifier: Apache-2.0
// Drives a SettlingEngine from a plain event loop: actions at times, in the order they were asked for, edges in between.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "memory/shared/settling_engine.h"

namespace npulab::memory {

/// Round numbers: 1 GHz, 20 ns buckets, L2 5000 / 3000 B/ns, HBM 1500 B/ns, lines of 4 sectors.
inline MemorySpec round_spec() {
  MemorySpec spec;
  spec.clock_khz = 1'000'000;
  spec.bucket = 20'000;
  spec.l2 = {Bytes{16} << 20, 512, 128, 16, 5'000'000'000'000, 3'000'000'000'000, 100'000, 50'000};
  spec.hbm = {Bytes{4} << 30, 1'500'000'000'000, 200'000};
  return spec;
}

/// 200 B/ns to read, 100 B/ns to write, windows of 32 KiB.
inline MemoryClientSpec round_client() { return {"client", 200'000, 100'000, 32 * 1024, 32 * 1024}; }

inline TransferRequest linear(MemoryClientId client, MemoryAccess access, std::uint64_t address, Bytes bytes) {
  TransferRequest request;
  request.client = client;
  request.access = access;
  request.address = address;
  request.row_bytes = bytes;
  return request;
}

class EventLoop {
 public:
  explicit EventLoop(SettlingEngine& engine) : engine_(engine) {}

  Picoseconds now() const { return now_; }
  void at(Picoseconds time, std::function<void()> action) { actions_.emplace(time, std::move(action)); }
  /// Edges of a time come before the actions of that time, unless `actions_first`.
  void run(Picoseconds until = kNever, bool actions_first = false) {
    while (true) {
      const Picoseconds edge = engine_.next_edge();
      const Picoseconds action = actions_.empty() ? kNever : actions_.begin()->first;
      const Picoseconds next = std::min(edge, action);
      if (next == kNever || next > until) return;
      now_ = next;
      if (edge <= action && !(edge == action && actions_first)) {
        engine_.settle(edge);
        if (after_edge) after_edge();
      } else {
        const std::function<void()> call = std::move(actions_.begin()->second);
        actions_.erase(actions_.begin());
        call();
      }
    }
  }
  std::function<void()> after_edge;

 private:
  SettlingEngine& engine_;
  Picoseconds now_ = 0;
  std::multimap<Picoseconds, std::function<void()>> actions_;
};

/// Remembers every answer by request id.
class Recorder : public TransferClient {
 public:
  struct Answer {
    TransferResult result;
    std::vector<Picoseconds> bounds;
    int resolved = 0;
  };
  void transfer_bounded(RequestId request, Picoseconds not_before) override {
    answers[request].bounds.push_back(not_before);
  }
  void transfer_resolved(RequestId request, const TransferResult& result) override {
    answers[request].result = result;
    ++answers[request].resolved;
    if (on_resolved) on_resolved(request, result);
  }
  std::map<RequestId, Answer> answers;
  std::function<void(RequestId, const TransferResult&)> on_resolved;
};

/// One request alone at `time`; its answer.
inline TransferResult run_one(SettlingEngine& engine, const TransferRequest& request, Picoseconds time) {
  EventLoop loop(engine);
  Recorder recorder;
  loop.at(time, [&] { engine.request(request, recorder, loop.now()); });
  loop.run();
  return recorder.answers.begin()->second.result;
}

}  // namespace npulab::memory
