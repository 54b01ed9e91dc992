// SPDX-License-Identifier: Apache-2.0
#include "model/spec/soc_reader.h"

namespace npulab {
namespace {

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

void read_groups(ConfigReader reader, SocSpec& soc) {
  for (const std::string& name : reader.keys()) {
    ConfigReader group = reader.map(name);
    CoreGroupSpec spec;
    spec.name = name;
    spec.count = static_cast<int>(group.quantity("count", Unit::count, 1, 4096));
    spec.fused_cores = static_cast<int>(group.quantity_or("fused_cores", Unit::count, 0, 0, 64));
    spec.cube_cores = static_cast<int>(group.quantity_or("cube_cores", Unit::count, 0, 0, 64));
    spec.vector_cores = static_cast<int>(group.quantity_or("vector_cores", Unit::count, 0, 0, 64));
    const bool fused = spec.fused_cores == 1 && spec.cube_cores == 0 && spec.vector_cores == 0;
    const bool split = spec.fused_cores == 0 && spec.cube_cores <= 1 && spec.vector_cores <= 2 && spec.cube_cores + spec.vector_cores > 0;
    if (!fused && !split) group.problem("", "expected one fused core, or at most one cube and two vector cores, found another mix");
    group.finish();
    soc.groups.push_back(spec);
  }
  if (soc.groups.empty()) reader.problem("", "expected at least one group of cores, found none");
  reader.finish();
}

void read_cores(ConfigReader reader, SocSpec& soc) {
  bool fused = false, cube = false, vector = false;
  for (const CoreGroupSpec& group : soc.groups) {
    fused = fused || group.fused_cores > 0;
    cube = cube || group.cube_cores > 0;
    vector = vector || group.vector_cores > 0;
  }
  if (soc.groups.empty()) return;  // reported already
  if (fused && cube) reader.problem("", "expected cubes in fused cores or in cores of their own, found both");
  if (fused) soc.fused = read_core(reader.map("fused"), CoreKind::fused);
  if (cube) soc.cube = read_core(reader.map("cube"), CoreKind::cube);
  if (vector) soc.vector = read_core(reader.map("vector"), CoreKind::vector);
  reader.finish();
}

void read_cross_flags(ConfigReader reader, CrossFlagSpec& spec) {
  spec.supported = reader.flag("supported", false);
  // A chip whose flags are switched off may keep their numbers.
  const auto number = [&](const char* key, Unit unit, std::int64_t most) {
    return spec.supported ? reader.quantity(key, unit, 1, most) : reader.quantity_or(key, unit, 1, 1, most);
  };
  spec.flags = static_cast<int>(number("flags", Unit::count, 16));
  spec.max_pending = static_cast<int>(number("max_pending", Unit::count, 64));
  spec.intra_group_cycles = number("intra_group", Unit::cycles, ConfigReader::kNoLimit);
  spec.inter_group_cycles = number("inter_group", Unit::cycles, ConfigReader::kNoLimit);
  reader.finish();
}

void read_memory(ConfigReader reader, MemorySpec& spec) {
  spec.clock_khz = reader.quantity("clock", Unit::frequency, 1000, 100'000'000);
  spec.bucket = reader.quantity("bucket", Unit::time, 1000, 100'000'000);
  ConfigReader l2 = reader.map("l2");
  spec.l2.capacity = l2.quantity("capacity", Unit::bytes, 4096);
  spec.l2.line_bytes = l2.quantity("line", Unit::bytes, 32, 4096);
  spec.l2.sector_bytes = l2.quantity("sector", Unit::bytes, 32, 4096);
  spec.l2.ways = static_cast<int>(l2.quantity("ways", Unit::count, 1, 64));
  spec.l2.read_bytes_per_s = l2.quantity("read_bandwidth", Unit::bandwidth, 1'000'000);
  spec.l2.write_bytes_per_s = l2.quantity("write_bandwidth", Unit::bandwidth, 1'000'000);
  spec.l2.hit_latency = l2.quantity("hit_latency", Unit::time);
  spec.l2.write_latency = l2.quantity("write_latency", Unit::time);
  if (!is_power_of_two(spec.l2.line_bytes)) l2.problem("line", "expected a power of two, found another size");
  if (!is_power_of_two(spec.l2.sector_bytes) || spec.l2.sector_bytes > spec.l2.line_bytes || spec.l2.line_bytes > 16 * spec.l2.sector_bytes) {
    l2.problem("sector", "expected a power of two that divides the line into at most 16, found another size");
  }
  if (spec.l2.ways > 16) l2.problem("ways", "expected at most 16, found more");
  if (spec.l2.capacity % (spec.l2.line_bytes * spec.l2.ways) != 0) {
    l2.problem("capacity", "expected a multiple of line x ways, found another size");
  }
  l2.finish();
  ConfigReader hbm = reader.map("hbm");
  spec.hbm.capacity = hbm.quantity("capacity", Unit::bytes, 1 << 20, Bytes{1} << 46);
  spec.hbm.sustained_bytes_per_s = hbm.quantity("sustained_bandwidth", Unit::bandwidth, 1'000'000);
  spec.hbm.miss_latency = hbm.quantity("miss_latency", Unit::time);
  if (spec.hbm.miss_latency < spec.l2.hit_latency) hbm.problem("miss_latency", "expected at least l2.hit_latency, found less");
  hbm.finish();
  reader.finish();
}

void read_bars(ConfigReader& reader, EndpointSpec& spec) {
  bool taken[6] = {};
  for (ConfigReader bar : reader.list("bars")) {
    EndpointSpec::Bar entry;
    entry.index = static_cast<int>(bar.quantity("index", Unit::count, 0, 4));
    entry.size = bar.quantity("size", Unit::bytes, 4096, Bytes{1} << 40);
    entry.prefetchable = bar.flag("prefetchable", false);
    static const std::vector<std::string> roles = {"io", "memory", "reserved"};
    entry.role = roles[static_cast<std::size_t>(bar.choice("role", roles))];
    if (!is_power_of_two(entry.size)) bar.problem("size", "expected a power of two, found another size");
    if (entry.index % 2 != 0 || taken[entry.index]) bar.problem("index", "expected 0, 2 or 4, each once (64-bit BARs take two), found another");
    taken[entry.index] = true;
    bar.finish();
    spec.bars.push_back(entry);
  }
}

void read_endpoint(ConfigReader reader, EndpointSpec& spec) {
  spec.vendor_id = static_cast<int>(reader.quantity("vendor_id", Unit::count, 1, 0xfffe));
  spec.device_id = static_cast<int>(reader.quantity("device_id", Unit::count, 1, 0xfffe));
  spec.subsystem_vendor_id = static_cast<int>(reader.quantity("subsystem_vendor_id", Unit::count, 0, 0xffff));
  spec.subsystem_id = static_cast<int>(reader.quantity("subsystem_id", Unit::count, 0, 0xffff));
  spec.class_code = static_cast<int>(reader.quantity("class_code", Unit::count, 0, 0xffffff));
  spec.revision = static_cast<int>(reader.quantity("revision", Unit::count, 0, 0xff));
  read_bars(reader, spec);
  spec.msix_vectors = static_cast<int>(reader.quantity("msix_vectors", Unit::count, 1, 2048));
  spec.max_generation = static_cast<int>(reader.quantity("max_generation", Unit::count, 1, 6));
  spec.max_width = static_cast<int>(reader.quantity("max_width", Unit::count, 1, 16));
  spec.max_payload_bytes = static_cast<int>(reader.quantity("max_payload", Unit::bytes, 128, 4096));
  spec.max_tags = static_cast<int>(reader.quantity("max_tags", Unit::count, 1, 1024));
  spec.dma_channels = static_cast<int>(reader.quantity("dma_channels", Unit::count, 1, 64));
  spec.dma_outstanding_bytes = reader.quantity("dma_outstanding", Unit::bytes, 128);
  spec.dma_bytes_per_s = reader.quantity("dma_bandwidth", Unit::bandwidth, 1'000'000);
  spec.dma_start_latency = reader.quantity("dma_start", Unit::time, 0);
  if (!is_power_of_two(spec.max_payload_bytes)) reader.problem("max_payload", "expected a power of two, found another size");
  if (!is_power_of_two(spec.max_width)) reader.problem("max_width", "expected 1, 2, 4, 8 or 16, found another width");
  reader.finish();
}

void read_scheduler(ConfigReader reader, TaskSchedulerSpec& spec) {
  spec.fetch_latency = reader.quantity("fetch", Unit::time, 0);
  spec.dispatch_latency = reader.quantity("dispatch", Unit::time, 0);
  spec.per_block_latency = reader.quantity("per_block", Unit::time, 0);
  spec.completion_latency = reader.quantity("completion", Unit::time, 0);
  spec.active_queues = static_cast<int>(reader.quantity("active_queues", Unit::count, 1, 4096));
  spec.queue_depth = static_cast<int>(reader.quantity("queue_depth", Unit::count, 2, 65536));
  spec.max_streams = static_cast<int>(reader.quantity("max_streams", Unit::count, 1, 65536));
  reader.finish();
}

void read_boot(ConfigReader reader, BootSpec& spec) {
  constexpr Picoseconds kMostState = 600 * kPicosecondsPerSecond;  // as long as drivers wait at all
  constexpr Picoseconds kMostFast = 10 * kPicosecondsPerSecond;
  spec.rom = reader.quantity("rom", Unit::time, 0, kMostState);
  spec.firmware_load = reader.quantity("firmware_load", Unit::time, 0, kMostState);
  spec.os = reader.quantity("os", Unit::time, 0, kMostState);
  spec.self_test = reader.quantity("self_test", Unit::time, 0, kMostState);
  spec.services = reader.quantity("services", Unit::time, 0, kMostState);
  spec.fast_total = reader.quantity("fast_total", Unit::time, 1, kMostFast);
  spec.heartbeat_period = reader.quantity("heartbeat_period", Unit::time, kPicosecondsPerMicrosecond);
  reader.finish();
}

}  // namespace

SocSpec read_soc(ConfigReader reader) {
  SocSpec soc;
  soc.name = reader.text("name");
  soc.product = reader.text("product");
  soc.architecture = reader.text("architecture");
  soc.numerics = static_cast<NumericsProfile>(reader.choice("numerics", {"onnx", "arch2002", "arch2201", "arch3510"}, 0));
  read_groups(reader.map("groups"), soc);
  read_cores(reader.map("cores"), soc);
  read_cross_flags(reader.map("cross_flags"), soc.cross_flags);
  read_memory(reader.map("memory"), soc.memory);
  read_endpoint(reader.map("endpoint"), soc.endpoint);
  read_scheduler(reader.map("scheduler"), soc.scheduler);
  read_boot(reader.map("boot"), soc.boot);
  reader.finish();
  return soc;
}

}  // namespace npulab
