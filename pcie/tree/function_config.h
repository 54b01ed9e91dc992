// SPDX-License-Identifier: Apache-2.0
// One PCI function's configuration space with its meaning: header type 0 or 1, power management, PCI Express, MSI-X and vendor
// capabilities, AER and serial number, and the answers that traffic needs (BAR hit, window hit, master enable, sizes). Bridge
// identities are those of a gen 4 root port and a common switch in pci.ids; everything else comes from the specs.
#pragma once

#include <optional>
#include <vector>

#include "model/contract/config_registers.h"
#include "model/spec/board_spec.h"
#include "pcie/tree/config_space.h"

namespace npulab::pcie {

class FunctionConfig {
 public:
  /// An endpoint behind `node.link`; `serial` makes its serial number.
  static FunctionConfig endpoint(const EndpointSpec& spec, const PcieNodeSpec& node, std::uint32_t serial);
  /// A root port or switch port; `link` is the one below it, for an upstream port the one above; `port` its number.
  static FunctionConfig bridge(PcieNodeSpec::Kind kind, const LinkSpec& link, std::uint32_t port);

  std::uint32_t read(std::uint32_t offset) const { return space_.get(offset, 4); }
  void write(std::uint32_t offset, std::uint32_t value) { space_.write(offset, value); }
  const ConfigSpace& space() const { return space_; }
  ConfigSpace& space() { return space_; }

  bool memory_enabled() const { return (space_.get(config::kCommand, 2) & config::kCommandMemory) != 0; }
  bool master_enabled() const { return (space_.get(config::kCommand, 2) & config::kCommandMaster) != 0; }
  Bytes max_payload() const;
  Bytes max_read_request() const;
  bool msix_enabled() const { return (msix_control() & config::kMsixEnable) != 0; }
  bool msix_masked() const { return (msix_control() & config::kMsixMaskAll) != 0; }

  struct BarHit {
    int bar = 0;
    std::uint64_t offset = 0;
    const std::string* role = nullptr;
  };
  /// Which BAR claims `address`, if memory decoding is on.
  std::optional<BarHit> find_bar(std::uint64_t address) const;

  std::uint8_t secondary() const { return static_cast<std::uint8_t>(space_.get(config::kSecondary, 1)); }
  std::uint8_t subordinate() const { return static_cast<std::uint8_t>(space_.get(config::kSubordinate, 1)); }
  bool covers_bus(std::uint8_t bus) const { return secondary() != 0 && bus >= secondary() && bus <= subordinate(); }
  /// One of the two memory windows of a bridge claims `address`.
  bool covers_address(std::uint64_t address) const;

 private:
  std::uint32_t msix_control() const { return space_.get(msix_ + config::kMsixControl, 2); }
  void add_header(std::uint32_t vendor, std::uint32_t device, std::uint32_t class_code, std::uint32_t revision, std::uint32_t type);
  void add_bars(const std::vector<EndpointSpec::Bar>& bars);
  void add_power(std::uint32_t next);
  void add_express(std::uint32_t type, std::int64_t max_payload, int max_tags, const LinkSpec& link, int cap_generation, int cap_width, std::uint32_t port, std::uint32_t next);
  void add_link(const LinkSpec& link, int cap_generation, int cap_width, std::uint32_t port, bool above_device);
  void add_msix(int vectors, std::uint32_t io_bar, std::uint32_t next);
  void add_aer(std::uint32_t next);
  void add_serial(std::uint32_t serial);
  void add_windows();

  ConfigSpace space_;
  std::vector<EndpointSpec::Bar> bars_;
  std::uint32_t msix_ = 0;
};

}  // namespace npulab::pcie
