// SPDX-License-Identifier: Apache-2.0
// One chip, resolved: every number that timing or capacity depends on, as plain structs, one a part. Filled from
// configs/soc/*.yaml by load_board (board_spec.h); where a number came from lives in the file and in ParameterTable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/isa/instruction.h"

namespace npulab {

enum class NumericsProfile : std::uint8_t { onnx, arch2002, arch2201, arch3510 };
enum class EngineKind : std::uint8_t { scoreboard, process };

struct BufferSpec {
  Bytes capacity = 0;       // 0: the buffer does not exist on this core
  Bytes alignment = 32;
  MilliRate port_rate{0};   // bytes per cycle that all pipes share on this buffer; 0: no contention modelled
};

struct DispatchSpec {
  Cycles issue_cycles = 1;          // one instruction dispatched every so many cycles
  Cycles queue_latency_cycles = 1;  // dispatched at t, startable at t + this
  int queue_depth[isa::kPipeCount] = {};  // index by Pipe; S unused
};

struct FlagSpec {
  int event_ids = 8;            // per ordered pair of pipes
  Cycles set_cycles = 1;        // occupancy of the setting pipe
  Cycles wait_cycles = 1;       // occupancy of the waiting pipe once the flag is there
  Cycles propagation_cycles = 1;  // set to visible at the waiter, at least 1
  Cycles barrier_cycles = 1;    // occupancy of pipe_barrier after the drain
};

struct CrossFlagSpec {
  bool supported = false;
  int flags = 11;
  int max_pending = 15;
  Cycles intra_group_cycles = 0;    // mode 1 and 2, at least 1
  Cycles inter_group_cycles = 0;    // mode 0, at least 1
};

struct CubeSpec {
  int tile_m = 16, tile_n = 16;
  int tile_k_int8 = 32, tile_k_fp16 = 16;  // K columns per cycle
  Cycles head_pipelined_cycles = 0;  // added to the occupancy of each mmad
  Cycles head_drained_cycles = 0;    // start to result beyond the tiles, exposed only when something waits for it
  bool l0a_k_outer = false;          // L0A fractals in [k1][m1] order (3510)
};

struct Mte1Spec {
  Cycles issue_min_cycles = 0;
  Cycles latency_2d_cycles = 0, latency_3d_cycles = 0, latency_table_cycles = 0;
  MilliRate l0a_rate, l0b_rate, table_rate, l1_to_ub_rate;
  MilliRate l0a_3d_floor_rate;
  bool load_3d_full_rate_at_stride_1 = false;  // 3510: 256 B/cycle whenever the stride is 1
};

/// GM side of MTE2, MTE3 or FixPipe.
struct GmMoveSpec {
  Cycles issue_min_cycles = 0;     // occupancy floor of one instruction
  Cycles row_min_cycles_x1000 = 0; // occupancy floor a row, thousandths of a cycle
  Cycles latency_cycles = 0;       // start-up of the unit itself, exposed only when something waits (memory adds its own)
  MilliRate rate;                  // cap of the unit's own path
};

struct FixPipeSpec {
  bool present = false;
  Cycles latency_cycles = 0;
  std::int64_t elements_per_cycle_local = 0;  // to L1 (or UB)
  std::int64_t elements_per_cycle_gm = 0;
  std::int64_t elements_per_cycle_32bit = 0;  // 32-bit results, any destination
  Cycles issue_min_cycles = 0;
  MilliRate table_rate;            // L1 -> FB
};

struct VectorSpec {
  Cycles startup_cycles = 0;       // exposed when something waits for the result
  Cycles issue_min_cycles = 0;
  Cycles counter_mode_extra_cycles = 0;
  /// Thousandths of a cycle per 256-byte repeat, by operation class and width (16-bit, 32-bit).
  struct ClassCost { Cycles cycles_x1000_16bit = 0, cycles_x1000_32bit = 0; };
  ClassCost simple, transcendental, divide, cast, reduce_repeat, reduce_block, transpose, fused, select;
  MilliRate copy_rate;             // UB -> UB
  MilliRate l0c_to_ub_rate;        // cores whose vector pipe empties L0C (no FixPipe); source bytes
};

struct ScalarSpec { Cycles launch_cycles = 0; };  // block start to first dispatch

enum class CoreKind : std::uint8_t { fused, cube, vector };

/// One kind of core. Buffers and pipes that the kind lacks have capacity 0.
struct CoreSpec {
  CoreKind kind = CoreKind::fused;
  std::int64_t clock_khz = 0;
  BufferSpec buffers[isa::kSpaceCount];  // index by Space; gm unused
  DispatchSpec dispatch;
  FlagSpec flags;
  CubeSpec cube;
  Mte1Spec mte1;
  GmMoveSpec mte2_l1, mte2_ub, mte3, fix_gm;
  Cycles nd2nz_row_min_cycles_x1000 = 0;
  MilliRate local_copy_rate;             // ub -> l1, l1 fill
  FixPipeSpec fixpipe;
  VectorSpec vector;
  ScalarSpec scalar;
  MilliRate gm_read_rate, gm_write_rate;  // the core's port into L2
  Bytes outstanding_read_bytes = 0, outstanding_write_bytes = 0;
};

/// `count` equal groups; cores of one group share flags. A fused core is a group of its own.
struct CoreGroupSpec {
  std::string name;
  int count = 0;
  int fused_cores = 0, cube_cores = 0, vector_cores = 0;  // per group; fused is 0 or 1 and then the others are 0
};

struct L2Spec {
  Bytes capacity = 0, line_bytes = 0;
  Bytes sector_bytes = 0;  // granule of a line that reads move and that is valid or dirty by itself
  int ways = 0;
  std::int64_t read_bytes_per_s = 0, write_bytes_per_s = 0;
  Picoseconds hit_latency = 0;    // exposed after the last byte
  Picoseconds write_latency = 0;
};

struct HbmSpec {
  Bytes capacity = 0;
  std::int64_t sustained_bytes_per_s = 0;
  Picoseconds miss_latency = 0;   // exposed after the last byte, instead of the hit latency
};

struct MemorySpec {
  std::int64_t clock_khz = 0;     // edge on which requests are settled
  Picoseconds bucket = 0;         // length of a bandwidth bucket
  L2Spec l2;
  HbmSpec hbm;
};

/// PCIe function and device-side engines.
struct EndpointSpec {
  int vendor_id = 0, device_id = 0, subsystem_vendor_id = 0, subsystem_id = 0, class_code = 0, revision = 0;
  struct Bar { int index = 0; Bytes size = 0; bool prefetchable = false; std::string role; };  // 64-bit BARs
  std::vector<Bar> bars;
  int msix_vectors = 0;
  int max_generation = 0, max_width = 0;
  int max_payload_bytes = 0;
  int max_tags = 0;
  int dma_channels = 0;
  Bytes dma_outstanding_bytes = 0;
  std::int64_t dma_bytes_per_s = 0;  // device-side engine limit
  Picoseconds dma_start_latency = 0;
};

struct TaskSchedulerSpec {
  Picoseconds fetch_latency = 0;       // doorbell seen to descriptor read issued
  Picoseconds dispatch_latency = 0;    // descriptor decoded to first block sent
  Picoseconds per_block_latency = 0;   // each further block
  Picoseconds completion_latency = 0;  // last block done to completion entry written
  int active_queues = 0;
  int queue_depth = 0;
  int max_streams = 0;
};

struct BootSpec {
  Picoseconds rom = 0, firmware_load = 0, os = 0, self_test = 0, services = 0;  // full boot
  Picoseconds fast_total = 0;            // the whole of it in the fast profile
  Picoseconds heartbeat_period = 0;
};

struct SocSpec {
  std::string name;        // ascend910b1
  std::string product;     // Ascend 910B1
  std::string architecture;  // 2201
  NumericsProfile numerics = NumericsProfile::onnx;
  std::vector<CoreGroupSpec> groups;
  CoreSpec fused, cube, vector;  // only the kinds that groups name are filled
  CrossFlagSpec cross_flags;
  MemorySpec memory;
  EndpointSpec endpoint;
  TaskSchedulerSpec scheduler;
  BootSpec boot;

  const CoreSpec& core(CoreKind kind) const {
    return kind == CoreKind::fused ? fused : kind == CoreKind::cube ? cube : vector;
  }
  /// The core kind that runs cube instructions: fused or cube.
  const CoreSpec& cube_core() const { return fused.clock_khz != 0 ? fused : cube; }
  /// The core kind that runs vector instructions of cube groups: fused or vector.
  const CoreSpec& vector_core() const { return fused.clock_khz != 0 ? fused : vector; }
};

}  // namespace npulab
