// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_sink.h"

namespace npulab {

const char* name_of(StallCause cause) {
  static const char* const names[] = {"launch", "dispatch", "queue_full", "flag", "barrier", "cross_core", "port",
                                      "memory_edge", "memory_port", "memory_l2", "memory_hbm", "drain", "done"};
  return names[static_cast<int>(cause)];
}

}  // namespace npulab
