// SPDX-License-Identifier: Apache-2.0
// Runs small actions at given kernel times, in order of time and then of request. One SC_METHOD, one event, one heap.
#pragma once

#include <systemc>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "model/base/units.h"

namespace npulab::cores {

class TimedActions : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TimedActions);
  explicit TimedActions(sc_core::sc_module_name name);
  /// `action` runs at kernel time `time`, not before now.
  void at(Picoseconds time, std::function<void()> action);
  void clear();

 private:
  void run();
  void arm();

  std::map<std::pair<Picoseconds, std::uint64_t>, std::function<void()>> actions_;
  std::uint64_t next_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace npulab::cores
