// SPDX-License-Identifier: Apache-2.0
#include "cores/scoreboard/scoreboard_module.h"

#include <algorithm>

#include "cores/scoreboard/port_relief.h"
#include "model/base/errors.h"

namespace npulab::cores {

using scoreboard::OutsideAct;

ScoreboardModule::ScoreboardModule(sc_core::sc_module_name name, const CoreGroupContext& context)
    : sc_module(name), context_(context),
      clock_(context.soc->core(context.group->fused_cores > 0 ? CoreKind::fused
                               : context.group->cube_cores > 0 ? CoreKind::cube : CoreKind::vector).clock_khz),
      ticks_per_ps_(static_cast<Picoseconds>(sc_core::sc_time(1, sc_core::SC_PS).value())) {
  const CoreGroupSpec& group = *context.group;
  info_.path = context.path;
  info_.fused = group.fused_cores > 0;
  info_.cube_cores = group.fused_cores + group.cube_cores;
  info_.vector_cores = group.fused_cores + group.vector_cores;
  if (info_.cube_cores > 0) add_core("cube", info_.fused ? CoreKind::fused : CoreKind::cube);
  for (int i = 0; i < group.vector_cores; ++i) add_core(("vector" + std::to_string(i)).c_str(), CoreKind::vector);
  std::vector<CoreEffects*> effects;
  for (const auto& core : effects_) effects.push_back(core.get());
  std::vector<const CoreSpec*> specs;
  for (CoreKind kind : kinds_) specs.push_back(&context.soc->core(kind));
  publisher_ = std::make_unique<scoreboard::Publisher>(context.trace, effects);
  scoreboard_ = std::make_unique<scoreboard::Scoreboard>(*context.soc, specs, paths_, *publisher_);
  for (std::size_t core = 0; core < trace_cores_.size(); ++core) scoreboard_->set_trace_core(static_cast<int>(core), trace_cores_[core]);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

ScoreboardModule::~ScoreboardModule() = default;

void ScoreboardModule::add_core(const char* core_name, CoreKind kind) {
  const CoreSpec& spec = context_.soc->core(kind);
  core_objects_.push_back(std::make_unique<CoreObject>(core_name));
  kinds_.push_back(kind);
  paths_.push_back(context_.path + '.' + core_name);
  MemoryClientSpec port;
  port.name = paths_.back();
  port.read_rate_milli_bytes_per_ns = spec.gm_read_rate.milli_per_cycle * spec.clock_khz / 1'000'000;
  port.write_rate_milli_bytes_per_ns = spec.gm_write_rate.milli_per_cycle * spec.clock_khz / 1'000'000;
  port.outstanding_read_bytes = spec.outstanding_read_bytes;
  port.outstanding_write_bytes = spec.outstanding_write_bytes;
  clients_.push_back(context_.memory->register_client(port));
  if (context_.trace != nullptr) {
    trace_cores_.push_back(context_.trace->add_core(paths_.back(), spec.clock_khz, context_.device, kind != CoreKind::vector,
                                                    kind != CoreKind::cube));
  }
  if (context_.functional) {
    effects_.push_back(std::make_unique<CoreEffects>(paths_.back(), spec, context_.soc->numerics, context_.memory->bytes()));
  }
}

const std::vector<timing::InstructionCost>& ScoreboardModule::costs(const Kernel& kernel, CoreKind kind) {
  auto& table = cost_cache_[{&kernel, kind}];
  if (table.empty() && !kernel.operands.empty()) {
    table = timing::cost_table(kernel, context_.soc->core(kind));
    scoreboard::drop_idle_ports(table, kernel, context_.soc->core(kind));
  }
  return table;
}

Picoseconds ScoreboardModule::now() const {
  return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()) / ticks_per_ps_;
}

void ScoreboardModule::notify_at(Picoseconds time) {
  const Picoseconds delay = time - now();
  if (delay <= 0) wake_.notify(sc_core::SC_ZERO_TIME);
  else wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(delay * ticks_per_ps_)));
}

