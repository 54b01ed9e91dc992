// SPDX-License-Identifier: Apache-2.0
// State of a core group between two kernel wake-ups, as plain values. Rule numbers are those of cores/README.md.
#pragma once

#include <cstdint>
#include <vector>

#include "model/contract/memory_system.h"
#include "model/isa/instruction_source.h"
#include "model/timing/instruction_cost.h"
#include "model/trace/trace_sink.h"

namespace npulab::cores::scoreboard {

inline constexpr int kMaxCores = 3;    // cube or fused, vector 0, vector 1
inline constexpr int kMaxDepth = 64;   // of a queue
inline constexpr int kFlagEvents = 16;
inline constexpr int kCrossFlags = 16;
inline constexpr int kSlots = 8;       // per core: the dispatcher (pipe S) and six pipes, one spare

struct QueueEntry {
  isa::Instruction head;
  Cycles arrival = 0;
  std::uint32_t position = 0;
};

/// What a pipe (or the dispatcher) is doing, as far as the engine has decided.
enum class Phase : std::uint8_t {
  ready,       // nothing decided beyond `free`
  starting,    // a local instruction that uses a shared port starts at the slot's time
  executing,   // it ends at the slot's time unless the port's users change
  gm_starting, // a GM move starts at the slot's time
  gm_waiting,  // it has started; the memory has not settled its end
  gm_ending,   // it ends at the slot's time
  checking,    // a set that may overrun is looked at again at the slot's time
};

struct PipeState {
  QueueEntry ring[kMaxDepth];
  Cycles left[kMaxDepth];      // when the n-th instruction left the queue, n modulo kMaxDepth
  std::uint64_t pushed = 0, popped = 0;
  std::uint64_t depth = 1;
  Phase phase = Phase::ready;
  bool blocked_on_cross_flag = false;
  bool issued = false;         // gm_waiting: the request has been made
  Cycles free = 0;             // end of the last occupancy
  Cycles visible = 0;          // last result visible
  // The instruction in execution.
  QueueEntry current;
  const timing::InstructionCost* cost = nullptr;
  Cycles start = 0;
  std::int64_t remaining = 0;  // 1/256 cycles
  std::int64_t speed = 0;
  Cycles settled = 0;
  bool port_user = false;
  Cycles earliest_end = 0;     // gm_waiting: it cannot end before
  RequestId request = 0;
  TransferResult result;
  // Rule 11.
  PipeTotals totals;
  Cycles accounted = 0;
  bool used = false;

  bool empty() const { return pushed == popped; }
  bool full() const { return pushed - popped >= depth; }
  const QueueEntry& front() const { return ring[popped % kMaxDepth]; }
};

struct FlagState {
  bool pending = false;
  Cycles seen_from = 0;
  Cycles consumed = -1;
};

struct CoreState {
  const CoreSpec* spec = nullptr;
  const std::vector<timing::InstructionCost>* costs = nullptr;
  bool cube_side = false;
  bool takes_part = false;
  int port_users = 0;          // pipes whose instruction uses a port now
  // Dispatcher; its queue-less pipe state (phase, free, totals) is pipes[0].
  isa::InstructionSource source;
  bool finished = true;
  bool holds = false;          // `held` has been pulled but not dispatched
  QueueEntry held;
  Cycles dispatch = 0;
  PipeState pipes[isa::kPipeCount];
  FlagState flags[isa::kPipeCount][isa::kPipeCount][kFlagEvents];
  std::vector<Cycles> counts[kCrossFlags];  // usable-from cycles of cross-core flag counts not yet taken, oldest first
  Cycles last_effect = 0;      // of cross-core sets
  CoreBlockRecord record;
};

/// Something the group does outside itself at the edge of `cycle`.
struct OutsideAct {
  enum class Kind : std::uint8_t { gm_request, cross_set };
  Kind kind = Kind::gm_request;
  std::uint8_t core = 0;
  isa::Pipe pipe = isa::Pipe::s;
  std::uint8_t flag = 0;
  Cycles cycle = 0;
};

/// A cross-core set within the group (modes 1 and 2), to take effect at a cycle.
struct GroupSet {
  Cycles effect = 0;
  std::uint8_t core = 0;
  std::uint8_t mode = 0;
  std::uint8_t flag = 0;
};

}  // namespace npulab::cores::scoreboard
