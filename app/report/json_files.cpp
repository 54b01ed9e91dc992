// SPDX-License-Identifier: Apache-2.0
#include "app/report/json_files.h"

#include <openssl/evp.h>

#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/report/text_file.h"
#include "app/report/version.h"
#include "model/base/errors.h"

namespace npulab::report {
namespace {

using Json = nlohmann::ordered_json;

Json pipe_json(const PipeTotals& totals, Cycles total) {
  Json stalls = Json::object();
  for (int cause = 0; cause < kStallCauseCount; ++cause) {
    if (totals.stall[cause] > 0) stalls[name_of(static_cast<StallCause>(cause))] = totals.stall[cause];
  }
  return {{"total_cycles", total},       {"busy_cycles", totals.busy},
          {"pmu_active_cycles", totals.pmu_active}, {"stall_cycles", stalls},
          {"instructions", totals.instructions},    {"gm_read_bytes", totals.gm_read_bytes},
          {"gm_write_bytes", totals.gm_write_bytes}};
}

Json core_json(const RecordedCore& core) {
  Json pipes = Json::object();
  for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) {
    if (core.pipes[pipe].instructions > 0) {
      pipes[isa::name_of(static_cast<isa::Pipe>(pipe))] = pipe_json(core.pipes[pipe], core.total_cycles);
    }
  }
  Json paths = Json::object();
  for (int from = 0; from < isa::kSpaceCount; ++from) {
    for (int to = 0; to < isa::kSpaceCount; ++to) {
      if (core.bytes_by_path[from][to] == 0) continue;
      paths[fmt::format("{}->{}", isa::name_of(static_cast<isa::Space>(from)), isa::name_of(static_cast<isa::Space>(to)))] =
          core.bytes_by_path[from][to];
    }
  }
  return {{"path", core.path},         {"frequency_khz", core.frequency_khz}, {"blocks", core.blocks},
          {"total_cycles", core.total_cycles}, {"mac_int8", core.mac_int8},   {"mac_fp16", core.mac_fp16},
          {"pipes", pipes},            {"bytes_moved", paths}};
}

}  // namespace

FileDigest digest_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError(path + ": cannot be read");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  FileDigest digest;
  digest.path = path;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    EVP_DigestUpdate(context.get(), buffer, static_cast<std::size_t>(in.gcount()));
    digest.bytes += in.gcount();
  }
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), hash, &size);
  for (unsigned int i = 0; i < size; ++i) digest.sha256 += fmt::format("{:02x}", hash[i]);
  return digest;
}

void write_manifest(const RunResult& run, const std::string& path) {
  Json parameters = Json::array();
  for (const Parameter& p : run.board->parameters.parameters) {
    parameters.push_back({{"path", p.path}, {"value", p.value}, {"evidence", name_of(p.evidence)}, {"source", p.source},
                          {"file", p.file}, {"line", p.line}});
  }
  Json files = Json::array();
  for (const FileDigest& file : run.files) files.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  const Json manifest = {{"format", "npulab/manifest/1"}, {"version", kVersion},      {"complete", !run.interrupted},
                         {"command", run.command_line},   {"board", run.board->name}, {"board_file", run.board->file},
                         {"engine", run.board->engine == EngineKind::scoreboard ? "scoreboard" : "process"},
                         {"workload", run.workload},      {"mode", run.mode},         {"seed", run.seed},
                         {"warmup", run.warmup},          {"iterations", run.iteration_times.size()},
                         {"files", files},                {"configuration", parameters}};
  write_text_file(path, manifest.dump(1) + '\n');
}

void write_stats(const RunResult& run, const std::string& path) {
  Json cores = Json::array(), memories = Json::array();
  for (const RecordedCore& core : run.recorder->cores()) {
    if (core.blocks > 0) cores.push_back(core_json(core));
  }
  for (const MemoryTotals& m : run.memories) {
    memories.push_back({{"path", m.path}, {"read_bytes", m.read_bytes}, {"written_bytes", m.written_bytes},
                        {"hit_bytes", m.hit_bytes}, {"miss_bytes", m.miss_bytes}, {"writeback_bytes", m.writeback_bytes}});
  }
  const Json stats = {{"format", "npulab/stats/1"},
                      {"complete", !run.interrupted},
                      {"ready_time_ps", run.ready_time},
                      {"end_time_ps", run.end_time},
                      {"iteration_times_ps", run.iteration_times},
                      {"operations_per_iteration", run.operations},
                      {"peak_operations_per_s", run.peak_ops_per_s},
                      {"core_blocks_not_listed", run.recorder->dropped_blocks()},
                      {"memory", memories},
                      {"cores", cores}};
  write_text_file(path, stats.dump(1) + '\n');
}

}  // namespace npulab::report