void ScoreboardModule::start(const BlockLaunch& launch, BlockObserver& observer) {
  if (observer_ != nullptr) throw InternalError(context_.path + ": started while busy");
  launch_ = launch;
  observer_ = &observer;
  first_cycle_ = clock_.cycle_after(now());
  const isa::BlockBinding& binding = launch.kernel->blocks[launch.block];
  std::vector<int> programs;
  std::vector<const std::vector<timing::InstructionCost>*> tables;
  int vectors = 0, next_vector = 0;
  for (CoreKind kind : kinds_) {
    programs.push_back(kind == CoreKind::vector ? binding.vector[next_vector++] : binding.cube);
    if (kind == CoreKind::vector && programs.back() >= 0) ++vectors;
    tables.push_back(&costs(*launch.kernel, kind));
  }
  for (const auto& core : effects_) core->bind(*launch.kernel, launch.arena_base);
  scoreboard_->begin(launch, programs, tables, first_cycle_);
  joined_ = context_.flags != nullptr && context_.soc->cross_flags.supported;
  if (joined_) context_.flags->join(launch.task, launch.task_groups, binding.cube >= 0 ? 1 : 0, vectors, *this);
  notify_at(clock_.edge(first_cycle_));
}

void ScoreboardModule::step() {
  if (observer_ == nullptr) return;
  // Everything decided for cycles up to this one has happened.
  const Cycles cycle = clock_.cycle_after(now()) - 1;
  commit_due(cycle);  // a read that starts in this cycle sees what became visible in it
  do {
    const Cycles cross = joined_ ? clock_.cycle_after(context_.flags->earliest_delivery(now())) : kNeverCycles;
    scoreboard_->run(cross);
  } while (take_due_acts(cycle));
  publisher_->publish(cycle);
  if (scoreboard_->failed() ? scoreboard_->failure_cycle() <= cycle
                            : scoreboard_->finished() && scoreboard_->acts().empty() && scoreboard_->end_cycle() <= cycle) {
    finish();
    return;
  }
  arm(cycle);
}

bool ScoreboardModule::take_due_acts(Cycles cycle) {
  std::vector<OutsideAct>& acts = scoreboard_->acts();
  std::sort(acts.begin(), acts.end(), [](const OutsideAct& a, const OutsideAct& b) {
    return std::tie(a.cycle, a.core, a.pipe, a.flag) < std::tie(b.cycle, b.core, b.pipe, b.flag);
  });
  std::size_t taken = 0;
  for (; taken < acts.size() && acts[taken].cycle <= cycle; ++taken) {
    const OutsideAct act = acts[taken];
    if (act.kind == OutsideAct::Kind::gm_request) {
      issue(act);
    } else {
      const bool cube = kinds_[act.core] != CoreKind::vector;
      context_.flags->set(launch_.task, cube ? CrossFlagSide::cube : CrossFlagSide::vector, act.flag);
    }
  }
  acts.erase(acts.begin(), acts.begin() + static_cast<std::ptrdiff_t>(taken));
  return taken > 0;
}

void ScoreboardModule::issue(const OutsideAct& act) {
  const scoreboard::PipeState& pipe = scoreboard_->pipe(act.core, act.pipe);
  const timing::InstructionCost& cost = *pipe.cost;
  const isa::Instruction head = scoreboard::instruction_of(pipe.current, pipe.current_addresses);
  GmRequest* slot = nullptr;
  for (GmRequest& request : requests_) {
    if (!request.open) slot = &request;
  }
  if (slot == nullptr) slot = &requests_.emplace_back();
  slot->core = act.core;
  slot->pipe = act.pipe;
  slot->open = true;
  slot->start_time = now();
  slot->write = cost.gm == isa::GmAccess::write;
  if (publisher_->functional()) {
    publisher_->apply_before(act.cycle, act.core, act.pipe);
    if (slot->write) slot->staged = effects_[act.core]->sample(head);
    else effects_[act.core]->apply(head);
  }
  TransferRequest request;
  request.client = clients_[act.core];
  request.access = slot->write ? MemoryAccess::write : MemoryAccess::read;
  request.lane = static_cast<std::uint8_t>(act.pipe);
  request.rows = cost.gm_rows;
  request.address = launch_.arena_base + (slot->write ? head.dst : head.src0);
  request.row_bytes = cost.gm_row_bytes;
  request.row_pitch = cost.gm_row_pitch;
  request.rate_cap_milli_bytes_per_ns = cost.gm_rate_cap_milli_bytes_per_ns;
  slot->id = context_.memory->request(request, *this);
  scoreboard_->gm_issued(act.core, act.pipe, slot->id, clock_.cycle_after(context_.memory->earliest_data_time(now())));
}

ScoreboardModule::GmRequest* ScoreboardModule::find(RequestId id) {
  for (GmRequest& request : requests_) {
    if (request.open && request.id == id) return &request;
  }
  return nullptr;
}

