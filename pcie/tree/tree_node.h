// SPDX-License-Identifier: Apache-2.0
// One function of the PCIe tree: its configuration space, the links it hangs on, and the handing on of bursts up and down.
// Between the ports inside a switch there is no link and no time beyond each port's forward_latency.
#pragma once

#include <memory>
#include <vector>

#include "model/contract/timeline.h"
#include "pcie/link/link_direction.h"
#include "pcie/tree/function_config.h"

namespace npulab::pcie {

class TreeNode : public BurstReceiver {
 public:
  TreeNode(Timeline& timeline, const PcieNodeSpec& spec, FunctionConfig config, std::uint8_t device_number)
      : timeline_(timeline), spec_(spec), config_(std::move(config)), device_number_(device_number) {}

  /// A burst from the primary side.
  virtual void descend(BurstPtr burst) = 0;
  /// A burst that is to travel towards the root.
  virtual void send_up(BurstPtr burst) = 0;
  /// Does a configuration request meant for this function, and answers it. The function learns its bus number from it.
  void config_access(const BurstPtr& burst);
  /// Refuses a burst: requests that want an answer get "unsupported request".
  void refuse(const BurstPtr& burst);

  /// Wires a link between this node's secondary side and `child`.
  void link_to(TreeNode& child, const LinkSpec& link);

  const PcieNodeSpec& spec() const { return spec_; }
  FunctionConfig& config() { return config_; }
  const FunctionConfig& config() const { return config_; }
  std::uint8_t device_number() const { return device_number_; }
  /// As learnt from configuration requests.
  PciAddress address() const { return address_; }
  /// The link direction that leaves this node upwards or downwards; null if there is none.
  LinkDirection* up() const { return up_.get(); }
  LinkDirection* down() const { return down_.get(); }

 protected:
  /// Sends a completion on its way to the requester from here.
  virtual void answer(BurstPtr completion) { send_up(std::move(completion)); }
  /// Software has written a register.
  virtual void config_written() {}
  void do_config_access(const Burst& burst);

  Timeline& timeline_;
  const PcieNodeSpec& spec_;
  FunctionConfig config_;
  std::uint8_t device_number_;
  PciAddress address_;
  std::unique_ptr<LinkDirection> up_, down_;
};


}  // namespace npulab::pcie
