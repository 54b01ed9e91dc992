// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run_recorder.h"

#include <algorithm>

namespace npulab {

void ThroughputHistory::halve() {
  for (std::size_t i = 0; 2 * i < bins_.size(); ++i) {
    bins_[i] = bins_[2 * i] + (2 * i + 1 < bins_.size() ? bins_[2 * i + 1] : 0);
  }
  bins_.resize((bins_.size() + 1) / 2);
  width_ *= 2;
}

void ThroughputHistory::add(Picoseconds from, Picoseconds to, Bytes bytes) {
  to = std::max(to, from + 1);
  while (static_cast<std::size_t>((to - 1) / width_) >= kMaxBins) halve();
  const std::size_t first = static_cast<std::size_t>(from / width_), last = static_cast<std::size_t>((to - 1) / width_);
  if (bins_.size() <= last) bins_.resize(last + 1, 0);
  Bytes left = bytes;
  for (std::size_t bin = first; bin < last; ++bin) {
    const Picoseconds overlap = static_cast<Picoseconds>(bin + 1) * width_ - std::max(from, static_cast<Picoseconds>(bin) * width_);
    const Bytes share = static_cast<Bytes>(static_cast<__int128>(bytes) * overlap / (to - from));
    bins_[bin] += share;
    left -= share;
  }
  bins_[last] += left;
}

std::uint32_t RunRecorder::add_core(const std::string& path, std::int64_t frequency_khz, int device, bool cube, bool vector) {
  RecordedCore core;
  core.path = path;
  core.frequency_khz = frequency_khz;
  core.device = device;
  core.cube = cube;
  core.vector = vector;
  cores_.push_back(std::move(core));
  return static_cast<std::uint32_t>(cores_.size() - 1);
}

std::uint32_t RunRecorder::add_track(const std::string& path, const std::string& name) {
  tracks_.push_back({path, name, {}});
  return static_cast<std::uint32_t>(tracks_.size() - 1);
}

void RunRecorder::instruction(const InstructionRecord& record) { cores_[record.core].log.append(record); }

void RunRecorder::transfer(const TransferRecord& record) {
  if (level_ != TraceLevel::full || !recording_) return;
  (record.write ? gm_writes_ : gm_reads_).add(record.start_time, record.data_time, record.bytes);
}

void RunRecorder::core_block(const CoreBlockRecord& record) {
  if (!recording_) return;
  RecordedCore& core = cores_[record.core];
  core.total_cycles += record.total_cycles;
  ++core.blocks;
  core.mac_int8 += record.mac_int8;
  core.mac_fp16 += record.mac_fp16;
  for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) {
    PipeTotals& sum = core.pipes[pipe];
    const PipeTotals& part = record.pipes[pipe];
    sum.busy += part.busy;
    sum.pmu_active += part.pmu_active;
    sum.instructions += part.instructions;
    sum.gm_read_bytes += part.gm_read_bytes;
    sum.gm_write_bytes += part.gm_write_bytes;
    for (int cause = 0; cause < kStallCauseCount; ++cause) sum.stall[cause] += part.stall[cause];
  }
  for (int from = 0; from < isa::kSpaceCount; ++from) {
    for (int to = 0; to < isa::kSpaceCount; ++to) core.bytes_by_path[from][to] += record.bytes_by_path[from][to];
  }
  if (core_blocks_.size() < kMaxCoreBlocks) core_blocks_.push_back(record);
  else ++dropped_blocks_;
}

void RunRecorder::span(const SpanRecord& record) {
  if (level_ != TraceLevel::none && recording_) tracks_[record.track].spans.push_back(record);
}

void RunRecorder::task(const TaskRecord& record) {
  if (recording_) tasks_.push_back(record);
}

}  // namespace npulab
