// SPDX-License-Identifier: Apache-2.0
// One core's dispatcher, queues and flags without time. Everything that can go on does, so the state that is reached is the
// furthest any timing reaches; who is ordered after whom is kept in vector clocks, so that a flag that only timing keeps apart
// from its next set is found. Room in a queue is not taken as an order: it depends on depth and timing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/isa/check_report.h"
#include "model/isa/instruction_source.h"
#include "model/spec/soc_spec.h"

namespace npulab::isa {

inline constexpr int kMaxFlowCores = 3;  // cube, vector 0, vector 1

/// For each pipe of each core of a group: how many of its synchronising instructions are known to be over.
struct FlowClock {
  std::array<std::uint64_t, static_cast<std::size_t>(kMaxFlowCores* kPipeCount)> ticks{};

  void join(const FlowClock& other, int components) {
    for (int i = 0; i < components; ++i) ticks[i] = ticks[i] < other.ticks[i] ? other.ticks[i] : ticks[i];
  }
};

/// Who carries cross-core flags of a core to others.
class CrossFlagCarrier {
 public:
  virtual ~CrossFlagCarrier() = default;
  virtual void cross_set(int core, int mode, int flag, const FlowClock& clock, std::size_t op) = 0;
};

class CoreFlow {
 public:
  struct Setting {
    CheckedCore core;
    int index = 0;       // in the group
    int components = kPipeCount;
    const CoreSpec* spec = nullptr;
    int max_pending = 0; // of cross-core flags
  };
  CoreFlow(const Kernel& kernel, const Setting& setting, CheckReport& report, CrossFlagCarrier& carrier);

  /// Goes on until everything waits; true when anything happened.
  bool advance();
  bool done() const;
  /// One more count of a cross-core flag; the sender's instruction is blamed when it is one too many.
  void count_arrived(int flag, const FlowClock& clock, const CheckedCore& sender, std::size_t op);
  /// Reports what each waiting pipe waits for.
  void report_waiting() const;
  /// Reports flags that are set and counts that are left.
  void report_left() const;

 private:
  struct Snapshot { FlowClock clock; int uses = 0; };
  struct Entry {
    Opcode opcode = Opcode::scalar;
    Pipe pipe = Pipe::s;
    std::uint8_t peer = 0, event = 0;
    std::uint32_t op = 0;
    std::uint64_t epoch = 0;  // of the dispatcher's clock when it was dispatched
  };
  struct PipeFlow {
    std::vector<Entry> ring;
    std::size_t first = 0, count = 0;
    std::uint64_t epoch = 0;  // of the dispatcher's clock that `clock` includes
    FlowClock clock;
    const Entry& front() const { return ring[first]; }
  };
  struct Flag {
    std::uint32_t pending = 0;
    std::uint64_t consumed = 0;  // tick of the last wait on its pipe
    FlowClock set_clock;
    std::uint32_t set_op = 0;
  };
  struct Count {
    std::deque<FlowClock> arrived;
    std::uint64_t delivered = 0, consumed = 0;
    std::vector<std::pair<int, std::uint64_t>> taken;  // component and tick of the last waits, a ring
    std::uint32_t set_op = 0;
  };

  int component(Pipe pipe) const { return setting_.index * kPipeCount + static_cast<int>(pipe); }
  Flag& flag(Pipe source, Pipe target, int event);
  FlowClock& clock_of(const Entry& entry);
  bool dispatch(const Entry& entry);
  bool dispatch_on_s(const Entry& entry);
  void push(const Entry& entry);
  bool execute(const Entry& entry);
  void set(const Entry& entry);
  bool wait(const Entry& entry);
  void cross_set(const Entry& entry);
  bool cross_wait(const Entry& entry);
  bool barrier();
  void dispatcher_moved();
  bool drain();
  std::string flag_name(const Entry& entry) const;
  std::string awaited(const Entry& entry) const;

  const Kernel& kernel_;
  Setting setting_;
  CheckReport& report_;
  CrossFlagCarrier& carrier_;
  InstructionSource source_;
  bool ended_ = false, holds_ = false;
  Entry held_;
  std::array<PipeFlow, kPipeCount> pipes_;
  std::uint32_t awake_ = 0;                     // pipes (a bit each) whose oldest instruction may go on
  std::uint64_t epoch_ = 0;                     // of the dispatcher's clock, pipes_[s].clock
  std::map<std::uint64_t, Snapshot> snapshots_; // dispatcher clocks of queued instructions
  std::array<std::uint16_t, kPipeCount * kPipeCount * 256> flag_index_{};  // by source, target, event; 0: not used yet
  std::vector<Flag> flags_;
  std::map<int, Count> counts_;
};

}  // namespace npulab::isa
