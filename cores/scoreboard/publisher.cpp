// SPDX-License-Identifier: Apache-2.0
#include "cores/scoreboard/publisher.h"

#include <algorithm>
#include <tuple>

namespace npulab::cores::scoreboard {
namespace {

std::tuple<Cycles, int, int> order_of(const PendingEffect& effect) {
  return {effect.start, effect.core, static_cast<int>(effect.head.pipe)};
}

}  // namespace

template <typename Before>
void Publisher::apply_if(Before before) {
  due_.clear();
  const auto later = std::stable_partition(pending_.begin(), pending_.end(), [&](const PendingEffect& e) { return before(e); });
  due_.assign(pending_.begin(), later);
  pending_.erase(pending_.begin(), later);
  std::stable_sort(due_.begin(), due_.end(), [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  for (const PendingEffect& effect : due_) effects(effect.core).apply(effect.head);
}

void Publisher::publish_records(Cycles cycle) {
  std::size_t kept = 0;
  for (const InstructionRecord& record : records_) {
    if (record.busy_end <= cycle) trace_->instruction(record);
    else records_[kept++] = record;
  }
  records_.resize(kept);
  enough_ = std::min(kept + kBatch, kCrowd);
}

void Publisher::publish_effects(Cycles cycle) {
  if (!pending_.empty()) apply_if([cycle](const PendingEffect& e) { return e.start <= cycle; });
}

void Publisher::apply_before(Cycles start, int core, isa::Pipe pipe) {
  if (pending_.empty()) return;
  const std::tuple<Cycles, int, int> limit{start, core, static_cast<int>(pipe)};
  apply_if([&](const PendingEffect& e) { return order_of(e) < limit; });
}

Cycles Publisher::first_held() const {
  Cycles first = kNeverCycles;
  for (const InstructionRecord& record : records_) first = std::min(first, record.busy_end);
  for (const PendingEffect& effect : pending_) first = std::min(first, effect.start);
  return first;
}

void Publisher::drop() {
  records_.clear();
  pending_.clear();
}

}  // namespace npulab::cores::scoreboard
