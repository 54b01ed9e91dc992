// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/memory_module.h"

#include "model/base/errors.h"

namespace npulab::memory {
namespace {

Picoseconds kernel_time() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

}  // namespace

MemoryModule::MemoryModule(sc_core::sc_module_name name, const MemorySpec& spec)
    : sc_core::sc_module(name), engine_(spec), payload_(spec.hbm.capacity), wake_("wake"), l2_("l2"), hbm_("hbm") {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
    throw InternalError("memory: the simulator's time resolution must be one picosecond");
  }
  engine_.uncorrectable().name = std::string(hbm_.name()) + ".uncorrectable";
  SC_METHOD(settle);
  sensitive << wake_;
  dont_initialize();
}

RequestId MemoryModule::request(const TransferRequest& transfer, TransferClient& client) {
  const RequestId id = engine_.request(transfer, client, kernel_time());
  wake_at_next_edge();
  return id;
}

void MemoryModule::cancel(RequestId request) {
  engine_.cancel(request, kernel_time());
  wake_at_next_edge();
}

void MemoryModule::settle() {
  wake_time_ = kNever;
  // A cancelled request may have left an edge at which nothing is due.
  if (engine_.next_edge() == kernel_time()) engine_.settle(kernel_time());
  wake_at_next_edge();
}

void MemoryModule::wake_at_next_edge() {
  const Picoseconds edge = engine_.next_edge();
  if (edge == wake_time_) return;
  wake_.cancel();
  wake_time_ = edge;
  if (edge != kNever) wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(edge - kernel_time())));
}

}  // namespace npulab::memory
