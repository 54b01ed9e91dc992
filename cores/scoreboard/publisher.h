// SPDX-License-Identifier: Apache-2.0
// Holds back what the engine has decided for the future: trace records and byte effects are let out only when kernel time has
// reached them, so that an abort leaves exactly what happened up to then.
#pragma once

#include <memory>
#include <vector>

#include "cores/units/core_effects.h"
#include "model/trace/trace_sink.h"

namespace npulab::cores::scoreboard {

/// A byte effect to come: everything that rule 10 orders by.
struct PendingEffect {
  Cycles start = 0;
  int core = 0;
  isa::Instruction head;
};

class Publisher {
 public:
  /// `trace` may be null; `effects` is empty in timing-only runs, else one a core.
  Publisher(TraceSink* trace, std::vector<CoreEffects*> effects) : trace_(trace), effects_(std::move(effects)) {}

  bool functional() const { return !effects_.empty(); }
  bool wants_records() const { return trace_ != nullptr && trace_->wants_instructions(); }
  TraceSink* trace() const { return trace_; }
  CoreEffects& effects(int core) { return *effects_[static_cast<std::size_t>(core)]; }

  /// A record to be filled in at once.
  InstructionRecord& add_record() { return records_.emplace_back(); }
  void add(const PendingEffect& effect) { pending_.push_back(effect); }
  /// Too much is held back; the engine should let kernel time catch up.
  bool crowded() const { return records_.size() > kCrowd || pending_.size() > kCrowd; }

  /// Cycle of the earliest thing held back, kNeverCycles when there is none.
  Cycles first_held() const;

  /// Applies effects that started by `cycle`, and lets out the records that ended by it, once there are many of them.
  void publish(Cycles cycle) {
    if (records_.size() >= enough_) publish_records(cycle);
    publish_effects(cycle);
  }
  /// The same with all records.
  void publish_all(Cycles cycle) {
    publish_records(cycle);
    publish_effects(cycle);
  }
  /// Applies effects that come before (start, core, pipe) in rule 10's order.
  void apply_before(Cycles start, int core, isa::Pipe pipe);
  void drop();

 private:
  static constexpr std::size_t kCrowd = 1 << 14;
  static constexpr std::size_t kBatch = 1 << 8;
  void publish_records(Cycles cycle);
  void publish_effects(Cycles cycle);
  template <typename Before>
  void apply_if(Before before);

  TraceSink* trace_;
  std::vector<CoreEffects*> effects_;
  std::vector<InstructionRecord> records_;
  std::size_t enough_ = kBatch;  // records at which it is worth looking through them
  std::vector<PendingEffect> pending_;
  std::vector<PendingEffect> due_;
};

}  // namespace npulab::cores::scoreboard
