// SPDX-License-Identifier: Apache-2.0
#include "cores/process/flag_board.h"

#include <algorithm>

namespace npulab::cores {

bool FlagBoard::set(isa::Pipe source, isa::Pipe target, int event, Cycles start, Cycles seen_from) {
  Flag& place = flag(source, target, event);
  // Consumed in this very cycle is too late: nothing crosses from pipe to pipe within a cycle.
  if (place.pending || place.consumed >= start) return false;
  place.pending = true;
  place.seen_from = seen_from;
  set_.notify();
  return true;
}

Cycles FlagBoard::wait(isa::Pipe source, isa::Pipe target, int event, Cycles from) {
  Flag& place = flag(source, target, event);
  while (!place.pending) control_.wait_for(set_);
  const Cycles over = std::max(from, place.seen_from);
  control_.wait_until(over);
  place.pending = false;
  place.consumed = over;
  return over;
}

void FlagBoard::clear() { flags_.fill(Flag{}); }

}  // namespace npulab::cores
