// SPDX-License-Identifier: Apache-2.0
#include "cores/process/cross_flag_board.h"

#include <algorithm>

namespace npulab::cores {

void CrossFlagBoard::begin(const std::vector<bool>& takes_part, int cube) {
  takes_part_ = takes_part;
  cube_ = cube;
  for (auto& kind : rounds_) kind.fill(Round{});
  for (auto& core : counts_) {
    for (auto& count : core) count.clear();
  }
}

bool CrossFlagBoard::set(int core, int mode, int flag, Cycles effect) {
  const bool from_cube = core == cube_;
  const int kind = mode == 1 ? 0 : from_cube ? 1 : 2;
  Round& round = rounds_[kind][flag];
  ++round.sets[core];
  const int cores = static_cast<int>(takes_part_.size());
  for (int sender = 0; sender < cores; ++sender) {
    const bool sends = takes_part_[sender] && (kind == 1 ? sender == cube_ : sender != cube_);
    if (sends && round.sets[sender] <= round.delivered) return true;  // still waiting for this sender
  }
  ++round.delivered;
  bool fits = true;
  for (int receiver = 0; receiver < cores; ++receiver) {
    const bool receives = takes_part_[receiver] && (kind == 2 ? receiver == cube_ : receiver != cube_);
    if (receives) fits = deliver(receiver, flag, effect + spec_.intra_group_cycles) && fits;
  }
  return fits;
}

bool CrossFlagBoard::deliver(int core, int flag, Cycles usable_from) {
  std::deque<Cycles>& counts = counts_[core][flag];
  counts.push_back(usable_from);
  delivered_.notify();
  return static_cast<int>(counts.size()) <= spec_.max_pending;
}

Cycles CrossFlagBoard::wait(int core, int flag, Cycles from) {
  std::deque<Cycles>& counts = counts_[core][flag];
  while (counts.empty()) control_.wait_for(delivered_);
  const Cycles over = std::max(from, counts.front());
  control_.wait_until(over);
  counts.pop_front();
  return over;
}

}  // namespace npulab::cores
