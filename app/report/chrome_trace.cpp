// SPDX-License-Identifier: Apache-2.0
#include "app/report/chrome_trace.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "app/report/gzip_file.h"
#include "model/base/clock_domain.h"

namespace npulab::report {
namespace {

constexpr int kSystemProcess = 1;   // host, links, schedulers
constexpr int kDeviceProcess = 10;  // + device index

// Names and colours that readers of the vendor's timelines know.
constexpr std::array<const char*, isa::kPipeCount> kTrackNames = {"SCALAR", "VECTOR", "CUBE", "MTE1", "MTE2", "MTE3", "FIXP"};
constexpr std::array<const char*, isa::kPipeCount> kColours = {
    "grey", "thread_state_running", "rail_response", "rail_load", "rail_animation", "rail_idle", "thread_state_iowait"};

/// Microseconds after READY with picosecond digits; the format has no integers finer than that.
std::string microseconds(Picoseconds time) { return fmt::format("{}.{:06}", time / 1'000'000, time % 1'000'000); }

class TraceWriter {
 public:
  TraceWriter(const RunResult& run, const std::string& path) : run_(run), out_(path) {}

  void write() {
    out_.print("{{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"profilingType\":\"op\",\"traceEvents\":[\n");
    out_.print("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":\"system\"}}}}", kSystemProcess);
    write_tracks();
    const auto& cores = run_.recorder->cores();
    for (std::size_t core = 0; core < cores.size(); ++core) write_core(static_cast<int>(core), cores[core]);
    write_counter("GM_READ", run_.recorder->gm_reads());
    write_counter("GM_WRITE", run_.recorder->gm_writes());
    out_.print("\n]}}\n");
    out_.close();
  }

 private:
  void write_tracks() {
    int tid = 1;
    for (const RecordedTrack& track : run_.recorder->tracks()) {
      out_.print(",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{} {}\"}}}}", kSystemProcess,
                 tid, track.path, track.name);
      for (const SpanRecord& span : track.spans) {
        if (span.start_time < run_.ready_time) continue;
        out_.print(",\n{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{\"task\":{},\"bytes\":{}}}}}",
                   span.name, kSystemProcess, tid, microseconds(span.start_time - run_.ready_time),
                   microseconds(span.end_time - span.start_time), span.task, span.bytes);
      }
      ++tid;
    }
  }

  void write_core(int index, const RecordedCore& core) {
    if (core.log.size() == 0) return;
    const int pid = kDeviceProcess + core.device;
    if (std::find(named_.begin(), named_.end(), pid) == named_.end()) {
      named_.push_back(pid);
      out_.print(",\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":\"{}\"}}}}", pid,
                 run_.board->devices[static_cast<std::size_t>(core.device)].path);
    }
    for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) {
      out_.print(",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{} {}\"}}}}", pid,
                 thread(index, pipe), core.path, kTrackNames[pipe]);
      out_.print(",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{},\"tid\":{},\"args\":{{\"sort_index\":{}}}}}", pid,
                 thread(index, pipe), thread(index, pipe));
    }
    const ClockDomain clock(core.frequency_khz);
    std::map<std::tuple<int, int, int>, std::pair<std::vector<Picoseconds>, std::vector<Picoseconds>>> flags;
    InstructionLog::Reader reader(core.log);
    InstructionRecord record;
    while (reader.next(record)) write_instruction(record, clock, pid, index, flags);
    write_arrows(pid, index, flags);
  }

  template <typename Flags>
  void write_instruction(const InstructionRecord& record, const ClockDomain& clock, int pid, int core, Flags& flags) {
    const Picoseconds start = clock.edge(record.start) - run_.ready_time;
    const Picoseconds end = clock.edge(record.busy_end) - run_.ready_time;
    if (start < 0) return;
    const auto kernel = run_.kernels.find(record.task);
    const isa::Operands* operands = nullptr;
    if (kernel != run_.kernels.end() && record.operands < kernel->second->operands.size()) {
      operands = &kernel->second->operands[record.operands];
    }
    const int pipe = static_cast<int>(record.pipe);
    out_.print(",\n{{\"ph\":\"X\",\"name\":\"{}\",\"cname\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{\"pc_addr\":{},"
               "\"cycles\":{},\"result_cycles\":{},\"task\":{}}}}}",
               describe_instruction(record.opcode, operands, record.peer, record.event, record.pipe), kColours[pipe], pid,
               thread(core, pipe), microseconds(start), microseconds(end - start), record.position, record.busy_end - record.start,
               record.visible - record.start, record.task);
    if (record.opcode == isa::Opcode::set_flag) flags[{pipe, record.peer, record.event}].first.push_back(start);
    if (record.opcode == isa::Opcode::wait_flag) flags[{record.peer, pipe, record.event}].second.push_back(end);
  }

  template <typename Flags>
  void write_arrows(int pid, int core, const Flags& flags) {
    for (const auto& [key, times] : flags) {
      const auto& [source, target, event] = key;
      // Sets and waits of one flag alternate, so the n-th wait belongs to the n-th set.
      for (std::size_t i = 0; i < std::min(times.first.size(), times.second.size()); ++i) {
        const std::int64_t id = next_arrow_++;
        out_.print(",\n{{\"ph\":\"s\",\"cat\":\"flag\",\"name\":\"flag {}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}}}", event, id, pid,
                   thread(core, source), microseconds(times.first[i]));
        out_.print(",\n{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flag\",\"name\":\"flag {}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}}}", event,
                   id, pid, thread(core, target), microseconds(times.second[i]));
      }
    }
  }

  void write_counter(const char* name, const ThroughputHistory& history) {
    const auto& bins = history.bins();
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      const Picoseconds time = static_cast<Picoseconds>(bin) * history.bin_width() - run_.ready_time;
      if (time < 0) continue;
      // bytes per microsecond is MB/s; readers think in GB/s.
      const double gigabytes_per_second = static_cast<double>(bins[bin]) * 1e3 / static_cast<double>(history.bin_width());
      out_.print(",\n{{\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"tid\":0,\"ts\":{},\"args\":{{\"GB/s\":{:.3f}}}}}", name, kSystemProcess,
                 microseconds(time), gigabytes_per_second);
    }
  }

  static int thread(int core, int pipe) { return core * 10 + pipe + 1; }

  const RunResult& run_;
  GzipFile out_;
  std::vector<int> named_;
  std::int64_t next_arrow_ = 1;
};

}  // namespace

void write_chrome_trace(const RunResult& run, const std::string& path) { TraceWriter(run, path).write(); }

}  // namespace npulab::report
