// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/block_scheduler.h"

#include <algorithm>
#include <utility>

#include "model/base/errors.h"

namespace npulab::firmware::device {
namespace {

RuntimeCode code_of(BlockStatus status) {
  switch (status) {
    case BlockStatus::ok: return RuntimeCode::ok;
    case BlockStatus::memory_error: return RuntimeCode::device_memory;
    default: return RuntimeCode::aicore_exception;
  }
}

}  // namespace

BlockScheduler::BlockScheduler(Timeline& timeline, std::vector<ComputeCore*> cores, Picoseconds per_block_latency)
    : timeline_(timeline), per_block_(per_block_latency) {
  for (ComputeCore* core : cores) groups_.push_back({core, 0, false, false});
}

const KernelNeeds& BlockScheduler::needs(const Kernel& kernel) {
  const auto found = needs_.find(&kernel);
  return found != needs_.end() ? found->second : needs_.emplace(&kernel, needs_of(kernel)).first->second;
}

RuntimeCode BlockScheduler::refusal(const Job& job) const {
  if (job.launch.blocks == 0 || job.launch.blocks > job.needs->blocks.size()) return RuntimeCode::parameter;
  std::vector<bool> taken(groups_.size());
  for (std::uint32_t block = 0; block < job.launch.blocks; ++block) {
    std::size_t group = 0;
    while (group < groups_.size() && (taken[group] || !fits(job.needs->blocks[block], groups_[group].core->info()))) ++group;
    if (group < groups_.size()) taken[group] = job.needs->together;
    else return job.needs->together ? RuntimeCode::resource : RuntimeCode::soc_version;
  }
  return RuntimeCode::ok;
}

void BlockScheduler::launch(KernelLaunch launch) {
  const std::uint64_t number = next_job_++;
  Job& job = jobs_[number];
  job.launch = std::move(launch);
  job.needs = &needs(*job.launch.kernel);
  job.outcome.code = refusal(job);
  if (job.outcome.code != RuntimeCode::ok) {
    job.outcome.error = std::string("kernel ") + job.launch.kernel->name + ": no groups for its blocks";
    job.outcome.started = timeline_.now();
    job.sent = job.launch.blocks;
    timeline_.after(0, [this, number] { finish(number, timeline_.now()); });
    return;
  }
  pump();
}

int BlockScheduler::idle_group(const BlockNeeds& needs, const std::vector<bool>& claimed) const {
  int best = -1;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].job != 0 || claimed[i] || !fits(needs, groups_[i].core->info())) continue;
    // Groups without a cube first, so that vector blocks leave the others free.
    if (best < 0 || groups_[i].core->info().cube_cores < groups_[static_cast<std::size_t>(best)].core->info().cube_cores) best = static_cast<int>(i);
  }
  return best;
}

void BlockScheduler::pump() {
  if (pump_scheduled_) return;
  if (sender_free_ > timeline_.now()) {
    pump_scheduled_ = true;
    timeline_.at(sender_free_, [this] {
      pump_scheduled_ = false;
      pump();
    });
    return;
  }
  std::vector<bool> claimed(groups_.size());
  for (auto& [number, job] : jobs_) {
    if (job.sent == job.launch.blocks) continue;
    const bool sent = job.needs->together ? send_together(number, job, claimed) : send_one(number, job, claimed);
    if (!sent) continue;
    return pump();  // waits for the sender
  }
}

bool BlockScheduler::send_one(std::uint64_t number, Job& job, std::vector<bool>& claimed) {
  const int group = idle_group(job.needs->blocks[job.sent], claimed);
  if (group < 0) return false;
  const std::uint32_t block = job.sent++;
  sender_free_ = timeline_.now() + per_block_;
  groups_[static_cast<std::size_t>(group)].job = number;
  start_block(number, block, group);
  return true;
}

