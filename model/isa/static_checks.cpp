// SPDX-License-Identifier: Apache-2.0
#include "model/isa/static_checks.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/isa/operand_rules.h"
#include "model/isa/overlap_rule.h"

namespace npulab::isa {
namespace {

constexpr std::int64_t kVeryMany = std::numeric_limits<std::int64_t>::max();

bool has_pipe(const CoreSpec& core, Pipe pipe) {
  return pipe == Pipe::s || (static_cast<int>(pipe) < kPipeCount && core.dispatch.queue_depth[static_cast<int>(pipe)] > 0);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kVeryMany : result;
}

std::int64_t value_of(const BlockBinding& binding, int variable) {
  return static_cast<std::size_t>(variable) < binding.values.size() ? binding.values[static_cast<std::size_t>(variable)] : 0;
}

std::string hexadecimal(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", std::uint64_t{0} - static_cast<std::uint64_t>(value)) : fmt::format("0x{:x}", value);
}

bool is_flag(Opcode opcode) { return opcode == Opcode::set_flag || opcode == Opcode::wait_flag; }
bool is_cross_flag(Opcode opcode) { return opcode == Opcode::cross_set || opcode == Opcode::cross_wait; }

}  // namespace

bool StaticChecks::operands_exist(const CheckedCore& core, std::size_t op, const CoreSpec& spec) {
  const Instruction& head = kernel_.programs[static_cast<std::size_t>(core.program)].ops[op].head;
  if (head.operands >= kernel_.operands.size() || kernel_.operands[head.operands].opcode != head.opcode) {
    report_.instruction(core, op, "operands", "expected operands of this instruction, found none");
    return false;
  }
  const Operands& operands = kernel_.operands[head.operands];
  if (pipe_of(operands) != head.pipe) {
    report_.instruction(core, op, "pipe", fmt::format("expected pipe {} for these operands, found {}", name_of(pipe_of(operands)),
                                                      name_of(head.pipe)));
    return false;
  }
  const auto [legal, first] = operands_legal_.try_emplace({head.operands, spec.kind}, true);
  if (!first && legal->second) return true;
  const std::vector<std::string> problems = operand_problems(operands, spec);
  for (std::size_t i = 0; i < problems.size(); ++i) report_.instruction(core, op, fmt::format("operand {}", i), problems[i]);
  legal->second = problems.empty();
  return problems.empty();
}

void StaticChecks::flag_structure(const CheckedCore& core, std::size_t op, const CoreSpec& spec, CheckedProgram& checked) {
  const Instruction& head = kernel_.programs[static_cast<std::size_t>(core.program)].ops[op].head;
  const auto wrong = [&](const char* rule, const std::string& message) {
    report_.instruction(core, op, rule, message);
    checked.sound = false;
  };
  if (is_flag(head.opcode)) {
    const Pipe peer = static_cast<Pipe>(head.peer);
    if (head.peer >= kPipeCount || !has_pipe(spec, peer)) {
      wrong("peer", fmt::format("expected the other pipe on this core, found {}", head.peer < kPipeCount ? name_of(peer) : "none"));
    } else if (peer == head.pipe) {
      wrong("peer", fmt::format("expected two pipes, found {} twice", name_of(peer)));
    }
  } else if (is_cross_flag(head.opcode)) {
    if (!soc_.cross_flags.supported) wrong("cross", "expected no cross-core flags on this chip, found one");
    if (head.opcode == Opcode::cross_set && head.peer > 2) wrong("mode", fmt::format("expected mode 0, 1 or 2, found {}", head.peer));
    if (head.opcode == Opcode::cross_set && head.peer == 1 && spec.kind != CoreKind::vector) {
      wrong("mode", "expected mode 1 on a vector core only, found it elsewhere");
    }
  }
}

void StaticChecks::structure(const CheckedCore& core, std::size_t op, const CoreSpec& spec, CheckedProgram& checked) {
  const Program& program = kernel_.programs[static_cast<std::size_t>(core.program)];
  const Instruction& head = program.ops[op].head;
  for (std::uint32_t i = 0; i < program.ops[op].term_count; ++i) {
    const AffineTerm& term = program.terms[program.ops[op].first_term + i];
    if (term.field == HeadField::event && term.variable < kMaxBlockVariables) checked.control_variables |= std::int64_t{1} << term.variable;
  }
  if (!has_pipe(spec, head.pipe)) {
    report_.instruction(core, op, "pipe", fmt::format("expected a core that has pipe {}, found one without", name_of(head.pipe)));
    checked.sound = false;
    return;
  }
  flag_structure(core, op, spec, checked);
  if (head.opcode >= Opcode::copy && !operands_exist(core, op, spec)) return;
  if (const std::string problem = overlap_problem(kernel_, program, program.ops[op]); !problem.empty()) {
    report_.instruction(core, op, "overlap", problem);
  }
  for (const AddressRule& rule : address_rules(kernel_, head, soc_, spec)) {
    checked.values.push_back({op, rule, AffineRange(program, program.ops[op], rule)});
  }
}

const CheckedProgram& StaticChecks::program(const CheckedCore& core, CoreKind kind) {
  const auto [place, first] = programs_.try_emplace({core.program, kind});
  CheckedProgram& checked = place->second;
  if (!first) return checked;
  const Program& program = kernel_.programs[static_cast<std::size_t>(core.program)];
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    const ProgramOp& at = program.ops[op];
    if (at.kind == ProgramOp::Kind::instruction) structure(core, op, soc_.core(kind), checked);
    if (at.kind != ProgramOp::Kind::loop_begin || at.count_variable < 0) continue;
    checked.control_variables |= std::int64_t{1} << at.count_variable;
  }
  return checked;
}

