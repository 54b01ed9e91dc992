// SPDX-License-Identifier: Apache-2.0
#include "model/spec/soc_reader.h"

namespace npulab {
namespace {

constexpr std::int64_t kNoMost = std::numeric_limits<std::int64_t>::max();
constexpr int kMaxQueueDepth = 64;  // rings of the engines

MilliRate rate(ConfigReader& reader, const std::string& key) { return {reader.quantity(key, Unit::byte_rate)}; }
Cycles cycles(ConfigReader& reader, const std::string& key, std::int64_t least = 0) { return reader.quantity(key, Unit::cycles, least); }

void read_buffers(ConfigReader reader, CoreSpec& core) {
  for (int i = 1; i < isa::kSpaceCount; ++i) {
    const char* name = isa::name_of(static_cast<isa::Space>(i));
    if (!reader.has(name)) continue;
    ConfigReader buffer = reader.map(name);
    BufferSpec& spec = core.buffers[i];
    spec.capacity = buffer.quantity("capacity", Unit::bytes, 32, Bytes{1} << 32);
    spec.alignment = buffer.quantity("alignment", Unit::bytes, 1, 4096);
    spec.port_rate = {buffer.quantity_or("port_rate", Unit::byte_rate, 0)};
    if (spec.alignment > 0 && spec.capacity % spec.alignment != 0) buffer.problem("capacity", "expected a multiple of the alignment, found another size");
    buffer.finish();
  }
  reader.finish();
}

void read_dispatch(ConfigReader reader, DispatchSpec& spec) {
  spec.issue_cycles = cycles(reader, "issue", 1);
  spec.queue_latency_cycles = cycles(reader, "queue_latency", 1);
  ConfigReader depth = reader.map("queue_depth");
  for (int pipe = 1; pipe < isa::kPipeCount; ++pipe) {
    const char* name = isa::name_of(static_cast<isa::Pipe>(pipe));
    if (depth.has(name)) spec.queue_depth[pipe] = static_cast<int>(depth.quantity(name, Unit::count, 1, kMaxQueueDepth));
  }
  depth.finish();
  reader.finish();
}

void read_flags(ConfigReader reader, FlagSpec& spec) {
  spec.event_ids = static_cast<int>(reader.quantity("event_ids", Unit::count, 1, 16));
  spec.set_cycles = cycles(reader, "set", 1);
  spec.wait_cycles = cycles(reader, "wait", 1);
  spec.propagation_cycles = cycles(reader, "propagation", 1);
  spec.barrier_cycles = cycles(reader, "barrier", 1);
  reader.finish();
}

void read_cube(ConfigReader reader, CubeSpec& spec) {
  spec.tile_m = static_cast<int>(reader.quantity("tile_m", Unit::count, 1, 256));
  spec.tile_n = static_cast<int>(reader.quantity("tile_n", Unit::count, 1, 256));
  spec.tile_k_int8 = static_cast<int>(reader.quantity("tile_k_int8", Unit::count, 1, 512));
  spec.tile_k_fp16 = static_cast<int>(reader.quantity("tile_k_fp16", Unit::count, 1, 512));
  spec.head_pipelined_cycles = cycles(reader, "head_pipelined");
  spec.head_drained_cycles = cycles(reader, "head_drained");
  spec.l0a_k_outer = reader.flag("l0a_k_outer", false);
  if (spec.head_drained_cycles < spec.head_pipelined_cycles) {
    reader.problem("head_drained", "expected at least head_pipelined, found less");
  }
  reader.finish();
}

void read_mte1(ConfigReader reader, Mte1Spec& spec) {
  spec.issue_min_cycles = cycles(reader, "issue_min", 1);
  spec.latency_2d_cycles = cycles(reader, "latency_2d");
  spec.latency_3d_cycles = cycles(reader, "latency_3d");
  spec.latency_table_cycles = cycles(reader, "latency_table");
  spec.l0a_rate = rate(reader, "l0a_rate");
  spec.l0b_rate = rate(reader, "l0b_rate");
  spec.table_rate = rate(reader, "table_rate");
  spec.l1_to_ub_rate = rate(reader, "l1_to_ub_rate");
  spec.l0a_3d_floor_rate = rate(reader, "l0a_3d_floor_rate");
  spec.load_3d_full_rate_at_stride_1 = reader.flag("load_3d_full_rate_at_stride_1", false);
  reader.finish();
}

void read_gm_move(ConfigReader reader, GmMoveSpec& spec) {
  spec.issue_min_cycles = cycles(reader, "issue_min", 1);
  spec.row_min_cycles_x1000 = reader.quantity("row_min", Unit::millicycles, 0);
  spec.latency_cycles = cycles(reader, "latency");
  spec.rate = rate(reader, "rate");
  reader.finish();
}

void read_fixpipe(ConfigReader reader, FixPipeSpec& spec) {
  spec.present = true;
  spec.latency_cycles = cycles(reader, "latency");
  spec.elements_per_cycle_local = reader.quantity("local_rate", Unit::element_rate);
  spec.elements_per_cycle_gm = reader.quantity("gm_rate", Unit::element_rate);
  spec.elements_per_cycle_32bit = reader.quantity("wide_rate", Unit::element_rate);
  spec.issue_min_cycles = cycles(reader, "issue_min", 1);
  spec.table_rate = rate(reader, "table_rate");
  reader.finish();
}

VectorSpec::ClassCost read_class(ConfigReader& reader, const std::string& key) {
  ConfigReader costs = reader.map(key);
  VectorSpec::ClassCost cost;
  cost.cycles_x1000_16bit = costs.quantity("b16", Unit::millicycles);
  cost.cycles_x1000_32bit = costs.quantity("b32", Unit::millicycles);
  costs.finish();
  return cost;
}

void read_vector(ConfigReader reader, CoreKind kind, VectorSpec& spec) {
  spec.startup_cycles = cycles(reader, "startup");
  spec.issue_min_cycles = cycles(reader, "issue_min", 1);
  spec.counter_mode_extra_cycles = cycles(reader, "counter_mode_extra");
  spec.copy_rate = rate(reader, "copy_rate");
  if (kind == CoreKind::fused) spec.l0c_to_ub_rate = rate(reader, "l0c_to_ub_rate");
  ConfigReader per_repeat = reader.map("cycles_per_repeat");
  spec.simple = read_class(per_repeat, "simple");
  spec.transcendental = read_class(per_repeat, "transcendental");
  spec.divide = read_class(per_repeat, "divide");
  spec.cast = read_class(per_repeat, "cast");
  spec.reduce_repeat = read_class(per_repeat, "reduce_repeat");
  spec.reduce_block = read_class(per_repeat, "reduce_block");
  spec.transpose = read_class(per_repeat, "transpose");
  spec.fused = read_class(per_repeat, "fused");
  spec.select = read_class(per_repeat, "select");
  per_repeat.finish();
  reader.finish();
}

void read_gm_port(ConfigReader reader, CoreSpec& core) {
  core.gm_read_rate = rate(reader, "read_rate");
  core.gm_write_rate = rate(reader, "write_rate");
  core.outstanding_read_bytes = reader.quantity("outstanding_read", Unit::bytes, 64);
  core.outstanding_write_bytes = reader.quantity("outstanding_write", Unit::bytes, 64);
  reader.finish();
}

/// A pipe that the core has needs a queue, and buffers to work on.
void check_core(ConfigReader& reader, const CoreSpec& core) {
  const auto queue = [&](isa::Pipe pipe) { return core.dispatch.queue_depth[static_cast<int>(pipe)] > 0; };
  const auto buffer = [&](isa::Space space) { return core.buffers[static_cast<int>(space)].capacity > 0; };
  const bool cube = core.kind != CoreKind::vector, vector = core.kind != CoreKind::cube;
  if (!queue(isa::Pipe::mte2)) reader.problem("dispatch", "expected a queue_depth for mte2, found none");
  if (cube && !(queue(isa::Pipe::m) && queue(isa::Pipe::mte1))) reader.problem("dispatch", "expected queue depths for m and mte1, found none");
  if (cube && core.kind == CoreKind::cube && !queue(isa::Pipe::fix)) reader.problem("dispatch", "expected a queue_depth for fix, found none");
  if (vector && !(queue(isa::Pipe::v) && queue(isa::Pipe::mte3))) reader.problem("dispatch", "expected queue depths for v and mte3, found none");
  if (cube && !(buffer(isa::Space::l1) && buffer(isa::Space::l0a) && buffer(isa::Space::l0b) && buffer(isa::Space::l0c))) {
    reader.problem("buffers", "expected l1, l0a, l0b and l0c on a core with a cube, found fewer");
  }
  if (vector && !buffer(isa::Space::ub)) reader.problem("buffers", "expected ub on a core with a vector unit, found none");
}

}  // namespace

CoreSpec read_core(ConfigReader reader, CoreKind kind) {
  CoreSpec core;
  core.kind = kind;
  core.clock_khz = reader.quantity("clock", Unit::frequency, 1000, 100'000'000);
  core.scalar.launch_cycles = cycles(reader, "launch", 1);
  read_buffers(reader.map("buffers"), core);
  read_dispatch(reader.map("dispatch"), core.dispatch);
  read_flags(reader.map("flags"), core.flags);
  read_gm_port(reader.map("gm"), core);
  if (kind != CoreKind::vector) {
    read_cube(reader.map("cube"), core.cube);
    read_mte1(reader.map("mte1"), core.mte1);
    read_gm_move(reader.map("mte2_l1"), core.mte2_l1);
    core.nd2nz_row_min_cycles_x1000 = reader.quantity("nd2nz_row_min", Unit::millicycles, 0, kNoMost);
    core.local_copy_rate = rate(reader, "local_copy_rate");
  }
  if (kind == CoreKind::cube) {
    read_fixpipe(reader.map("fixpipe"), core.fixpipe);
    read_gm_move(reader.map("fix_gm"), core.fix_gm);
  }
  if (kind != CoreKind::cube) {
    read_vector(reader.map("vector"), kind, core.vector);
    read_gm_move(reader.map("mte2_ub"), core.mte2_ub);
    read_gm_move(reader.map("mte3"), core.mte3);
  }
  check_core(reader, core);
  reader.finish();
  return core;
}

}  // namespace npulab
