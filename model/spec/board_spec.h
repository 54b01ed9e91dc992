// SPDX-License-Identifier: Apache-2.0
// A host with its PCIe tree and devices, resolved from configs/board/*.yaml (which names SoC files).
#pragma once

#include <string>
#include <vector>

#include "model/spec/parameter_table.h"
#include "model/spec/soc_spec.h"

namespace npulab {

struct LinkSpec {
  int generation = 0;         // 1..6
  int width = 0;              // 1, 2, 4, 8, 16
  int max_payload_bytes = 0;  // MPS of this path
  int max_read_request_bytes = 0;  // MRRS
  Picoseconds propagation = 0;     // one way, PHY and data link included
  int dllp_overhead_permille = 0;  // share of raw rate taken by ACK, FC and SKP
  int posted_header_credits = 0, posted_data_credits = 0;        // 0: infinite
  int nonposted_header_credits = 0, nonposted_data_credits = 0;
  int completion_header_credits = 0, completion_data_credits = 0;
};

/// A node of the PCIe tree below the root complex, in depth-first order.
struct PcieNodeSpec {
  enum class Kind { root_port, switch_upstream, switch_downstream, endpoint };
  Kind kind = Kind::root_port;
  std::string path;      // configuration path, e.g. board.card0.npu0
  int parent = -1;       // index into BoardSpec::pcie, -1 for root ports
  int device = -1;       // endpoint: index into BoardSpec::devices
  LinkSpec link;         // the link above this node (root ports: unused)
  Picoseconds forward_latency = 0;  // switch ports
};

struct DeviceSpec {
  std::string path;   // board.npu0
  int soc = 0;        // index into BoardSpec::socs
  bool fails_boot = false;        // for studies of readiness: never becomes READY ...
  std::string boot_failure;       // ... and this is what it reports
};

struct HostSpec {
  Picoseconds memory_latency = 0;        // root complex to host memory and back, reads
  std::int64_t memory_bytes_per_s = 0;
  int read_completion_boundary = 64;
  Picoseconds doorbell_latency = 0;      // CPU store to link
  Picoseconds interrupt_latency = 0;     // MSI-X write to handler
  Picoseconds driver_call = 0;           // software cost of one driver call
  Picoseconds launch_call = 0;           // software cost of one asynchronous launch
  Picoseconds ready_timeout = 0;         // driver gives up on a device after this
  Picoseconds poll_period = 0;           // readiness polls
};

struct BoardSpec {
  std::string name;
  std::string file;
  EngineKind engine = EngineKind::scoreboard;
  bool full_boot = false;      // --set board.boot=full; default is the fast profile
  HostSpec host;
  std::vector<SocSpec> socs;
  std::vector<DeviceSpec> devices;
  std::vector<PcieNodeSpec> pcie;
  ParameterTable parameters;   // every number with unit, source and evidence
};

/// Reads a board with everything it names; `overrides` are PATH=VALUE as in --set. Throws UserError with every problem.
BoardSpec load_board(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace npulab
