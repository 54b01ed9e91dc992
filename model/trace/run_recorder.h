// SPDX-License-Identifier: Apache-2.0
// Keeps what a run reports, at one of three levels of detail, for the reports to read afterwards. Results (totals, tasks)
// are the same at every level.
#pragma once

#include <string>
#include <vector>

#include "model/trace/instruction_log.h"
#include "model/trace/trace_sink.h"

namespace npulab {

enum class TraceLevel : std::uint8_t { none, tasks, full };

struct RecordedCore {
  std::string path;
  std::int64_t frequency_khz = 0;
  int device = 0;
  bool cube = false;
  bool vector = false;
  Cycles total_cycles = 0;             // over all blocks
  std::int64_t blocks = 0;
  PipeTotals pipes[isa::kPipeCount];   // over all blocks
  std::int64_t mac_int8 = 0, mac_fp16 = 0;
  Bytes bytes_by_path[isa::kSpaceCount][isa::kSpaceCount] = {};
  InstructionLog log;
};

struct RecordedTrack {
  std::string path;
  std::string name;
  std::vector<SpanRecord> spans;
};

/// Bytes through GM over time in equal bins, which double in width when there are too many of them.
class ThroughputHistory {
 public:
  void add(Picoseconds from, Picoseconds to, Bytes bytes);
  Picoseconds bin_width() const { return width_; }
  const std::vector<Bytes>& bins() const { return bins_; }

 private:
  void halve();
  static constexpr std::size_t kMaxBins = 4096;
  Picoseconds width_ = 1'000'000;  // 1 us to begin with
  std::vector<Bytes> bins_;
};

class RunRecorder final : public TraceSink {
 public:
  explicit RunRecorder(TraceLevel level) : level_(level) {}

  std::uint32_t add_core(const std::string& path, std::int64_t frequency_khz, int device, bool cube, bool vector) override;
  std::uint32_t add_track(const std::string& path, const std::string& name) override;
  bool wants_instructions() const override { return level_ == TraceLevel::full && recording_; }
  void instruction(const InstructionRecord& record) override;
  void transfer(const TransferRecord& record) override;
  void core_block(const CoreBlockRecord& record) override;
  void span(const SpanRecord& record) override;
  void task(const TaskRecord& record) override;

  /// Between warm-up iterations nothing is kept.
  void set_recording(bool on) { recording_ = on; }

  TraceLevel level() const { return level_; }
  const std::vector<RecordedCore>& cores() const { return cores_; }
  const std::vector<RecordedTrack>& tracks() const { return tracks_; }
  const std::vector<TaskRecord>& tasks() const { return tasks_; }
  /// One record a block and core, up to a limit; `dropped_blocks` counts those beyond it.
  const std::vector<CoreBlockRecord>& core_blocks() const { return core_blocks_; }
  std::int64_t dropped_blocks() const { return dropped_blocks_; }
  const ThroughputHistory& gm_reads() const { return gm_reads_; }
  const ThroughputHistory& gm_writes() const { return gm_writes_; }

 private:
  static constexpr std::size_t kMaxCoreBlocks = 20'000;

  TraceLevel level_;
  bool recording_ = true;
  std::vector<RecordedCore> cores_;
  std::vector<RecordedTrack> tracks_;
  std::vector<TaskRecord> tasks_;
  std::vector<CoreBlockRecord> core_blocks_;
  std::int64_t dropped_blocks_ = 0;
  ThroughputHistory gm_reads_, gm_writes_;
};

}  // namespace npulab
