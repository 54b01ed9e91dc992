// SPDX-License-Identifier: Apache-2.0
#include "model/timing/instruction_cost.h"

#include "model/timing/cost_rules.h"

namespace npulab::timing {

InstructionCost cost_of(const isa::Operands& operands, const CoreSpec& core) {
  const isa::OperandBlock& b = operands.block;
  switch (operands.opcode) {
    case isa::Opcode::copy: return copy_cost(b.copy, core);
    case isa::Opcode::copy_nd2nz: return nd2nz_cost(b.nd2nz, core);
    case isa::Opcode::fill: return fill_cost(b.fill, core);
    case isa::Opcode::load_2d: return load_2d_cost(b.load_2d, core);
    case isa::Opcode::load_3d: return load_3d_cost(b.load_3d, core);
    case isa::Opcode::broadcast_bias: return broadcast_cost(b.broadcast, core);
    case isa::Opcode::mmad: return mmad_cost(b.mmad, core);
    case isa::Opcode::fixpipe: return fixpipe_cost(b.fixpipe, core);
    case isa::Opcode::vector: return vector_cost(b.vector, core);
    default: return {};
  }
}

namespace {

bool has_space(const CoreSpec& core, isa::Space space) {
  return space == isa::Space::gm || core.buffers[static_cast<int>(space)].capacity > 0;
}

/// A kernel holds blocks for all its cores; a cube core has no use, and no numbers, for vector instructions.
bool can_run(const isa::Operands& operands, const CoreSpec& core) {
  if (core.dispatch.queue_depth[static_cast<int>(isa::pipe_of(operands))] == 0) return false;
  if (operands.opcode == isa::Opcode::copy) {
    return has_space(core, operands.block.copy.src) && has_space(core, operands.block.copy.dst);
  }
  if (operands.opcode == isa::Opcode::copy_nd2nz) return has_space(core, isa::Space::l1);
  if (operands.opcode == isa::Opcode::fill) return has_space(core, operands.block.fill.dst);
  if (operands.opcode == isa::Opcode::fixpipe) return has_space(core, isa::Space::l0c) && has_space(core, operands.block.fixpipe.dst);
  return operands.opcode != isa::Opcode::broadcast_bias || has_space(core, isa::Space::l0c);
}

}  // namespace

std::vector<InstructionCost> cost_table(const Kernel& kernel, const CoreSpec& core) {
  std::vector<InstructionCost> costs;
  costs.reserve(kernel.operands.size());
  for (const isa::Operands& operands : kernel.operands) costs.push_back(can_run(operands, core) ? cost_of(operands, core) : InstructionCost{});
  return costs;
}

}  // namespace npulab::timing
