// SPDX-License-Identifier: Apache-2.0
#include "cores/process/process_core.h"

#include <algorithm>

#include "cores/process/dispatcher.h"
#include "cores/process/pipe.h"

namespace npulab::cores {

ProcessCore::ProcessCore(sc_core::sc_module_name name, GroupServices& group, CoreKind core_kind, int core_index,
                         const std::string& core_path)
    : sc_module(name), services(group), spec(group.context.soc->core(core_kind)), kind(core_kind), index(core_index),
      path(core_path), ports("ports", group.control, spec), flags(group.control) {
  MemoryClientSpec port;
  port.name = path;
  port.read_rate_milli_bytes_per_ns = spec.gm_read_rate.milli_per_cycle * spec.clock_khz / 1'000'000;
  port.write_rate_milli_bytes_per_ns = spec.gm_write_rate.milli_per_cycle * spec.clock_khz / 1'000'000;
  port.outstanding_read_bytes = spec.outstanding_read_bytes;
  port.outstanding_write_bytes = spec.outstanding_write_bytes;
  client = group.context.memory->register_client(port);
  if (group.context.trace != nullptr) {
    trace_core = group.context.trace->add_core(path, spec.clock_khz, group.context.device, kind != CoreKind::vector,
                                               kind != CoreKind::cube);
  }
  if (group.context.functional) {
    effects = std::make_unique<CoreEffects>(path, spec, group.context.soc->numerics, group.context.memory->bytes());
  }
  dispatcher_ = std::make_unique<Dispatcher>("s", *this);
  for (int which = 1; which < isa::kPipeCount; ++which) {
    pipes_[which] = std::make_unique<Pipe>(isa::name_of(static_cast<isa::Pipe>(which)), *this, static_cast<isa::Pipe>(which));
  }
}

ProcessCore::~ProcessCore() = default;

void ProcessCore::begin(const BlockLaunch& block, int program, Cycles first_cycle) {
  launch = block;
  program_ = program;
  takes_part_ = program >= 0;
  last_cross_effect = first_cycle;
  totals_ = CoreBlockRecord{};
  totals_.core = trace_core;
  totals_.task = block.task;
  totals_.block = block.block;
  totals_.start_time = services.control.clock().edge(first_cycle);
  if (!takes_part_) return;
  if (costed_kernel_ != block.kernel) {
    costs_ = timing::cost_table(*block.kernel, spec);
    costed_kernel_ = block.kernel;
  }
  source = isa::InstructionSource(*block.kernel, program, block.kernel->blocks[block.block]);
  if (effects) effects->bind(*block.kernel, block.arena_base);
  flags.clear();
  ports.clear();
  const Cycles dispatch_from = first_cycle + spec.scalar.launch_cycles;
  for (int which = 1; which < isa::kPipeCount; ++which) pipes_[which]->begin(first_cycle, dispatch_from);
  dispatcher_->begin(first_cycle, dispatch_from);
}

void ProcessCore::abandon() {
  release_records(services.control.last_edge());
  early_.clear();
  dispatcher_->abandon();
  for (int which = 1; which < isa::kPipeCount; ++which) pipes_[which]->abandon();
  takes_part_ = false;
}

bool ProcessCore::pipes_idle(Cycles& visible) const {
  visible = 0;
  for (int which = 1; which < isa::kPipeCount; ++which) {
    if (!pipes_[which]->idle()) return false;
    visible = std::max(visible, pipes_[which]->visible());
  }
  return true;
}

bool ProcessCore::finished() const {
  Cycles visible = 0;
  return !takes_part_ || (dispatcher_->finished() && pipes_idle(visible));
}

Cycles ProcessCore::end_cycle() const {
  if (!takes_part_) return 0;
  Cycles visible = 0;
  pipes_idle(visible);
  return std::max({visible, dispatcher_->end_cycle(), last_cross_effect});
}

CoreBlockRecord ProcessCore::close(Cycles block_end) {
  CoreBlockRecord record = totals_;
  record.end_time = services.control.clock().edge(block_end);
  dispatcher_->account().end(dispatcher_->end_cycle(), block_end);
  record.pipes[0] = dispatcher_->account().totals();
  for (int which = 1; which < isa::kPipeCount; ++which) {
    pipes_[which]->account().end(pipes_[which]->visible(), block_end);
    record.pipes[which] = pipes_[which]->account().totals();
  }
  takes_part_ = false;
  release_records(block_end);
  return record;
}

void ProcessCore::record(const isa::Instruction& head, std::uint32_t position, Cycles start, Cycles busy_end,
                         Cycles visible) {
  TraceSink* trace = services.context.trace;
  if (trace == nullptr || !trace->wants_instructions()) return;
  InstructionRecord record;
  record.core = trace_core;
  record.position = position;
  record.program = static_cast<std::uint32_t>(program_);
  record.pipe = head.pipe;
  record.opcode = head.opcode;
  record.event = head.event;
  record.peer = head.peer;
  record.operands = head.operands;
  record.start = start;
  record.busy_end = busy_end;
  record.visible = visible;
  record.task = launch.task;
  early_.push_back(record);
  release_records(services.control.last_edge());
}

/// An abort leaves no trace of what would have ended later.
void ProcessCore::release_records(Cycles cycle) {
  std::size_t kept = 0;
  for (const InstructionRecord& record : early_) {
    if (record.busy_end <= cycle) services.context.trace->instruction(record);
    else early_[kept++] = record;
  }
  early_.resize(kept);
}

void ProcessCore::count(const timing::InstructionCost& cost) {
  totals_.mac_int8 += cost.mac_int8;
  totals_.mac_fp16 += cost.mac_fp16;
  if (cost.from != cost.to) totals_.bytes_by_path[static_cast<int>(cost.from)][static_cast<int>(cost.to)] += cost.bytes_moved;
}

void ProcessCore::cross_set(const isa::Instruction& head, Cycles effect) {
  last_cross_effect = std::max(last_cross_effect, effect);
  const CrossFlagSide side = kind == CoreKind::vector ? CrossFlagSide::vector : CrossFlagSide::cube;
  services.actions.at(services.control.clock().edge(effect), [this, effect, side, mode = head.peer, flag = head.event] {
    if (mode == 0) {
      services.context.flags->set(launch.task, side, flag);
    } else if (!services.cross_flags.set(index, mode, flag, effect)) {
      services.fail(BlockStatus::flag_overrun, path + ": cross-core flag " + std::to_string(flag) + " set too often");
    }
  });
}

std::string ProcessCore::describe(isa::Pipe pipe, const isa::Instruction& head, std::uint32_t position) const {
  std::string text = path + ' ' + isa::name_of(pipe) + " at instruction " + std::to_string(position) + " (" +
                     isa::name_of(head.opcode);
  if (head.opcode == isa::Opcode::set_flag || head.opcode == isa::Opcode::wait_flag) {
    const bool set = head.opcode == isa::Opcode::set_flag;
    const char* peer = isa::name_of(static_cast<isa::Pipe>(head.peer));
    text += std::string(" ") + (set ? isa::name_of(pipe) : peer) + "->" + (set ? peer : isa::name_of(pipe)) + " event " +
            std::to_string(head.event);
  } else if (head.opcode == isa::Opcode::cross_set || head.opcode == isa::Opcode::cross_wait) {
    text += " flag " + std::to_string(head.event);
  }
  return text + ')';
}

std::string ProcessCore::blocked_on() const {
  if (!takes_part_) return "";
  std::string text = dispatcher_->blocked_on();
  for (int which = 1; which < isa::kPipeCount; ++which) {
    const std::string pipe = pipes_[which]->blocked_on();
    if (pipe.empty()) continue;
    if (!text.empty()) text += '\n';
    text += pipe;
  }
  return text;
}

}  // namespace npulab::cores
