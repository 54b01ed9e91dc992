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
inline constexpr int kSlotBits = 5;    // of a slot's number among kMaxCores * kSlots
inline constexpr int kSlots = 8;       // per core: the dispatcher (pipe S) and six pipes, one spare

/// An instruction in a queue. Small, because all queues of all cores should fit the host's cache; its addresses lie apart.
struct QueueEntry {
  Cycles arrival = 0;
  std::uint64_t code = 0;  // Instruction::code()
  std::uint32_t position = 0;

  isa::Opcode opcode() const { return isa::opcode_of(code); }
  isa::Pipe pipe() const { return isa::pipe_of(code); }
  std::uint8_t peer() const { return isa::peer_of(code); }
  std::uint8_t event() const { return isa::event_of(code); }
  std::uint32_t operands() const { return isa::operands_of(code); }
};

/// Of a queued instruction; kept only for GM moves and in functional runs.
struct Addresses {
  std::uint64_t dst = 0, src0 = 0, src1 = 0;
};

/// An entry and its addresses as one instruction again.
inline isa::Instruction instruction_of(const QueueEntry& entry, const Addresses& addresses) {
  isa::Instruction instruction;
  instruction.set_code(entry.code);
  instruction.dst = addresses.dst;
  instruction.src0 = addresses.src0;
  instruction.src1 = addresses.src1;
  return instruction;
}

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

/// What is used most stands in front: with many cores the engine's speed is that of the host's cache.
struct alignas(64) PipeState {
  Phase phase = Phase::ready;
  bool blocked_on_cross_flag = false;
  bool issued = false;         // gm_waiting: the request has been made
  bool port_user = false;
  std::uint32_t depth = 1;
  std::uint32_t mask = 0;      // a power of two that holds `depth`, less one
  std::uint32_t head = 0, tail = 0;  // of the ring
  std::uint64_t pushed = 0, popped = 0;
  Cycles free = 0;             // end of the last occupancy
  Cycles visible = 0;          // last result visible
  Cycles accounted = 0;        // rule 11
  // The instruction in execution.
  QueueEntry current;
  const timing::InstructionCost* cost = nullptr;
  Cycles start = 0;
  std::int64_t remaining = 0;  // 1/256 cycles
  std::int64_t speed = 0;
  Cycles settled = 0;
  Cycles earliest_end = 0;     // gm_waiting: it cannot end before
  PipeTotals totals;
  Cycles left[kMaxDepth];      // when the n-th instruction left the queue, at n & mask
  QueueEntry ring[kMaxDepth];  // starts over at 0 whenever it runs empty, so that a short queue stays in few cache lines
  RequestId request = 0;
  TransferResult result;
  Addresses current_addresses;
  Addresses addresses[kMaxDepth];

  bool empty() const { return pushed == popped; }
  bool full() const { return pushed - popped >= depth; }
  const QueueEntry& front() const { return ring[head]; }
  const Addresses& front_addresses() const { return addresses[head]; }
  /// Place of the next instruction, which counts as queued from now on; the queue must not be full.
  std::uint32_t push() {
    const std::uint32_t slot = tail;
    tail = (tail + 1) & mask;
    ++pushed;
    return slot;
  }
  void pop(Cycles cycle) {
    left[popped & mask] = cycle;
    head = ++popped == pushed ? tail = 0 : (head + 1) & mask;
  }
  /// When the instruction left whose slot the next one pushed takes; -1 if none has had that slot yet.
  Cycles slot_left() const { return pushed < depth ? -1 : left[(pushed - depth) & mask]; }
};

/// Pending and visible from a cycle on, or consumed in a cycle (-1: never), in one word.
class FlagState {
 public:
  bool pending() const { return (state_ & 1) != 0; }
  Cycles seen_from() const { return state_ >> 1; }
  Cycles consumed() const { return state_ >> 1; }
  void set(Cycles seen_from) { state_ = seen_from * 2 + 1; }
  void consume(Cycles cycle) { state_ = cycle * 2; }

 private:
  std::int64_t state_ = -2;
};

struct CoreState {
  const CoreSpec* spec = nullptr;
  const timing::InstructionCost* costs = nullptr;
  std::vector<std::uint64_t> executed;  // how often, by operand block
  bool cube_side = false;
  bool takes_part = false;
  std::int64_t demand[isa::kSpaceCount] = {};  // of the instructions in execution on each port, thousandths of a byte a cycle
  // Dispatcher; its queue-less pipe state (phase, free, totals) is pipes[0].
  isa::InstructionSource source;
  bool finished = true;
  bool holds = false;          // `held` has been pulled but not dispatched
  std::uint8_t wakers = 0;     // pipes, by bit, whose progress may let `held` be dispatched
  isa::Instruction held;
  std::uint32_t held_position = 0;
  std::int64_t own_instructions = 0;  // executed by the dispatcher itself
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
