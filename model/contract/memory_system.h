// SPDX-License-Identifier: Apache-2.0
// The one door to device memory (L2 and HBM/DDR behind it) for cores, DMA engines, task scheduler and self-tests.
// Timing and payload are apart: request() books time and bandwidth, GlobalMemory holds bytes and takes no time.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/units.h"

namespace npulab {

using MemoryClientId = std::uint32_t;
using RequestId = std::uint64_t;

enum class MemoryAccess : std::uint8_t { read, write };
enum class MemoryStatus : std::uint8_t { ok, address_error, uncorrectable_error, cancelled };

/// A strided run of rows, all of one direction.
struct TransferRequest {
  MemoryClientId client = 0;
  MemoryAccess access = MemoryAccess::read;
  bool bypass_l2 = false;
  std::uint8_t lane = 0;  // orders requests of one client that are settled at one edge (cores: the pipe's number)
  std::uint32_t rows = 1;
  std::uint64_t address = 0;  // device address of the first row
  Bytes row_bytes = 0;
  Bytes row_pitch = 0;  // bytes from the start of one row to the next
  /// Cap on the rate of this transfer in thousandths of a byte per nanosecond (0: the client's port alone limits it).
  std::int64_t rate_cap_milli_bytes_per_ns = 0;
};

/// What came of a transfer, and where its time went. data_time - request time = service + waits, to the picosecond.
struct TransferResult {
  MemoryStatus status = MemoryStatus::ok;
  Picoseconds data_time = 0;     // last byte has passed the shared path; the client's next transfer may begin to flow
  Picoseconds visible_time = 0;  // data_time plus the exposed hit or miss latency; the effect can be used
  Picoseconds wait_edge = 0;     // waiting for the memory clock edge that settles the request
  Picoseconds wait_port = 0;     // slower than unloaded because the client's own port was busy
  Picoseconds wait_l2 = 0;       // ... because L2 bandwidth was shared
  Picoseconds wait_hbm = 0;      // ... because HBM/DDR bandwidth was shared
  Bytes hit_bytes = 0;
  Bytes miss_bytes = 0;
};

/// Answers come by call, from the memory's own process, never from inside request().
class TransferClient {
 public:
  virtual ~TransferClient() = default;
  /// The transfer's data_time will not be before `not_before`. Bounds only grow; called at most once per settled window.
  virtual void transfer_bounded(RequestId request, Picoseconds not_before) = 0;
  /// Firm: called once, at or before result.data_time in kernel time. Nothing later can change it short of cancel() or reset.
  virtual void transfer_resolved(RequestId request, const TransferResult& result) = 0;
};

/// Payload bytes of device memory, kept sparsely; unwritten bytes read as zero.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  virtual void read(std::uint64_t address, void* out, Bytes bytes) const = 0;
  virtual void write(std::uint64_t address, const void* in, Bytes bytes) = 0;
};

/// How one client hangs on the memory system.
struct MemoryClientSpec {
  std::string name;  // configuration path, e.g. board.npu0.core3.mte2
  std::int64_t read_rate_milli_bytes_per_ns = 0;
  std::int64_t write_rate_milli_bytes_per_ns = 0;
  Bytes outstanding_read_bytes = 0;  // window booked ahead at a time
  Bytes outstanding_write_bytes = 0;
};

class MemorySystem {
 public:
  virtual ~MemorySystem() = default;
  /// Before simulation starts. Ids count up from zero in call order, which is also the settling order's base.
  virtual MemoryClientId register_client(const MemoryClientSpec& spec) = 0;
  /// Asks at kernel time now; settled at the first memory clock edge strictly after now, among all requests collected for
  /// that edge in an order that rotates by client id. `client` must outlive the request.
  virtual RequestId request(const TransferRequest& transfer, TransferClient& client) = 0;
  /// A lower bound on data_time of any request made at kernel time `now`.
  virtual Picoseconds earliest_data_time(Picoseconds now) const = 0;
  /// Releases what is booked beyond now; no answer follows. A no-op for a resolved request.
  virtual void cancel(RequestId request) = 0;
  /// Payload store; always there (control bytes live in it), also in timing-only runs.
  virtual GlobalMemory& bytes() = 0;
  virtual Bytes capacity() const = 0;
};

}  // namespace npulab
