// SPDX-License-Identifier: Apache-2.0
// Checks that need no order of execution: instructions against the core they run on, and the values of their addresses, events
// and numbers over all loop iterations of each block.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/isa/check_report.h"
#include "model/isa/value_ranges.h"

namespace npulab::isa {

/// A program as one kind of core sees it.
struct CheckedProgram {
  struct Value { std::size_t op; AddressRule rule; AffineRange range; };
  std::vector<Value> values;          // in the order of instructions
  bool sound = true;                  // pipes, flags and events are such that the flags can be followed
  std::int64_t control_variables = 0; // block variables (a bit each) that loop counts and events depend on
};

class StaticChecks {
 public:
  StaticChecks(const Kernel& kernel, const SocSpec& soc, CheckReport& report) : kernel_(kernel), soc_(soc), report_(report) {}

  /// Checks the program once a kind of core; `core` names the block and core it is reported for.
  const CheckedProgram& program(const CheckedCore& core, CoreKind kind);
  /// Checks loop counts and values of one block; returns how many instructions and ends of loops it goes through,
  /// saturated, or -1 when its flags cannot be followed.
  std::int64_t block(const CheckedCore& core, CoreKind kind);
  /// Declared buffers against the capacities of the kinds of core in use.
  void buffers(const std::vector<CoreKind>& kinds);

 private:
  void structure(const CheckedCore& core, std::size_t op, const CoreSpec& spec, CheckedProgram& checked);
  void flag_structure(const CheckedCore& core, std::size_t op, const CoreSpec& spec, CheckedProgram& checked);
  bool operands_exist(const CheckedCore& core, std::size_t op, const CoreSpec& spec);
  void value(const CheckedCore& core, const CheckedProgram::Value& value, const BlockBinding& binding, const LoopTrips& trips,
             bool& sound);
  void in_global_memory(const CheckedCore& core, const CheckedProgram::Value& value, const ValueRange& range);

  const Kernel& kernel_;
  const SocSpec& soc_;
  CheckReport& report_;
  std::map<std::pair<int, CoreKind>, CheckedProgram> programs_;
  std::map<std::pair<std::uint32_t, CoreKind>, bool> operands_legal_;
};

}  // namespace npulab::isa
