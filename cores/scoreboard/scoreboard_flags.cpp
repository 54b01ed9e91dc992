// SPDX-License-Identifier: Apache-2.0
// Rules 5 to 7: flags within a core, between the cores of a group, and the group's end of those between groups.
#include <algorithm>

#include "cores/scoreboard/scoreboard.h"

namespace npulab::cores::scoreboard {

/// False: not decided yet (looked at again at `start`); `fine` false: the flag overran and the block has failed.
bool Scoreboard::set_flag(int index, isa::Pipe source, const QueueEntry& entry, Cycles start, Cycles seen_from, bool& fine) {
  const isa::Pipe target = static_cast<isa::Pipe>(entry.peer());
  FlagState& flag = cores_[index].flags[static_cast<int>(source)][static_cast<int>(target)][entry.event()];
  PipeState& pipe = cores_[index].pipes[static_cast<int>(source)];
  if (flag.pending() && time_ < start) {
    // The wait may still consume it before `start`; everything before `start` is known once the engine gets there.
    pipe.phase = Phase::checking;
    set_next(index, source, start);
    return false;
  }
  if (flag.pending() || flag.consumed() >= start) {
    fine = false;
    fail(BlockStatus::flag_overrun, start, describe(index, source, entry) + ": the flag is still pending");
    return true;
  }
  flag.set(seen_from);
  mark(index, target);
  return true;
}

bool Scoreboard::take_flag(int index, isa::Pipe target, const QueueEntry& entry, Cycles from, Cycles& over) {
  FlagState& flag = cores_[index].flags[entry.peer()][static_cast<int>(target)][entry.event()];
  if (!flag.pending()) return false;
  over = std::max(from, flag.seen_from());
  flag.consume(over);
  return true;
}

bool Scoreboard::take_count(int index, const QueueEntry& entry, Cycles from, Cycles& over) {
  std::vector<Cycles>& counts = cores_[index].counts[entry.event()];
  if (counts.empty()) return false;
  over = std::max(from, counts.front());
  counts.erase(counts.begin());
  return true;
}

void Scoreboard::cross_set(int index, const QueueEntry& entry, Cycles effect) {
  CoreState& core = cores_[index];
  core.last_effect = std::max(core.last_effect, effect);
  const int mode = entry.peer(), flag = entry.event();
  if (mode == 0) {
    acts_.push_back({OutsideAct::Kind::cross_set, static_cast<std::uint8_t>(index), isa::Pipe::s, entry.event(), effect});
    return;
  }
  group_sets_.push_back({effect, static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(mode), static_cast<std::uint8_t>(flag)});
}

/// Cube core to vector cores, vector cores to the cube core, or among the vector cores: delivered when every sender has set once
/// more than has been delivered.
void Scoreboard::take_effect(const GroupSet& set) {
  const int kind = set.mode == 1 ? 0 : cores_[set.core].cube_side ? 1 : 2;
  ++sent_[kind][set.core][set.flag];
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const bool sends = cores_[i].takes_part && cores_[i].cube_side == (kind == 1);
    if (sends && sent_[kind][i][set.flag] <= delivered_[kind][set.flag]) return;
  }
  ++delivered_[kind][set.flag];
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (!cores_[i].takes_part || cores_[i].cube_side != (kind == 2)) continue;
    deliver(static_cast<int>(i), set.flag, set.effect, set.effect + soc_.cross_flags.intra_group_cycles);
  }
}

void Scoreboard::deliver(int index, int flag, Cycles arrival, Cycles usable_from) {
  CoreState& core = cores_[index];
  core.counts[flag].push_back(usable_from);
  if (static_cast<int>(core.counts[flag].size()) > soc_.cross_flags.max_pending) {
    fail(BlockStatus::flag_overrun, arrival, paths_[static_cast<std::size_t>(index)] + ": cross-core flag " + std::to_string(flag) +
                                                 " set too often");
    return;
  }
  for (int which = 0; which < isa::kPipeCount; ++which) {
    if (core.pipes[which].blocked_on_cross_flag) mark(index, static_cast<isa::Pipe>(which));
  }
}

void Scoreboard::cross_arrived(bool cube_side, int flag, Cycles usable_from) {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i].takes_part && cores_[i].cube_side == cube_side) deliver(static_cast<int>(i), flag, usable_from, usable_from);
  }
}

std::string Scoreboard::describe(int index, isa::Pipe which, const QueueEntry& entry) const {
  std::string text = paths_[static_cast<std::size_t>(index)] + ' ' + isa::name_of(which) + " at instruction " +
                     std::to_string(entry.position) + " (" + isa::name_of(entry.opcode());
  if (entry.opcode() == isa::Opcode::set_flag || entry.opcode() == isa::Opcode::wait_flag) {
    const bool set = entry.opcode() == isa::Opcode::set_flag;
    const char* own = isa::name_of(entry.pipe());
    const char* peer = isa::name_of(static_cast<isa::Pipe>(entry.peer()));
    text += std::string(" ") + (set ? own : peer) + "->" + (set ? peer : own) + " event " + std::to_string(entry.event());
  } else if (entry.opcode() == isa::Opcode::cross_set || entry.opcode() == isa::Opcode::cross_wait) {
    text += " flag " + std::to_string(entry.event());
  }
  return text + ')';
}

}  // namespace npulab::cores::scoreboard
