// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/micro_kernels.h"

#include <algorithm>
#include <functional>

#include "model/base/errors.h"
#include "model/isa/isa_limits.h"
#include "model/isa/operand_fields.h"
#include "model/isa/program_builder.h"
#include "workloads/kernels/kernel_workload.h"

namespace npulab::kernels {
namespace {

using isa::DataType;
using isa::Pipe;
using isa::ProgramBuilder;
using isa::Space;

const std::vector<std::string> kTypes = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "fp16", "bf16", "fp32"};
constexpr std::int64_t kFractal = isa::limits::kFractalBytes, kRows = isa::limits::kFractalRows;

KernelOption count_option() { return {"count", "1000", "how many instructions"}; }
KernelOption order_option() { return {"order", "streamed", "back to back, or with a pipe barrier after each", {"streamed", "serial"}}; }

void require_room(const CoreSpec& core, Space space, std::int64_t bytes) {
  if (space == Space::gm) return;
  const std::int64_t capacity = core.buffers[static_cast<int>(space)].capacity;
  if (bytes <= capacity) return;
  throw UserError(std::string(name_of(space)) + ": expected at most " + std::to_string(capacity) + " bytes of this buffer, found " +
                  std::to_string(bytes) + " (" + std::to_string(bytes - capacity) + " too many)");
}

void require_range(const char* what, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return;
  throw UserError({{"", 0, 0, what, "expected 1 to " + std::to_string(most) + ", found " + std::to_string(value)}});
}

/// One block that repeats what `one` appends. A fused core does the work of both sides.
Workload repeated(const SocSpec& soc, const std::string& name, const KernelOptions& options, bool vector_side, Pipe pipe,
                  const std::function<void(ProgramBuilder&)>& one) {
  Workload workload;
  workload.name = name;
  workload.target_soc = soc.name;
  add_array(workload, "data", DataType::int8, {isa::limits::kCopyRowBytes});
  const bool serial = options.choice("order") == "serial";
  isa::KernelBuilder kernel(name, "MicroBenchmark");
  const int program = kernel.program("repeat", [&](ProgramBuilder& p) {
    p.loop(options.integer("count"), [&](isa::Variable) {
      one(p);
      if (serial) p.barrier(pipe);
    });
  });
  isa::BlockBinding binding;
  (vector_side && soc.groups[0].fused_cores == 0 ? binding.vector[0] : binding.cube) = program;
  kernel.block(binding);
  set_task(workload, kernel.build());
  return workload;
}

/// Where a path leads, and which side of a group owns it.
struct Path {
  const char* name;
  Space from, to;
  bool vector_side;
};
constexpr Path kPaths[] = {
    {"gm_l1", Space::gm, Space::l1, false},   {"gm_l1_nd2nz", Space::gm, Space::l1, false}, {"gm_ub", Space::gm, Space::ub, true},
    {"ub_gm", Space::ub, Space::gm, true},    {"ub_ub", Space::ub, Space::ub, true},        {"l1_l0a", Space::l1, Space::l0a, false},
    {"l1_l0b", Space::l1, Space::l0b, false}, {"l1_bt", Space::l1, Space::bt, false},       {"l1_fb", Space::l1, Space::fb, false},
    {"l0c_gm", Space::l0c, Space::gm, false}, {"l0c_gm_nd", Space::l0c, Space::gm, false},
};

std::vector<std::string> path_names() {
  std::vector<std::string> names;
  for (const Path& path : kPaths) names.push_back(path.name);
  return names;
}

const Path& path_of(const std::string& name) {
  return *std::find_if(std::begin(kPaths), std::end(kPaths), [&](const Path& path) { return name == path.name; });
}

isa::FixpipeOperands tile_out(std::int64_t bytes, bool row_major) {
  isa::FixpipeOperands o{};
  o.dst = Space::gm;
  o.quant = isa::QuantMode::f16;
  o.nz2nd = row_major;
  o.src_type = DataType::fp32;
  o.m = kRows;
  o.n = static_cast<std::uint16_t>(bytes / isa::limits::kResultBytes / kRows);
  o.src_rows = kRows;
  o.dst_pitch = row_major ? o.n * 2 : kFractal;
  return o;
}

isa::Nd2NzOperands rows_in(std::int64_t bytes) {
  isa::Nd2NzOperands o{};
  o.type = DataType::fp16;
  o.rows = kRows;
  o.columns = static_cast<std::uint32_t>(bytes / kRows / 2);
  o.src_pitch = bytes / kRows;
  o.dst_rows = kRows;
  return o;
}

/// Moves are cut at whole units of their path.
std::int64_t unit_of(const std::string& path) {
  if (path == "l1_l0a" || path == "l1_l0b" || path == "gm_l1_nd2nz") return kFractal;
  return path == "l0c_gm" || path == "l0c_gm_nd" ? kRows * kRows * isa::limits::kResultBytes : isa::limits::kBlockBytes;
}

Workload micro_move(const SocSpec& soc, const KernelOptions& options) {
  const std::string& name = options.choice("path");
  const Path& path = path_of(name);
  const std::int64_t bytes = options.integer("bytes"), unit = unit_of(name);
  if (bytes < unit || bytes % unit != 0)
    throw UserError({{"", 0, 0, "bytes", "expected a multiple of " + std::to_string(unit) + " bytes on this path, found " + std::to_string(bytes)}});
  const CoreSpec& core = path.vector_side ? soc.vector_core() : soc.cube_core();
  require_room(core, path.from, bytes);
  require_room(core, path.to, bytes);
  require_range("bytes", bytes, isa::limits::kCopyRowBytes);
  isa::Operands probe;
  probe.opcode = isa::Opcode::copy;
  probe.block.copy = {path.from, path.to, 1, static_cast<std::uint32_t>(bytes), bytes, bytes};
  const bool load = path.to == Space::l0a || path.to == Space::l0b, out = path.from == Space::l0c;
  const Pipe pipe = load ? Pipe::mte1 : out ? Pipe::fix : pipe_of(probe);
  if (load) require_range("bytes", bytes / kFractal, isa::limits::kLoadRepeats);
  return repeated(soc, "micro_move_" + name, options, path.vector_side, pipe, [&](ProgramBuilder& p) {
    if (load) p.load_2d({path.to, DataType::fp16, false, static_cast<std::uint16_t>(bytes / kFractal), 1, 1}, 0, 0);
    else if (out) p.fixpipe(tile_out(bytes, name == "l0c_gm_nd"), 0, 0);
    else if (name == "gm_l1_nd2nz") p.copy_nd2nz(rows_in(bytes), 0, 0);
    else p.copy(probe.block.copy, 0, 0);
  });
}

Workload micro_mmad(const SocSpec& soc, const KernelOptions& options) {
  const DataType type = options.choice("type") == "int8" ? DataType::int8 : DataType::fp16;
  const std::int64_t m = options.integer("m"), k = options.integer("k"), n = options.integer("n");
  for (const char* extent : {"m", "k", "n"}) require_range(extent, options.integer(extent), isa::limits::kMmadExtent);
  const std::int64_t deep = isa::limits::kBlockBytes / size_of(type);
  const std::int64_t m16 = round_up(m, kRows), n16 = round_up(n, kRows), k16 = round_up(k, deep);
  const CoreSpec& core = soc.cube_core();
  require_room(core, Space::l0a, m16 * k16 * size_of(type));
  require_room(core, Space::l0b, k16 * n16 * size_of(type));
  require_room(core, Space::l0c, m16 * n16 * isa::limits::kResultBytes);
  isa::MmadOperands o{};
  o.m = static_cast<std::uint16_t>(m);
  o.k = static_cast<std::uint16_t>(k);
  o.n = static_cast<std::uint16_t>(n);
  o.a = o.b = type;
  o.a_k_outer = core.cube.l0a_k_outer;
  return repeated(soc, "micro_mmad", options, false, Pipe::m, [&](ProgramBuilder& p) { p.mmad(o, 0, 0, 0); });
}

Workload micro_vector(const SocSpec& soc, const KernelOptions& options) {
  const auto index = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  const std::int64_t repeats = options.integer("repeats");
  require_range("repeats", repeats, isa::limits::kLoadRepeats);
  isa::VectorOperands o{};
  o.op = static_cast<isa::VectorOp>(index(isa::names_of(isa::FieldKind::vector_op), options.choice("op")));
  o.src_type = static_cast<DataType>(index(kTypes, options.choice("type")));
  o.dst_type = options.choice("result") == "same" ? o.src_type : static_cast<DataType>(index(kTypes, options.choice("result")));
  o.repeats = static_cast<std::uint8_t>(repeats);
  o.dst_block_stride = o.src1_block_stride = 1;
  o.dst_repeat_stride = o.src1_repeat_stride = isa::limits::kRepeatBlocks;
  o.src0_block_stride = static_cast<std::uint8_t>(options.integer("src0_block_stride"));
  o.src0_repeat_stride = static_cast<std::uint16_t>(options.integer("src0_repeat_stride"));
  o.mask[0] = o.mask[1] = ~0ull;
  for (const char* stride : {"src0_block_stride", "src0_repeat_stride"}) {
    if (options.integer(stride) > isa::limits::kRepeatBlocks) throw UserError({{"", 0, 0, stride, "expected 0 to 8, found " + std::to_string(options.integer(stride))}});
  }
  for (const char* place : {"dst", "src0", "src1"})
    require_room(soc.vector_core(), Space::ub, options.integer(place) + repeats * isa::limits::kRepeatBytes);
  return repeated(soc, "micro_vector_" + options.choice("op"), options, true, Pipe::v, [&](ProgramBuilder& p) {
    p.vector(o, options.integer("dst"), options.integer("src0"), options.integer("src1"));
  });
}

}  // namespace

