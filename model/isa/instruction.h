// SPDX-License-Identifier: Apache-2.0
// The instruction set every part agrees on. An instruction is a fixed 32-byte head (what varies from one loop iteration to
// the next: opcode, pipe, addresses) plus an interned operand block (shapes, strides, modes; see operands.h).
#pragma once

#include <cstdint>
#include <cstring>

namespace npulab::isa {

/// Execution pipes of a core. S dispatches; the others are in-order queues that run in parallel.
enum class Pipe : std::uint8_t { s, v, m, mte1, mte2, mte3, fix };
inline constexpr int kPipeCount = 7;
/// Only in pipe_barrier: every pipe.
inline constexpr std::uint8_t kAllPipes = 0xff;

/// Address spaces. bt is the bias table, fb the FixPipe (quantisation parameter) buffer.
enum class Space : std::uint8_t { gm, l1, l0a, l0b, l0c, ub, bt, fb };
inline constexpr int kSpaceCount = 8;

enum class DataType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, fp16, bf16, fp32 };
/// Bytes of one element.
constexpr int size_of(DataType type) {
  switch (type) {
    case DataType::int8: case DataType::uint8: return 1;
    case DataType::int16: case DataType::uint16: case DataType::fp16: case DataType::bf16: return 2;
    default: return 4;
  }
}

enum class Opcode : std::uint8_t {
  scalar,        // S: `value` cycles of scalar work (address arithmetic, loop control)
  set_flag,      // on `pipe`: event `event` for `peer` becomes set when all earlier work of `pipe` is done
  wait_flag,     // on `pipe`: holds the pipe until event `event` from `peer` is set, then clears it
  pipe_barrier,  // S if all pipes, else on `pipe`: holds the pipe until its earlier work is done
  cross_set,     // on `pipe`: cross-core flag `event`, mode in `peer` (0, 1, 2), when all earlier work of `pipe` is done
  cross_wait,    // on `pipe` (S by default): holds until the core's counter of flag `event` is above zero, then decrements
  copy,          // CopyOperands: strided rows between two spaces
  copy_nd2nz,    // Nd2NzOperands: GM -> L1, row-major to fractal
  fill,          // FillOperands: constant into L1 (mte2)
  load_2d,       // Load2dOperands: fractals L1 -> L0A/L0B (mte1)
  load_3d,       // Load3dOperands: image-to-column L1 -> L0A/L0B (mte1)
  broadcast_bias,  // BroadcastOperands: int32/fp32 vector from UB into every row of an L0C tile (v; cores without a BT)
  mmad,          // MmadOperands: L0C (+)= L0A x L0B (m)
  fixpipe,       // FixpipeOperands: L0C -> GM/L1 (fix) or L0C -> UB (v on cores without FixPipe), with requantisation
  vector,        // VectorOperands: UB -> UB (v)
};
inline constexpr int kOpcodeCount = 15;

/// Head of one instruction, exactly 32 bytes. Addresses are bytes within the space that the operand block names
/// (GM: offset from the launch's arena base).
struct Instruction {
  Opcode opcode = Opcode::scalar;
  Pipe pipe = Pipe::s;
  std::uint8_t peer = 0;   // other pipe of a flag; barrier scope; cross-core mode
  std::uint8_t event = 0;  // event or cross-core flag id
  std::uint32_t operands = 0;  // index into Kernel::operands; for `scalar` unused
  std::uint64_t dst = 0;   // destination address; `scalar`: cycles of work
  std::uint64_t src0 = 0;  // source address (mmad: L0A; fixpipe: L0C)
  std::uint64_t src1 = 0;  // second source (mmad: L0B, high 32 bits: BT address; fixpipe: FB or UB parameter address;
                           // load_3d: m_start in the low, k_start in the high 32 bits)

  /// Everything but the addresses as one word, so that hot loops move it in one piece: opcode, pipe, peer and event from the
  /// lowest byte up, the operands above them.
  std::uint64_t code() const {
    std::uint64_t word = 0;
    std::memcpy(&word, this, sizeof word);
    return word;
  }
  void set_code(std::uint64_t word) { std::memcpy(static_cast<void*>(this), &word, sizeof word); }
};
static_assert(sizeof(Instruction) == 32);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "code() and the functions below take the first field as the lowest byte");

constexpr Opcode opcode_of(std::uint64_t code) { return static_cast<Opcode>(code & 0xff); }
constexpr Pipe pipe_of(std::uint64_t code) { return static_cast<Pipe>(code >> 8 & 0xff); }
constexpr std::uint8_t peer_of(std::uint64_t code) { return static_cast<std::uint8_t>(code >> 16); }
constexpr std::uint8_t event_of(std::uint64_t code) { return static_cast<std::uint8_t>(code >> 24); }
constexpr std::uint32_t operands_of(std::uint64_t code) { return static_cast<std::uint32_t>(code >> 32); }
/// `code` with its event raised by `added`, which wraps.
constexpr std::uint64_t with_event_added(std::uint64_t code, std::uint64_t added) {
  return (code & ~(std::uint64_t{0xff} << 24)) | (((code >> 24) + added) & 0xff) << 24;
}

/// Which way an instruction goes to GM; see gm_access in operands.h.
enum class GmAccess : std::uint8_t { none, read, write };

const char* name_of(Pipe pipe);
const char* name_of(Space space);
const char* name_of(DataType type);
const char* name_of(Opcode opcode);

}  // namespace npulab::isa
