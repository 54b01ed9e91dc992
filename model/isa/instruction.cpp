// SPDX-License-Identifier: Apache-2.0
#include "model/isa/instruction.h"

namespace npulab::isa {

const char* name_of(Pipe pipe) {
  static const char* const names[] = {"s", "v", "m", "mte1", "mte2", "mte3", "fix"};
  return names[static_cast<int>(pipe)];
}

const char* name_of(Space space) {
  static const char* const names[] = {"gm", "l1", "l0a", "l0b", "l0c", "ub", "bt", "fb"};
  return names[static_cast<int>(space)];
}

const char* name_of(DataType type) {
  static const char* const names[] = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "fp16", "bf16", "fp32"};
  return names[static_cast<int>(type)];
}

const char* name_of(Opcode opcode) {
  static const char* const names[] = {"scalar", "set_flag", "wait_flag", "pipe_barrier", "cross_set", "cross_wait", "copy",
                                      "copy_nd2nz", "fill", "load_2d", "load_3d", "broadcast_bias", "mmad", "fixpipe", "vector"};
  return names[static_cast<int>(opcode)];
}

}  // namespace npulab::isa