void ScoreboardModule::transfer_bounded(RequestId id, Picoseconds not_before) {
  const GmRequest* request = find(id);
  if (request == nullptr) return;
  scoreboard_->gm_bounded(request->core, request->pipe, clock_.cycle_after(not_before));
  wake_for_next_event();
}

void ScoreboardModule::transfer_resolved(RequestId id, const TransferResult& result) {
  GmRequest* request = find(id);
  if (request == nullptr) return;
  request->open = false;
  const scoreboard::PipeState& pipe = scoreboard_->pipe(request->core, request->pipe);
  const Bytes bytes = pipe.cost->bytes_moved;
  scoreboard_->gm_resolved(request->core, request->pipe, result, clock_.cycle_after(result.data_time),
                           clock_.cycle_after(result.visible_time));
  if (context_.trace != nullptr) {
    context_.trace->transfer({trace_cores_[static_cast<std::size_t>(request->core)], clients_[static_cast<std::size_t>(request->core)],
                              request->write, request->start_time, result.data_time, result.visible_time, bytes, result.hit_bytes});
  }
  if (request->write && publisher_->functional() && result.status == MemoryStatus::ok) {
    commits_.push_back({pipe.visible, request->core, std::move(request->staged)});
  }
  wake_for_next_event();
}

/// The engine may go on: nothing can come of that before its next event, so it is early enough to wake then.
void ScoreboardModule::wake_for_next_event() {
  const Cycles next = scoreboard_->next_event();
  if (next != kNeverCycles) notify_at(clock_.edge(next));
}

void ScoreboardModule::commit_due(Cycles cycle) {
  std::size_t kept = 0;
  for (Commit& commit : commits_) {
    if (commit.cycle <= cycle) effects_[static_cast<std::size_t>(commit.core)]->commit(commit.write);
    else std::swap(commits_[kept++], commit);
  }
  commits_.resize(kept);
}

void ScoreboardModule::cross_flag_arrived(CrossFlagSide side, int flag) {
  if (observer_ == nullptr) return;
  scoreboard_->cross_arrived(side == CrossFlagSide::cube, flag, clock_.cycle_after(now()));
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void ScoreboardModule::arm(Cycles cycle) {
  Cycles next = kNeverCycles;
  for (const OutsideAct& act : scoreboard_->acts()) next = std::min(next, act.cycle);
  for (const Commit& commit : commits_) next = std::min(next, commit.cycle);
  if (scoreboard_->failed()) next = std::min(next, scoreboard_->failure_cycle());
  else if (scoreboard_->finished()) next = std::min(next, scoreboard_->end_cycle());
  else next = std::min(next, scoreboard_->next_event());
  if (scoreboard_->crowded()) next = std::min(next, publisher_->first_held());
  if (next == kNeverCycles) return;  // the memory or another group will call
  notify_at(clock_.edge(std::max(next, cycle + 1)));
}

void ScoreboardModule::finish() {
  BlockResult result;
  result.status = scoreboard_->failure();
  result.error = scoreboard_->failed() ? scoreboard_->error() : "";
  const Cycles end = scoreboard_->failed() ? scoreboard_->failure_cycle() : scoreboard_->end_cycle();
  result.start_time = clock_.edge(first_cycle_);
  result.end_time = clock_.edge(end);
  for (std::size_t core = 0; core < kinds_.size() && !scoreboard_->failed(); ++core) {
    if (!scoreboard_->takes_part(static_cast<int>(core))) continue;
    CoreBlockRecord record = scoreboard_->close(static_cast<int>(core), end);
    record.task = launch_.task;
    record.block = launch_.block;
    record.start_time = result.start_time;
    record.end_time = result.end_time;
    if (context_.trace != nullptr) context_.trace->core_block(record);
  }
  publisher_->publish_all(end);
  BlockObserver* observer = observer_;
  leave_block();
  observer->block_finished(context_.group_index, result);
}

void ScoreboardModule::leave_block() {
  for (GmRequest& request : requests_) {
    if (request.open) context_.memory->cancel(request.id);
    request.open = false;
  }
  commits_.clear();
  publisher_->drop();
  if (joined_) context_.flags->leave(launch_.task, *this);
  joined_ = false;
  observer_ = nullptr;
  wake_.cancel();
}

void ScoreboardModule::abort() {
  if (observer_ == nullptr) return;
  const Cycles cycle = clock_.cycle_after(now()) - 1;
  publisher_->publish_all(cycle);
  commit_due(cycle);
  leave_block();
}

std::string ScoreboardModule::blocked_on() const { return observer_ == nullptr ? "" : scoreboard_->blocked_on(); }

}  // namespace npulab::cores
