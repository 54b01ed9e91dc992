// SPDX-License-Identifier: Apache-2.0
// Cross-core flags of mode 0 over all groups of a task. Latency: CrossFlagSpec::inter_group_cycles at the core clock; no public
// measurement of it exists, so the configuration marks it as assumed.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "model/contract/cross_flag_fabric.h"
#include "model/contract/timeline.h"

namespace npulab::cores {

class InterGroupFlags final : public CrossFlagFabric {
 public:
  /// `latency` from the last participant's set to the arrival everywhere, above zero.
  InterGroupFlags(Timeline& timeline, Picoseconds latency) : timeline_(timeline), latency_(latency) {}

  void join(std::uint64_t task, std::uint32_t task_groups, int cube_cores, int vector_cores, CrossFlagListener& listener) override;
  void leave(std::uint64_t task, CrossFlagListener& listener) override;
  void set(std::uint64_t task, CrossFlagSide side, int flag) override;
  Picoseconds earliest_delivery(Picoseconds now) const override {
    return under_way_.empty() ? now + latency_ : under_way_.front();
  }

 private:
  struct Task {
    std::uint32_t groups = 0;
    std::uint32_t joined = 0;
    int cores[2] = {0, 0};                      // participants by side
    std::vector<CrossFlagListener*> listeners;
    std::map<int, std::int64_t> sets[2];        // by side: flag -> sets not yet delivered
  };
  void deliver(std::uint64_t task, CrossFlagSide side, int flag);
  void check(std::uint64_t task, CrossFlagSide side, int flag);

  Timeline& timeline_;
  const Picoseconds latency_;
  std::map<std::uint64_t, Task> tasks_;
  std::deque<Picoseconds> under_way_;  // times of deliveries to come, in order since the latency is one
};

}  // namespace npulab::cores
