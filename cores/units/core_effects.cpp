// SPDX-License-Identifier: Apache-2.0
#include "cores/units/core_effects.h"

#include "cores/units/cube_effects.h"
#include "cores/units/fixpipe_effects.h"
#include "cores/units/move_effects.h"
#include "cores/units/vector_effects.h"
#include "model/base/errors.h"

namespace npulab::cores {

struct CoreEffects::State {
  memory::LocalBuffers buffers;
  EffectContext context;
  const Kernel* kernel = nullptr;
  FaultPoint faults[isa::kPipeCount];

  State(const CoreSpec& spec, NumericsProfile profile, GlobalMemory& gm)
      : buffers(spec), context{buffers, gm, profile, 0, spec.buffers[static_cast<int>(isa::Space::ub)].capacity} {}

  const isa::Operands& operands(const isa::Instruction& head) const { return kernel->operands[head.operands]; }

  ResultMask mask(isa::Pipe pipe) {
    FaultPoint& fault = faults[static_cast<int>(pipe)];
    if (!fault.armed) return {};
    ++fault.triggered;
    return {static_cast<std::uint8_t>(fault.parameter), static_cast<std::uint16_t>(fault.parameter >> 16),
            static_cast<std::uint32_t>(fault.parameter >> 32)};
  }
};

CoreEffects::CoreEffects(const std::string& path, const CoreSpec& spec, NumericsProfile profile, GlobalMemory& memory)
    : state_(std::make_unique<State>(spec, profile, memory)) {
  for (int pipe = 0; pipe < isa::kPipeCount; ++pipe) {
    state_->faults[pipe].name = path + '.' + isa::name_of(static_cast<isa::Pipe>(pipe)) + ".result";
  }
}

CoreEffects::~CoreEffects() = default;

void CoreEffects::bind(const Kernel& kernel, std::uint64_t arena_base) {
  state_->kernel = &kernel;
  state_->context.arena_base = arena_base;
}

void CoreEffects::apply(const isa::Instruction& head) {
  using Code = isa::Opcode;
  State& state = *state_;
  const EffectContext& context = state.context;
  switch (head.opcode) {
    case Code::scalar: case Code::set_flag: case Code::wait_flag: case Code::pipe_barrier:
    case Code::cross_set: case Code::cross_wait: return;
    default: break;
  }
  const isa::OperandBlock& block = state.operands(head).block;
  const ResultMask mask = state.mask(head.pipe);
  switch (head.opcode) {
    case Code::copy: apply_copy(context, head, block.copy, mask); break;
    case Code::copy_nd2nz: apply_nd2nz(context, head, block.nd2nz, mask); break;
    case Code::fill: apply_fill(context, head, block.fill); break;
    case Code::load_2d: apply_load_2d(context, head, block.load_2d, mask); break;
    case Code::load_3d: apply_load_3d(context, head, block.load_3d, mask); break;
    case Code::broadcast_bias: apply_broadcast_bias(context, head, block.broadcast, mask); break;
    case Code::mmad: apply_mmad(context, head, block.mmad, mask); break;
    case Code::fixpipe: apply_fixpipe(context, head, block.fixpipe, mask); break;
    case Code::vector: apply_vector(context, head, block.vector, mask); break;
    default: throw InternalError("instruction without an effect");
  }
}

StagedWrite CoreEffects::sample(const isa::Instruction& head) {
  const isa::OperandBlock& block = state_->operands(head).block;
  const ResultMask mask = state_->mask(head.pipe);
  if (head.opcode == isa::Opcode::fixpipe) return convert_tile(state_->context, head, block.fixpipe, mask);
  if (head.opcode == isa::Opcode::copy) return sample_copy(state_->context, head, block.copy, mask);
  throw InternalError("only copies and FixPipe write to GM");
}

void CoreEffects::commit(const StagedWrite& write) {
  for (std::uint32_t row = 0; row < write.rows; ++row) {
    state_->context.gm.write(write.address + static_cast<std::uint64_t>(row) * write.row_pitch,
                             write.bytes.data() + static_cast<std::size_t>(row) * write.row_bytes, write.row_bytes);
  }
}

FaultPoint& CoreEffects::result_fault(isa::Pipe pipe) { return state_->faults[static_cast<int>(pipe)]; }

}  // namespace npulab::cores
