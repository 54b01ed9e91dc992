// SPDX-License-Identifier: Apache-2.0
// A kernel as it is stored: few instructions, loops and affine addresses, so that a large kernel stays small in memory and
// on disk. Programs are pulled instruction by instruction through an InstructionSource (instruction_source.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/isa/instruction.h"
#include "model/isa/operands.h"

namespace npulab {
namespace isa {

inline constexpr int kMaxLoopDepth = 8;
inline constexpr int kMaxBlockVariables = 8;
/// Variables of affine terms: 0..7 block variables (per block constants), 8..15 loop counters by depth.
inline constexpr int kMaxVariables = kMaxBlockVariables + kMaxLoopDepth;

/// Which head field an affine term adds to; sums wrap to the field's width.
enum class HeadField : std::uint8_t { dst, src0, src1, event };

struct AffineTerm {
  HeadField field = HeadField::dst;
  std::uint8_t variable = 0;
  std::int64_t coefficient = 0;
  std::int64_t modulus = 0;      // > 0: the term is coefficient * (variable % modulus), for ping-pong buffers and flags
};

struct ProgramOp {
  enum class Kind : std::uint8_t { instruction, loop_begin, loop_end };
  Kind kind = Kind::instruction;
  std::uint8_t depth = 0;          // loops: nesting depth, whose counter is variable kMaxBlockVariables + depth
  std::uint16_t term_count = 0;    // instruction: affine terms that follow `first_term`
  std::uint32_t first_term = 0;
  std::uint32_t partner = 0;       // loop_begin: index of its loop_end; loop_end: index of its loop_begin
  std::int64_t trip_count = 0;     // loop_begin: > 0, unless count_variable names a block variable that holds it (may be 0)
  std::int8_t count_variable = -1;
  std::uint32_t line = 0;          // in the .ktrace text, 0 if built
  Instruction head;
};

/// What one core runs for one block.
struct Program {
  std::string name;
  std::vector<ProgramOp> ops;
  std::vector<AffineTerm> terms;
};

/// One launched block: which program each core of the group runs and the values of the block variables.
/// In a fused core only `cube` is used (it holds vector instructions too). -1: the core has nothing to do.
struct BlockBinding {
  int cube = -1;
  int vector[2] = {-1, -1};
  std::vector<std::int64_t> values;  // block variables, at most kMaxBlockVariables
};

/// A named region, for the checker, the text form and messages.
struct KernelBuffer {
  std::string name;
  Space space = Space::gm;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

}  // namespace isa

struct Kernel {
  std::string name;
  std::string op_type;                      // for tables: QLinearConv, QGemm, ...
  std::vector<std::string> variables;       // names of the block variables
  std::vector<isa::KernelBuffer> buffers;
  std::vector<isa::Operands> operands;      // interned
  std::vector<isa::Program> programs;
  std::vector<isa::BlockBinding> blocks;
};

}  // namespace npulab
