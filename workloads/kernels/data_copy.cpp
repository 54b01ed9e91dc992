// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/data_copy.h"

#include <algorithm>

#include "model/base/errors.h"
#include "model/isa/isa_limits.h"
#include "model/isa/program_builder.h"
#include "workloads/kernels/kernel_workload.h"

namespace npulab::kernels {
namespace {

constexpr std::int64_t kElement = 2;  // fp16

struct Shape {
  std::int64_t rows, columns, tile_rows, tile_columns, passes, slices;
  bool to_l1;
};

void require(bool holds, const char* option, const std::string& message) {
  if (!holds) throw UserError({{"", 0, 0, option, message}});
}

void copy_tile(isa::ProgramBuilder& p, const Shape& s, std::int64_t width, const isa::Affine& from) {
  const auto rows = static_cast<std::uint32_t>(s.tile_rows);
  if (!s.to_l1) {
    const std::int64_t bytes = width * kElement, pitch = round_up(bytes, isa::limits::kBlockBytes);
    p.copy({isa::Space::gm, isa::Space::ub, rows, static_cast<std::uint32_t>(bytes), s.columns * kElement, pitch}, 0, from);
    return;
  }
  isa::Nd2NzOperands o{};
  o.type = isa::DataType::fp16;
  o.rows = rows;
  o.columns = static_cast<std::uint32_t>(width);
  o.src_pitch = s.columns * kElement;
  o.dst_rows = static_cast<std::uint32_t>(round_up(s.tile_rows, isa::limits::kFractalRows));
  p.copy_nd2nz(o, 0, from);
}

/// One core's rows: slices of columns, each read `passes` times; tiles of rows outer, of columns inner.
void copy_rows(isa::ProgramBuilder& p, const Shape& s, std::int64_t rows, isa::Variable base) {
  const std::int64_t slice = s.columns / s.slices, whole = slice / s.tile_columns, rest = slice % s.tile_columns;
  const std::int64_t step = s.tile_columns * kElement;
  p.loop(s.slices, [&](isa::Variable part) {
    p.loop(s.passes, [&](isa::Variable) {
      p.loop(rows / s.tile_rows, [&](isa::Variable m) {
        const isa::Affine row = base + (part * (slice * kElement) + m * (s.tile_rows * s.columns * kElement));
        p.loop(whole, [&](isa::Variable n) { copy_tile(p, s, s.tile_columns, row + n * step); });
        if (rest > 0) copy_tile(p, s, rest, row + whole * step);
      });
    });
  });
}

Workload data_copy(const SocSpec& soc, const KernelOptions& options) {
  const Shape s = {options.integer("rows"), options.integer("columns"), options.integer("tile_rows"), options.integer("tile_columns"),
                   options.integer("passes"), options.integer("slices"), options.choice("to") == "l1"};
  const std::int64_t cores = options.integer("cores"), sides = s.to_l1 ? 1 : 2;
  require(cores >= sides && cores % sides == 0 && cores / sides <= cube_groups(soc), "cores", "expected whole groups of this chip, found " + std::to_string(cores));
  require(s.tile_rows >= 1 && s.rows % (cores * s.tile_rows) == 0, "tile_rows", "expected whole tiles for every core, found " + std::to_string(s.tile_rows));
  require(s.slices >= 1 && s.columns % s.slices == 0, "slices", "expected a divisor of columns, found " + std::to_string(s.slices));
  require(s.tile_columns >= 1 && s.passes >= 1, "tile_columns", "expected at least one column and one pass");
  const CoreSpec& core = s.to_l1 ? soc.cube_core() : soc.vector_core();
  const std::int64_t room = core.buffers[static_cast<int>(s.to_l1 ? isa::Space::l1 : isa::Space::ub)].capacity;
  const std::int64_t tile = round_up(s.tile_rows, s.to_l1 ? isa::limits::kFractalRows : 1) * round_up(s.tile_columns * kElement, isa::limits::kBlockBytes);
  require(tile <= room, "tile_columns", "expected tiles of at most " + std::to_string(room) + " bytes of this buffer, found " + std::to_string(tile) + " (" + std::to_string(tile - room) + " too many)");
  Workload workload;
  workload.name = "data_copy";
  workload.target_soc = soc.name;
  const auto source = static_cast<std::int64_t>(add_array(workload, "source", isa::DataType::fp16, {s.rows, s.columns}));
  isa::KernelBuilder kernel("data_copy", "DataCopy");
  const std::int64_t rows = s.rows / cores;
  int programs[2] = {-1, -1};
  for (std::int64_t side = 0; side < sides; ++side) {
    const isa::Variable base = kernel.block_variable("base" + std::to_string(side));
    programs[side] = kernel.program("copy" + std::to_string(side), [&](isa::ProgramBuilder& p) { copy_rows(p, s, rows, base); });
  }
  for (std::int64_t first = 0; first < cores; first += sides) {
    isa::BlockBinding binding;
    if (s.to_l1) binding.cube = programs[0];
    else std::copy(programs, programs + 2, binding.vector);
    for (std::int64_t side = 0; side < sides; ++side) binding.values.push_back(source + (first + side) * rows * s.columns * kElement);
    kernel.block(binding);
  }
  set_task(workload, kernel.build());
  return workload;
}

}  // namespace

KernelGenerator data_copy_generator() {
  return {"data_copy",
          "fp16 tiles from GM to one address of UB or L1, without flags; every core reads its own rows",
          {{"rows", "12288", "of the matrix"}, {"columns", "12288", "of the matrix"}, {"tile_rows", "64", "of one copy"}, {"tile_columns", "1024", "of one copy"},
           {"to", "ub", "plain copies to UB, or ND to NZ to L1", {"ub", "l1"}}, {"cores", "48", "that share the rows"},
           {"share", "own", "whose rows a core reads", {"own"}}, {"passes", "1", "times each slice is read"},
           {"slices", "1", "of columns, one after another"}, {"in_l2", "yes", "whether loads allocate in L2", {"yes"}}},
          data_copy};
}

}  // namespace npulab::kernels