std::int64_t StaticChecks::block(const CheckedCore& core, CoreKind kind) {
  const CheckedProgram& checked = program(core, kind);
  const Program& program = kernel_.programs[static_cast<std::size_t>(core.program)];
  const BlockBinding& binding = kernel_.blocks[core.block];
  LoopTrips trips = {};
  bool sound = checked.sound;
  std::int64_t rounds = 0, times = 1;
  std::vector<std::int64_t> outer;  // `times` outside each open loop
  std::size_t next = 0;
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    const ProgramOp& at = program.ops[op];
    if (at.kind == ProgramOp::Kind::loop_begin) {
      const std::int64_t count = at.count_variable >= 0 ? value_of(binding, at.count_variable) : at.trip_count;
      if (count < 0) report_.instruction(core, op, "count", fmt::format("expected a loop count from 0, found {}", count));
      trips[at.depth] = std::max<std::int64_t>(count, 0);
      outer.push_back(times);
      times = product(times, trips[at.depth]);
    } else {
      // The end of a loop takes a turn too: a loop without instructions is no shorter for that.
      rounds = times > kVeryMany - rounds ? kVeryMany : rounds + times;
    }
    if (at.kind == ProgramOp::Kind::loop_end) {
      times = outer.back();
      outer.pop_back();
    }
    for (; next < checked.values.size() && checked.values[next].op == op; ++next) {
      if (times > 0) value(core, checked.values[next], binding, trips, sound);
    }
  }
  return sound ? rounds : -1;
}

void StaticChecks::value(const CheckedCore& core, const CheckedProgram::Value& value, const BlockBinding& binding,
                         const LoopTrips& trips, bool& sound) {
  const AddressRule& rule = value.rule;
  const ValueRange range = value.range.over(binding, trips, rule.step);
  if (!range.aligned) {
    report_.instruction(core, value.op, fmt::format("step {}", rule.what),
                        fmt::format("expected the {}{} in multiples of {}, found {}", rule.what,
                                    rule.is_address ? " address" : "", rule.step,
                                    rule.is_address ? hexadecimal(range.misaligned) : std::to_string(range.misaligned)));
  }
  if (rule.is_address && rule.space == Space::gm) return in_global_memory(core, value, range);
  if (rule.is_address) {
    if (range.least >= 0 && range.most <= rule.most - rule.bytes) return;
    report_.instruction(core, value.op, fmt::format("range {}", rule.what),
                        fmt::format("expected the {} within the {} bytes of {}, found {} bytes at {} to {}", rule.what, rule.most,
                                    name_of(rule.space), rule.bytes, hexadecimal(range.least), hexadecimal(range.most)));
    return;
  }
  if (range.least >= rule.least && range.most <= rule.most) return;
  const bool one = range.least == range.most;
  report_.instruction(core, value.op, fmt::format("range {}", rule.what),
                      fmt::format("expected the {} from {} to {}, found {}", rule.what, rule.least, rule.most,
                                  one ? std::to_string(range.least) : fmt::format("{} to {}", range.least, range.most)));
  if (rule.field == HeadField::event) sound = false;
}

void StaticChecks::in_global_memory(const CheckedCore& core, const CheckedProgram::Value& value, const ValueRange& range) {
  const AddressRule& rule = value.rule;
  bool declared = false, inside = false;
  if (range.least >= 0 && range.most <= rule.most - rule.bytes) {
    const auto first = static_cast<std::uint64_t>(range.least), last = static_cast<std::uint64_t>(range.most + rule.bytes);
    for (const KernelBuffer& buffer : kernel_.buffers) {
      if (buffer.space != Space::gm) continue;
      declared = true;
      inside = inside || (first >= buffer.address && last - buffer.address <= buffer.bytes);
    }
    if (inside || !declared) return;
  }
  report_.instruction(core, value.op, fmt::format("range {}", rule.what),
                      fmt::format("expected the {} within {}, found {} bytes at {} to {}", rule.what,
                                  declared ? "one of the kernel's gm buffers" : "device memory", rule.bytes, hexadecimal(range.least),
                                  hexadecimal(range.most)));
}

void StaticChecks::buffers(const std::vector<CoreKind>& kinds) {
  for (const KernelBuffer& buffer : kernel_.buffers) {
    Bytes capacity = buffer.space == Space::gm ? soc_.memory.hbm.capacity : 0;
    for (CoreKind kind : kinds) capacity = std::max(capacity, soc_.core(kind).buffers[static_cast<int>(buffer.space)].capacity);
    const std::uint64_t most = static_cast<std::uint64_t>(capacity);
    if (buffer.bytes <= most && buffer.address <= most - buffer.bytes) continue;
    report_.kernel(fmt::format("buffer '{}'", buffer.name),
                   fmt::format("expected it within the {} bytes of {}, found {} bytes at 0x{:x}", capacity,
                               name_of(buffer.space), buffer.bytes, buffer.address));
  }
}

}  // namespace npulab::isa
