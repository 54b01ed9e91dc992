// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "model/isa/core_flow.h"

namespace npulab::isa {

std::string CoreFlow::flag_name(const Entry& entry) const {
  if (entry.opcode == Opcode::cross_set || entry.opcode == Opcode::cross_wait) return fmt::format("cross-core flag {}", entry.event);
  const bool sets = entry.opcode == Opcode::set_flag;
  const Pipe peer = static_cast<Pipe>(entry.peer);
  return fmt::format("{}->{} event {}", name_of(sets ? entry.pipe : peer), name_of(sets ? peer : entry.pipe), entry.event);
}

std::string CoreFlow::awaited(const Entry& entry) const {
  if (entry.opcode == Opcode::pipe_barrier) return "expected every pipe to finish, found one that waits for ever";
  return fmt::format("expected a set of {}, found none that can come: {} waits for ever", flag_name(entry), name_of(entry.pipe));
}

void CoreFlow::report_waiting() const {
  for (const PipeFlow& pipe : pipes_) {
    if (pipe.count > 0) report_.instruction(setting_.core, pipe.front().op, "deadlock", awaited(pipe.front()));
  }
  if (ended_ || !holds_) return;
  const PipeFlow& pipe = pipes_[static_cast<std::size_t>(held_.pipe)];
  if (held_.pipe == Pipe::s) {
    report_.instruction(setting_.core, held_.op, "deadlock", awaited(held_));
  } else if (pipe.count > 0) {
    report_.instruction(setting_.core, held_.op, "deadlock",
                        fmt::format("expected room in the queue of {} ({} deep), found it full for ever behind {}", name_of(held_.pipe),
                                    pipe.ring.size(), report_.place(setting_.core.program, pipe.front().op)));
  }
}

void CoreFlow::report_left() const {
  for (std::size_t i = 0; i < flag_index_.size(); ++i) {
    const Flag& f = flags_[flag_index_[i]];
    if (flag_index_[i] == 0 || f.pending == 0) continue;
    const int pair = static_cast<int>(i / 256), event = static_cast<int>(i % 256);
    report_.instruction(setting_.core, f.set_op, "left",
                        fmt::format("expected a wait for {}->{} event {} before the end of the block, found none",
                                    name_of(static_cast<Pipe>(pair / kPipeCount)),
                                    name_of(static_cast<Pipe>(pair % kPipeCount)), event));
  }
  for (const auto& [flag, count] : counts_) {
    if (count.arrived.empty()) continue;
    report_.kernel(fmt::format("block {} {}, program '{}'", setting_.core.block, setting_.core.name,
                               kernel_.programs[static_cast<std::size_t>(setting_.core.program)].name),
                   fmt::format("expected waits for every count of cross-core flag {}, found {} left at the end of the block",
                               flag, count.arrived.size()));
  }
}

}  // namespace npulab::isa
