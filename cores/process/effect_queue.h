// SPDX-License-Identifier: Apache-2.0
// Byte effects of one group in the order of rule 10: starts of one cycle are gathered and applied one picosecond after its
// edge, by core and pipe, whatever order the kernel ran the processes in.
#pragma once

#include <functional>
#include <map>
#include <tuple>

#include "cores/process/timed_actions.h"
#include "model/base/clock_domain.h"
#include "model/isa/instruction.h"

namespace npulab::cores {

class EffectQueue {
 public:
  EffectQueue(const ClockDomain& clock, TimedActions& actions) : clock_(clock), actions_(actions) {}

  void add(Cycles start, int core, isa::Pipe pipe, std::function<void()> effect) {
    if (effects_.empty()) actions_.at(clock_.edge(start) + 1, [this] { flush(); });
    effects_[{start, core, static_cast<int>(pipe)}] = std::move(effect);
  }
  /// Applies everything that has been added.
  void flush() {
    for (auto& [key, effect] : effects_) effect();
    effects_.clear();
  }
  void clear() { effects_.clear(); }

 private:
  const ClockDomain& clock_;
  TimedActions& actions_;
  std::map<std::tuple<Cycles, int, int>, std::function<void()>> effects_;
};

}  // namespace npulab::cores
