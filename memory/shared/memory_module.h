// SPDX-License-Identifier: Apache-2.0
// The device's shared memory in the SystemC hierarchy: one method process that wakes at memory clock edges with something to
// settle, and never otherwise. L2 and HBM stand below it as l2 and hbm. All rules are in SettlingEngine.
#pragma once

#include <systemc>

#include "memory/shared/settling_engine.h"
#include "memory/shared/sparse_memory.h"
#include "model/contract/memory_system.h"

namespace npulab::memory {

class MemoryModule : public sc_core::sc_module, public MemorySystem {
 public:
  SC_HAS_PROCESS(MemoryModule);
  /// InternalError if the simulator's resolution is not one picosecond.
  MemoryModule(sc_core::sc_module_name name, const MemorySpec& spec);

  MemoryClientId register_client(const MemoryClientSpec& spec) override { return engine_.register_client(spec); }
  RequestId request(const TransferRequest& transfer, TransferClient& client) override;
  Picoseconds earliest_data_time(Picoseconds now) const override { return engine_.earliest_data_time(now); }
  void cancel(RequestId request) override;
  GlobalMemory& bytes() override { return payload_; }
  Bytes capacity() const override { return engine_.map().capacity(); }

  /// What has been settled and booked so far.
  MemoryStatistics statistics() const { return engine_.statistics(); }
  /// Armed by the fault injector; see SettlingEngine::uncorrectable.
  FaultPoint& uncorrectable() { return engine_.uncorrectable(); }

 private:
  /// A place in the hierarchy that has a name and no process of its own.
  struct PartModule : sc_core::sc_module {
    explicit PartModule(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
  };

  void settle();
  void wake_at_next_edge();

  SettlingEngine engine_;
  SparseMemory payload_;
  sc_core::sc_event wake_;
  Picoseconds wake_time_ = kNever;
  PartModule l2_;
  PartModule hbm_;
};

}  // namespace npulab::memory
