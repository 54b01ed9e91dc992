// SPDX-License-Identifier: Apache-2.0
#include "app/report/csv_files.h"

#include <fmt/format.h>

#include <map>

#include "app/report/text_file.h"

namespace npulab::report {
namespace {

using isa::Pipe;
using isa::Space;

std::string us(Picoseconds time) { return fmt::format("{}.{:06}", time / 1'000'000, time % 1'000'000); }

Picoseconds duration(Cycles cycles, const RecordedCore& core) {
  return static_cast<Picoseconds>(static_cast<__int128>(cycles) * 1'000'000'000 / core.frequency_khz);
}

/// block ids, task names and the cells of the core's own side (cube cores: aic, vector cores: aiv).
struct Row {
  const CoreBlockRecord& record;
  const RecordedCore& core;
  bool is_vector() const { return !core.cube; }
  std::string sub_block() const { return core.path.substr(core.path.rfind('.') + 1); }

  /// "time,ratio" of a pipe, or ",": the other side's columns stay empty.
  std::string activity(bool vector_side, Pipe pipe) const {
    if (vector_side != is_vector()) return ",";
    const Cycles active = record.pipes[static_cast<int>(pipe)].pmu_active;
    const double ratio = record.total_cycles > 0 ? static_cast<double>(active) / static_cast<double>(record.total_cycles) : 0.0;
    return fmt::format("{},{:.4f}", us(duration(active, core)), ratio);
  }
  std::string head() const {
    const std::string mine = us(record.end_time - record.start_time) + ',' + std::to_string(record.total_cycles);
    return fmt::format("{},{},{}", record.block, sub_block(), is_vector() ? ",," + mine : mine + ",,");
  }
  Bytes path(Space from, Space to) const { return record.bytes_by_path[static_cast<int>(from)][static_cast<int>(to)]; }
  std::string kilobytes(Bytes bytes) const { return fmt::format("{:.3f}", static_cast<double>(bytes) / 1024.0); }
  /// GB/s over the block.
  std::string bandwidth(bool mine, Bytes bytes) const {
    const Picoseconds time = record.end_time - record.start_time;
    if (!mine) return "";
    return fmt::format("{:.3f}", time > 0 ? static_cast<double>(bytes) * 1e3 / static_cast<double>(time) : 0.0);
  }
};

std::map<std::uint64_t, const TaskRecord*> tasks_by_tag(const RunResult& run) {
  std::map<std::uint64_t, const TaskRecord*> tasks;
  for (const TaskRecord& task : run.recorder->tasks()) tasks[task.task] = &task;
  return tasks;
}

/// One line for each recorded block and core: op name, then what `cells` gives.
template <typename Cells>
std::string block_table(const RunResult& run, const std::string& header, Cells cells) {
  const auto tasks = tasks_by_tag(run);
  std::string text = "Op Name,block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles," + header + '\n';
  for (const CoreBlockRecord& record : run.recorder->core_blocks()) {
    const auto task = tasks.find(record.task);
    const Row row{record, run.recorder->cores()[record.core]};
    text += csv_field(task == tasks.end() ? "" : task->second->name) + ',' + row.head() + ',' + cells(row) + '\n';
  }
  return text;
}

}  // namespace

void write_tasks_csv(const RunResult& run, const std::string& path) {
  std::string text =
      "task,iteration,device,stream,name,kind,op_type,blocks,submitted(us),fetched(us),ready(us),started(us),ended(us),"
      "completed(us),retired(us),queueing(us),launch(us),execution(us),completion(us),total(us),status\n";
  for (const TaskRecord& t : run.recorder->tasks()) {
    const auto at = [&](Picoseconds time) { return us(std::max<Picoseconds>(time - run.ready_time, 0)); };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", t.task, t.iteration, t.device, t.stream,
                        csv_field(t.name), t.kind, csv_field(t.op_type), t.blocks, at(t.submitted), at(t.fetched), at(t.ready),
                        at(t.started), at(t.ended), at(t.completed), at(t.retired), us(t.ready - t.submitted),
                        us(t.started - t.ready), us(t.ended - t.started), us(t.retired - t.ended), us(t.retired - t.submitted),
                        t.status);
  }
  write_text_file(path, text);
}

void write_op_basic_info_csv(const RunResult& run, const std::string& path) {
  std::string text = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device ID,PID,Current Freq,Rated Freq\n";
  std::map<int, std::int64_t> frequency_mhz;
  for (const RecordedCore& core : run.recorder->cores()) frequency_mhz.emplace(core.device, core.frequency_khz / 1000);
  for (const TaskRecord& t : run.recorder->tasks()) {
    if (t.kind != "kernel") continue;
    const std::int64_t mhz = frequency_mhz[t.device];
    text += fmt::format("{},{},{},{},,{},0,{},{}\n", csv_field(t.name), csv_field(t.op_type), us(t.ended - t.started), t.blocks,
                        t.device, mhz, mhz);
  }
  write_text_file(path, text);
}

void write_pipe_utilization_csv(const RunResult& run, const std::string& path) {
  const std::string header =
      "aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"
      "aiv_mte3_ratio,aic_cube_time(us),aic_cube_ratio,aic_vec_time(us),aic_vec_ratio,aic_scalar_time(us),aic_scalar_ratio,"
      "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_mte3_time(us),aic_mte3_ratio,aic_fixpipe_time(us),"
      "aic_fixpipe_ratio";
  write_text_file(path, block_table(run, header, [](const Row& row) {
    std::string cells;
    for (Pipe pipe : {Pipe::v, Pipe::s, Pipe::mte2, Pipe::mte3}) cells += row.activity(true, pipe) + ',';
    for (Pipe pipe : {Pipe::m, Pipe::v, Pipe::s, Pipe::mte1, Pipe::mte2, Pipe::mte3}) cells += row.activity(false, pipe) + ',';
    return cells + row.activity(false, Pipe::fix);
  }));
}

void write_memory_csv(const RunResult& run, const std::string& path) {
  const std::string header =
      "aiv_ub_to_gm_bw(GB/s),aiv_gm_to_ub_bw(GB/s),aic_main_mem_read_bw(GB/s),aic_main_mem_write_bw(GB/s),"
      "aiv_main_mem_read_bw(GB/s),aiv_main_mem_write_bw(GB/s),read_main_memory_datas(KB),write_main_memory_datas(KB),"
      "GM_to_L1_datas(KB),GM_to_UB_datas(KB),L0C_to_L1_datas(KB),L0C_to_GM_datas(KB),UB_to_GM_datas(KB)";
  write_text_file(path, block_table(run, header, [](const Row& row) {
    Bytes read = 0, write = 0;
    for (const PipeTotals& pipe : row.record.pipes) {
      read += pipe.gm_read_bytes;
      write += pipe.gm_write_bytes;
    }
    const bool vector = row.is_vector();
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", row.bandwidth(vector, row.path(Space::ub, Space::gm)),
                       row.bandwidth(vector, row.path(Space::gm, Space::ub)), row.bandwidth(!vector, read),
                       row.bandwidth(!vector, write), row.bandwidth(vector, read), row.bandwidth(vector, write),
                       row.kilobytes(read), row.kilobytes(write), row.kilobytes(row.path(Space::gm, Space::l1)),
                       row.kilobytes(row.path(Space::gm, Space::ub)), row.kilobytes(row.path(Space::l0c, Space::l1)),
                       row.kilobytes(row.path(Space::l0c, Space::gm)), row.kilobytes(row.path(Space::ub, Space::gm)));
  }));
}

}  // namespace npulab::report
