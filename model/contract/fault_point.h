// SPDX-License-Identifier: Apache-2.0
// A named place where a part can be made to fail. The part owns it and tests `armed`; who arms it is none of its business.
#pragma once

#include <cstdint>
#include <string>

namespace npulab {

struct FaultPoint {
  std::string name;            // configuration path and kind, e.g. board.npu0.core3.m.result
  bool armed = false;
  std::uint64_t parameter = 0; // meaning by kind: bit mask to XOR, status to return, ...
  std::uint64_t triggered = 0; // how often the fault took place
};

}  // namespace npulab
