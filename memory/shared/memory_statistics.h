// SPDX-License-Identifier: Apache-2.0
// What the shared memory did in a run. Bytes are bytes moved: reads in whole sectors, writes exactly. A resource's busy time
// is the time its booked bytes take at its full rate.
#pragma once

#include <string>
#include <vector>

#include "model/base/units.h"

namespace npulab::memory {

struct ClientStatistics {
  std::string name;
  std::int64_t requests = 0;  // settled
  Bytes read_bytes = 0;
  Bytes write_bytes = 0;
  Bytes hit_bytes = 0;
  Bytes miss_bytes = 0;
};

struct MemoryStatistics {
  std::int64_t requests = 0;  // settled
  std::int64_t windows = 0;
  Bytes read_bytes = 0;
  Bytes write_bytes = 0;
  Bytes hit_bytes = 0;
  Bytes miss_bytes = 0;
  Bytes fill_bytes = 0;    // read from HBM
  Bytes victim_bytes = 0;  // dirty sectors written back on eviction
  std::int64_t victim_lines = 0;
  Picoseconds l2_read_busy = 0;
  Picoseconds l2_write_busy = 0;
  Picoseconds hbm_busy = 0;
  std::vector<ClientStatistics> clients;  // by client id
};

}  // namespace npulab::memory
