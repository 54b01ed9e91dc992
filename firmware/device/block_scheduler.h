// SPDX-License-Identifier: Apache-2.0
// Sends the blocks of launched kernels to idle core groups. One sender: a further block every
// TaskSchedulerSpec::per_block_latency. Kernels are served in the order of their launch; a later one takes groups that no
// earlier one can use or claims. Blocks that wait for each other start at the same instant, when all their groups are idle.
// What ends in one instant is taken together, in order of groups, a picosecond later: who reports first is chance.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "firmware/device/kernel_needs.h"
#include "model/contract/timeline.h"
#include "model/task/runtime_code.h"

namespace npulab::firmware::device {

struct KernelOutcome {
  RuntimeCode code = RuntimeCode::ok;
  Picoseconds started = 0;  // first block
  Picoseconds ended = 0;    // last block, or the failure
  std::string error;
};

struct KernelLaunch {
  const Kernel* kernel = nullptr;
  std::uint32_t blocks = 0;
  std::uint64_t arena_base = 0;
  std::uint64_t task = 0;
  std::function<void(const KernelOutcome&)> done;
};

class BlockScheduler : public BlockObserver {
 public:
  /// cores[i] reports as group i.
  BlockScheduler(Timeline& timeline, std::vector<ComputeCore*> cores, Picoseconds per_block_latency);

  /// `done` never comes from inside launch(). A kernel that cannot run here ends with an error at once.
  void launch(KernelLaunch launch);
  void block_finished(int group, const BlockResult& result) override;
  std::string outstanding() const;

 private:
  struct Job {
    KernelLaunch launch;
    const KernelNeeds* needs = nullptr;
    std::uint32_t sent = 0;
    std::uint32_t finished = 0;
    bool began = false;
    KernelOutcome outcome;
  };
  struct Group {
    ComputeCore* core = nullptr;
    std::uint64_t job = 0;   // 0: idle
    bool running = false;    // false while it is only reserved
    bool reported = false;   // its block has ended, which has not been taken up yet
  };
  const KernelNeeds& needs(const Kernel& kernel);
  RuntimeCode refusal(const Job& job) const;
  struct Report {
    Picoseconds time;
    int group;
    BlockResult result;
  };
  void take_reports();
  void take(const Report& report);
  void pump();
  bool send_one(std::uint64_t number, Job& job, std::vector<bool>& claimed);
  bool send_together(std::uint64_t number, Job& job, std::vector<bool>& claimed);
  int idle_group(const BlockNeeds& needs, const std::vector<bool>& claimed) const;
  void start_block(std::uint64_t number, std::uint32_t block, int group);
  void fail(std::uint64_t number, Job& job, const Report& report);
  void finish(std::uint64_t number, Picoseconds time);

  Timeline& timeline_;
  std::vector<Group> groups_;
  Picoseconds per_block_;
  std::map<const Kernel*, KernelNeeds> needs_;  // looked up, never walked
  std::map<std::uint64_t, Job> jobs_;           // in order of launch
  std::uint64_t next_job_ = 1;
  std::vector<Report> reports_;
  Picoseconds sender_free_ = 0;
  bool pump_scheduled_ = false;
};

}  // namespace npulab::firmware::device
