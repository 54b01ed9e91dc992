// SPDX-License-Identifier: Apache-2.0
// The functional face of one core: its local buffers and what each instruction does to their bytes, in the hardware's data
// formats. Knows no time; both engines call it in the order that cores/README.md rule 10 states.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/contract/fault_point.h"
#include "model/contract/memory_system.h"
#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::cores {

/// Bytes sampled by a GM write on their way: applied to GM by CoreEffects::commit.
struct StagedWrite {
  std::vector<std::uint8_t> bytes;  // rows one after the other
  std::uint64_t address = 0;        // device address of the first row
  std::uint32_t rows = 0;
  Bytes row_bytes = 0;
  Bytes row_pitch = 0;
};

class CoreEffects {
 public:
  /// `path` names the core in messages and fault points. GM bytes come from and go to `memory`.
  CoreEffects(const std::string& path, const CoreSpec& spec, NumericsProfile profile, GlobalMemory& memory);
  ~CoreEffects();
  CoreEffects(const CoreEffects&) = delete;
  CoreEffects& operator=(const CoreEffects&) = delete;

  /// Prepares for a block. Local buffers keep their bytes, as on the chip.
  void bind(const Kernel& kernel, std::uint64_t arena_base);
  /// Everything but GM writes: compute, local moves, GM reads. Control opcodes do nothing.
  void apply(const isa::Instruction& instruction);
  /// A GM write's source bytes as they are now, converted as the instruction says.
  StagedWrite sample(const isa::Instruction& instruction);
  void commit(const StagedWrite& write);

  /// One per execution unit (index by Pipe): armed, the bits of `parameter` are XORed into every result element of the unit.
  FaultPoint& result_fault(isa::Pipe pipe);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace npulab::cores