bool BlockScheduler::send_together(std::uint64_t number, Job& job, std::vector<bool>& claimed) {
  std::vector<int> chosen;
  std::vector<bool> taken = claimed;
  for (std::uint32_t block = 0; block < job.launch.blocks; ++block) {
    const int group = idle_group(job.needs->blocks[block], taken);
    if (group >= 0) taken[static_cast<std::size_t>(group)] = true;
    chosen.push_back(group);
  }
  if (std::count(chosen.begin(), chosen.end(), -1) > 0) {
    // Later kernels must not keep taking the groups this one waits for.
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const auto& blocks = job.needs->blocks;
      claimed[i] = claimed[i] || std::any_of(blocks.begin(), blocks.end(), [&](const BlockNeeds& needs) { return fits(needs, groups_[i].core->info()); });
    }
    return false;
  }
  const Picoseconds start = timeline_.now() + per_block_ * (job.launch.blocks - 1);
  sender_free_ = start + per_block_;
  job.sent = job.launch.blocks;
  for (int group : chosen) groups_[static_cast<std::size_t>(group)].job = number;
  timeline_.at(start, [this, number, chosen] {
    for (std::size_t block = 0; block < chosen.size(); ++block) start_block(number, static_cast<std::uint32_t>(block), chosen[block]);
  });
  return true;
}

void BlockScheduler::start_block(std::uint64_t number, std::uint32_t block, int index) {
  Job& job = jobs_.at(number);
  Group& group = groups_[static_cast<std::size_t>(index)];
  if (!job.began) job.outcome.started = timeline_.now();
  job.began = true;
  group.running = true;
  BlockLaunch launch;
  launch.kernel = job.launch.kernel;
  launch.block = block;
  launch.arena_base = job.launch.arena_base;
  launch.task = job.launch.task;
  launch.task_groups = static_cast<std::uint32_t>(std::min<std::size_t>(job.launch.blocks, groups_.size()));
  group.core->start(launch, *this);
}

void BlockScheduler::block_finished(int index, const BlockResult& result) {
  Group& group = groups_.at(static_cast<std::size_t>(index));
  if (!group.running || group.reported) throw InternalError("a group without a block has finished one");
  group.reported = true;
  reports_.push_back({timeline_.now(), index, result});
  timeline_.after(1, [this] { take_reports(); });
}

void BlockScheduler::take_reports() {
  const Picoseconds now = timeline_.now();
  const auto later = std::stable_partition(reports_.begin(), reports_.end(), [now](const Report& report) { return report.time < now; });
  std::vector<Report> due(reports_.begin(), later);
  reports_.erase(reports_.begin(), later);
  if (due.empty()) return;
  std::sort(due.begin(), due.end(), [](const Report& a, const Report& b) { return a.group < b.group; });
  for (const Report& report : due) take(report);
  pump();
}

void BlockScheduler::take(const Report& report) {
  Group& group = groups_[static_cast<std::size_t>(report.group)];
  const std::uint64_t number = group.job;
  group.job = 0;
  group.running = group.reported = false;
  if (number == 0) return;  // its kernel has failed in the same instant
  Job& job = jobs_.at(number);
  if (report.result.status != BlockStatus::ok) fail(number, job, report);
  else if (++job.finished == job.launch.blocks) finish(number, report.time);
}

void BlockScheduler::fail(std::uint64_t number, Job& job, const Report& report) {
  job.outcome.code = code_of(report.result.status);
  job.outcome.error = "kernel " + job.launch.kernel->name + ": " + report.result.error;
  job.sent = job.launch.blocks;
  for (Group& group : groups_) {
    if (group.job != number) continue;
    group.job = 0;
    if (group.reported) continue;
    if (group.running) group.core->abort();
    group.running = false;
  }
  finish(number, report.time);
}

void BlockScheduler::finish(std::uint64_t number, Picoseconds time) {
  const auto found = jobs_.find(number);
  Job job = std::move(found->second);
  jobs_.erase(found);
  job.outcome.ended = time;
  job.launch.done(job.outcome);
}

std::string BlockScheduler::outstanding() const {
  std::string text;
  for (const auto& [number, job] : jobs_) {
    text += "kernel " + job.launch.kernel->name + " (task " + std::to_string(job.launch.task) + "): " + std::to_string(job.finished) + " of " +
            std::to_string(job.launch.blocks) + " blocks finished, " + std::to_string(job.sent) + " sent\n";
  }
  for (const Group& group : groups_) {
    if (group.running) text += group.core->blocked_on();
  }
  return text;
}

}  // namespace npulab::firmware::device
