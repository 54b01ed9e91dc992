// SPDX-License-Identifier: Apache-2.0
#include "tests/support/core_rig.h"

#include <algorithm>
#include <random>
#include <systemc>
#include <tuple>

#include "app/machine/timeline_module.h"
#include "cores/flags/inter_group_flags.h"
#include "cores/process/process_group_module.h"
#include "cores/scoreboard/scoreboard_module.h"
#include "memory/shared/memory_module.h"

namespace npulab::test {
namespace {

class Collector : public TraceSink {
 public:
  Collector(RigResult& result, bool records) : result_(result), records_(records) {}
  std::uint32_t add_core(const std::string&, std::int64_t, int, bool, bool) override { return cores_++; }
  std::uint32_t add_track(const std::string&, const std::string&) override { return 0; }
  bool wants_instructions() const override { return records_; }
  void instruction(const InstructionRecord& record) override { result_.instructions.push_back(record); }
  void transfer(const TransferRecord&) override {}
  void core_block(const CoreBlockRecord& record) override { result_.blocks.push_back(record); }
  void span(const SpanRecord&) override {}
  void task(const TaskRecord&) override {}

 private:
  RigResult& result_;
  bool records_;
  std::uint32_t cores_ = 0;
};

class Observer : public BlockObserver {
 public:
  explicit Observer(RigResult& result) : result_(result) {}
  void block_finished(int group, const BlockResult& block) override {
    result_.end_times[static_cast<std::size_t>(group)] = block.end_time;
    result_.errors[static_cast<std::size_t>(group)] = block.error;
  }

 private:
  RigResult& result_;
};

}  // namespace

RigResult run_on_cores(const SocSpec& soc, int group_kind, const Kernel& kernel, EngineKind engine, const RigOptions& options) {
  RigResult result;
  const CoreGroupSpec& group = soc.groups[static_cast<std::size_t>(group_kind)];
  const std::size_t count = kernel.blocks.size();
  Collector collector(result, options.records);
  Observer observer(result);
  machine::TimelineModule timeline("timeline");
  memory::MemoryModule memory("memory", soc.memory);
  const CoreSpec& spec = soc.core(group.fused_cores > 0 ? CoreKind::fused : group.cube_cores > 0 ? CoreKind::cube : CoreKind::vector);
  const Picoseconds latency = ceil_div(soc.cross_flags.inter_group_cycles * 1'000'000'000, spec.clock_khz);
  cores::InterGroupFlags flags(timeline, std::max<Picoseconds>(latency, 1));
  std::mt19937 random(options.seed);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(options.gm_bytes));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  memory.bytes().write(0, bytes.data(), options.gm_bytes);
  std::vector<std::unique_ptr<sc_core::sc_module>> modules;
  std::vector<ComputeCore*> groups;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "group" + std::to_string(i);
    CoreGroupContext context;
    context.path = name;
    context.group_index = static_cast<int>(i);
    context.soc = &soc;
    context.group = &group;
    context.memory = &memory;
    context.flags = &flags;
    context.trace = &collector;
    context.functional = options.functional;
    if (engine == EngineKind::scoreboard) {
      auto module = std::make_unique<cores::ScoreboardModule>(name.c_str(), context);
      groups.push_back(module.get());
      modules.push_back(std::move(module));
    } else {
      auto module = std::make_unique<cores::ProcessGroupModule>(name.c_str(), context);
      groups.push_back(module.get());
      modules.push_back(std::move(module));
    }
  }
  result.end_times.assign(count, -1);
  result.errors.assign(count, "");
  timeline.at(0, [&] {
    for (std::size_t i = 0; i < count; ++i) {
      groups[i]->start({&kernel, static_cast<std::uint32_t>(i), 0, 1, static_cast<std::uint32_t>(count)}, observer);
    }
  });
  if (options.abort_at >= 0) {
    timeline.at(options.abort_at, [&] {
      for (ComputeCore* core : groups) core->abort();
    });
  }
  sc_core::sc_start();
  for (ComputeCore* core : groups) result.blocked.push_back(core->blocked_on());
  result.gm.resize(static_cast<std::size_t>(options.gm_bytes));
  memory.bytes().read(0, result.gm.data(), options.gm_bytes);
  const auto key = [](const InstructionRecord& r) { return std::make_tuple(r.core, r.pipe, r.start, r.busy_end, r.position); };
  std::stable_sort(result.instructions.begin(), result.instructions.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::stable_sort(result.blocks.begin(), result.blocks.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
  return result;
}

}  // namespace npulab::test