KernelGenerator micro_move_generator() {
  return {"micro_move",
          "one move over and over on one core",
          {{"path", "gm_ub", "from where to where; nd and nd2nz change the layout on the way", path_names()},
           {"bytes", "32 KiB", "of each move, counted at the source", {}, Unit::bytes},
           count_option(),
           order_option()},
          micro_move};
}

KernelGenerator micro_mmad_generator() {
  return {"micro_mmad",
          "one matrix product of L0 over and over on one core",
          {{"m", "128", "rows"}, {"k", "64", "depth"}, {"n", "256", "columns"}, {"type", "fp16", "of both operands", {"fp16", "int8"}}, count_option(), order_option()},
          micro_mmad};
}

KernelGenerator micro_vector_generator() {
  std::vector<std::string> results = kTypes;
  results.insert(results.begin(), "same");
  return {"micro_vector",
          "one vector instruction over and over on one core",
          {{"op", "add", "what it does", isa::names_of(isa::FieldKind::vector_op)},
           {"type", "fp16", "of the sources", kTypes},
           {"result", "same", "type of the result", results},
           {"repeats", "64", "of 256 bytes"},
           {"src0", "0", "address in UB", {}, Unit::bytes},
           {"src1", "64 KiB", "address in UB", {}, Unit::bytes},
           {"dst", "128 KiB", "address in UB", {}, Unit::bytes},
           {"src0_block_stride", "1", "between the blocks of a repeat, in blocks; 0 to 8"},
           {"src0_repeat_stride", "8", "between repeats, in blocks; 0 to 8"},
           count_option(),
           order_option()},
          micro_vector};
}

}  // namespace npulab::kernels
