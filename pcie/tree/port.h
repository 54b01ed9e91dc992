// SPDX-License-Identifier: Apache-2.0
// A bridge function: root port, or one port of a switch. Routes by the registers that enumeration has written: bus numbers for
// configuration requests and completions, memory windows for memory requests; command bits gate both directions. Peers below
// one switch reach each other without the root complex. Leaves out ACS redirection and multicast.
#pragma once

#include "pcie/tree/tree_node.h"

namespace npulab::pcie {

/// What stands above a root port.
class RootBus {
 public:
  virtual ~RootBus() = default;
  virtual void from_port(class Port& port, BurstPtr burst) = 0;
};

class Port : public TreeNode {
 public:
  Port(Timeline& timeline, const PcieNodeSpec& spec, FunctionConfig config, std::uint8_t device_number)
      : TreeNode(timeline, spec, std::move(config), device_number) {}

  /// Root ports hang on the root complex, downstream ports on their switch's upstream port.
  void hang_on(RootBus& root) { root_ = &root; }
  void hang_on(Port& upstream);

  void receive(BurstPtr burst) override;
  void descend(BurstPtr burst) override;
  void send_up(BurstPtr burst) override;
  /// A burst from the secondary side.
  void ascend(BurstPtr burst);
  /// Whether a burst on the primary bus belongs below this port.
  bool claims(const Burst& burst) const;

 protected:
  void answer(BurstPtr completion) override;

 private:
  void to_secondary(BurstPtr burst);
  void on_internal_bus(BurstPtr burst, const Port* from);

  RootBus* root_ = nullptr;
  Port* upstream_ = nullptr;       // of a downstream port
  std::vector<Port*> internal_;    // an upstream port's downstream ports
};

/// The port among `ports`, other than `except`, that claims the burst; null if none does.
Port* claimant(const std::vector<Port*>& ports, const Burst& burst, const Port* except);

}  // namespace npulab::pcie
