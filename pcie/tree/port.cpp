// SPDX-License-Identifier: Apache-2.0
#include "pcie/tree/port.h"

#include <utility>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

bool is_config(const Burst& burst) { return burst.type == TlpType::config_read || burst.type == TlpType::config_write; }
bool is_memory(const Burst& burst) { return burst.type == TlpType::memory_read || burst.type == TlpType::memory_write; }

}  // namespace

Port* claimant(const std::vector<Port*>& ports, const Burst& burst, const Port* except) {
  for (Port* port : ports) {
    if (port != except && port->claims(burst)) return port;
  }
  return nullptr;
}

void Port::hang_on(Port& upstream) {
  upstream_ = &upstream;
  upstream.internal_.push_back(this);
}

bool Port::claims(const Burst& burst) const {
  if (is_memory(burst)) return config_.covers_address(burst.address);
  return config_.covers_bus(is_config(burst) ? burst.target.bus : burst.requester.bus);
}

void Port::receive(BurstPtr burst) {
  if (spec_.kind == PcieNodeSpec::Kind::switch_upstream) return descend(std::move(burst));
  ascend(std::move(burst));
}

void Port::descend(BurstPtr burst) {
  if (burst->local) return config_access(burst);
  if (!claims(*burst)) return refuse(burst);
  burst->arrival.base += spec_.forward_latency;
  to_secondary(std::move(burst));
}

void Port::to_secondary(BurstPtr burst) {
  if (down_ == nullptr) return on_internal_bus(std::move(burst), nullptr);
  if (is_config(*burst) && burst->target.bus == config_.secondary()) {
    if (burst->target.device != 0 || burst->target.function != 0) return refuse(burst);
    burst->local = true;
  }
  down_->send(std::move(burst));
}

void Port::on_internal_bus(BurstPtr burst, const Port* from) {
  if (is_config(*burst) && burst->target.bus == config_.secondary()) {
    for (Port* port : internal_) {
      if (port->device_number_ == burst->target.device && burst->target.function == 0) return port->config_access(burst);
    }
    return refuse(burst);
  }
  if (Port* port = claimant(internal_, *burst, from)) return port->descend(std::move(burst));
  if (from != nullptr) return ascend(std::move(burst));
  refuse(burst);
}

void Port::ascend(BurstPtr burst) {
  if (is_memory(*burst) && !config_.master_enabled()) return refuse(burst);
  burst->arrival.base += spec_.forward_latency;
  send_up(std::move(burst));
}

void Port::send_up(BurstPtr burst) {
  if (up_ != nullptr) return up_->send(std::move(burst));
  if (upstream_ != nullptr) return upstream_->on_internal_bus(std::move(burst), this);
  if (root_ == nullptr) throw InternalError(spec_.path + " hangs on nothing");
  root_->from_port(*this, std::move(burst));
}

void Port::answer(BurstPtr completion) {
  if (claims(*completion)) return to_secondary(std::move(completion));
  send_up(std::move(completion));
}

}  // namespace npulab::pcie
