// SPDX-License-Identifier: Apache-2.0
// What parts report while they run. A sink is optional everywhere: a null pointer costs one test. Records arrive per core in
// time order and only up to kernel time (nothing speculative is ever reported).
#pragma once

#include <cstdint>
#include <string>

#include "model/base/units.h"
#include "model/isa/instruction.h"

namespace npulab {

/// Why a pipe that has work to come does not execute. Busy plus all causes is the total, per pipe and block.
enum class StallCause : std::uint8_t {
  launch,        // before the core's first dispatch of this block
  dispatch,      // the next instruction has not been dispatched yet (scalar work, issue rate)
  queue_full,    // S only: the target pipe's queue has no slot
  flag,          // waiting for a set_flag of another pipe
  barrier,       // a pipe_barrier (or a set on S) waits for earlier work, latency included
  cross_core,    // waiting for a cross-core flag
  port,          // a local buffer port is shared: slower than alone
  memory_edge,   // the GM request waits for the memory clock
  memory_port,   // GM transfer slower than unloaded: own port busy
  memory_l2,     // ... L2 bandwidth shared
  memory_hbm,    // ... HBM/DDR bandwidth shared
  drain,         // all instructions issued, the last results are still on their way
  done,          // this pipe has nothing more to do in this block, others have
};
inline constexpr int kStallCauseCount = 13;
const char* name_of(StallCause cause);

/// One instruction on one pipe, in core cycles.
struct InstructionRecord {
  std::uint32_t core = 0;      // index in the order of registration with the sink
  std::uint32_t position = 0;  // ProgramOp index
  std::uint32_t program = 0;
  isa::Pipe pipe = isa::Pipe::s;
  isa::Opcode opcode = isa::Opcode::scalar;
  std::uint8_t event = 0;
  std::uint8_t peer = 0;
  std::uint32_t operands = 0;
  Cycles start = 0;    // begins to execute (for waits: begins to wait)
  Cycles busy_end = 0; // the pipe is free again
  Cycles visible = 0;  // the result can be used
  std::uint64_t task = 0;
};

/// Totals of one pipe over one block: busy + sum(stall) == total.
struct PipeTotals {
  Cycles busy = 0;
  Cycles pmu_active = 0;  // a pipe that waits inside an instruction counts as busy
  Cycles stall[kStallCauseCount] = {};
  std::int64_t instructions = 0;
  Bytes gm_read_bytes = 0;
  Bytes gm_write_bytes = 0;
};

/// One core's share of one block, reported when the block ends.
struct CoreBlockRecord {
  std::uint32_t core = 0;
  std::uint32_t program = 0;
  std::uint64_t task = 0;
  std::uint32_t block = 0;
  Picoseconds start_time = 0;
  Picoseconds end_time = 0;
  Cycles total_cycles = 0;
  PipeTotals pipes[isa::kPipeCount];
  std::int64_t mac_int8 = 0;
  std::int64_t mac_fp16 = 0;
  Bytes bytes_by_path[isa::kSpaceCount][isa::kSpaceCount] = {};  // [source][destination]
};

/// A move through GM, for throughput counters.
struct TransferRecord {
  std::uint32_t core = 0;  // or kNoCore for DMA and descriptor traffic, named by `client`
  std::uint32_t client = 0;
  bool write = false;
  Picoseconds start_time = 0;
  Picoseconds data_time = 0;
  Picoseconds visible_time = 0;
  Bytes bytes = 0;
  Bytes hit_bytes = 0;
};
inline constexpr std::uint32_t kNoCore = 0xffffffff;

/// A span on a named track that is not a core pipe: host, driver, link direction, task scheduler, DMA channel.
struct SpanRecord {
  std::uint32_t track = 0;
  Picoseconds start_time = 0;
  Picoseconds end_time = 0;
  const char* name = "";        // static or interned by the sink's owner
  std::uint64_t task = 0;
  Bytes bytes = 0;
};

/// The life of one task, for tasks.csv: every instant in time order, queueing + launch + execution + completion = total.
struct TaskRecord {
  std::uint64_t task = 0;
  int stream = 0;
  int device = 0;
  std::string name;
  std::string kind;         // kernel, h2d, d2h, event_record, event_wait, ...
  std::string op_type;
  int blocks = 0;
  int iteration = 0;
  Picoseconds submitted = 0;   // descriptor written and doorbell rung by the host
  Picoseconds fetched = 0;     // descriptor read by the task scheduler
  Picoseconds ready = 0;       // dependencies met
  Picoseconds started = 0;     // first block or DMA begins
  Picoseconds ended = 0;       // last block or DMA ended
  Picoseconds completed = 0;   // completion entry written
  Picoseconds retired = 0;     // host runtime has seen it
  int status = 0;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual std::uint32_t add_core(const std::string& path, std::int64_t frequency_khz, int device, bool cube, bool vector) = 0;
  virtual std::uint32_t add_track(const std::string& path, const std::string& name) = 0;
  virtual bool wants_instructions() const = 0;
  virtual void instruction(const InstructionRecord& record) = 0;
  virtual void transfer(const TransferRecord& record) = 0;
  virtual void core_block(const CoreBlockRecord& record) = 0;
  virtual void span(const SpanRecord& record) = 0;
  virtual void task(const TaskRecord& record) = 0;
};

}  // namespace npulab
