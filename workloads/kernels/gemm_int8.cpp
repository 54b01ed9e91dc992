// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gemm_int8.h"

#include <algorithm>
#include <random>

#include "model/base/errors.h"
#include "model/isa/isa_limits.h"
#include "model/isa/program_builder.h"
#include "model/numerics/requantise.h"
#include "workloads/kernels/gemm_tiling.h"
#include "workloads/kernels/kernel_workload.h"

namespace npulab::kernels {
namespace {

using isa::Affine;
using isa::Pipe;
using isa::Space;
using isa::Variable;

constexpr float kScale = 1.0f / 1024.0f;  // of int8 results

/// (used + i) % 2 for a loop counter i.
Affine alternating(std::int64_t used, Variable i) { return used % 2 == 0 ? isa::modulo(i, 2) : Affine(1) + isa::modulo(i, 2) * -1; }

/// How FixPipe turns sums of `type` into `result`; UserError when it cannot.
isa::QuantMode mode_of(isa::DataType type, isa::DataType result) {
  using isa::DataType;
  if (type == DataType::int8) {
    if (result == DataType::int32) return isa::QuantMode::none;
    if (result == DataType::int8) return isa::QuantMode::req8;
    if (result == DataType::fp16) return isa::QuantMode::deqf16;
    throw UserError("matmul: expected a result of int8, int32 or fp16 from int8 (FixPipe has no other), found another");
  }
  if (result == DataType::fp32) return isa::QuantMode::none;
  if (result == DataType::fp16) return isa::QuantMode::f16;
  if (result == DataType::bf16) return isa::QuantMode::bf16;
  throw UserError("matmul: expected a result of fp32, fp16 or bf16 from 16-bit floats, found another");
}

struct GemmAddresses {
  std::int64_t a = 0, b = 0, c = 0;
};

/// The instructions of one core. Every buffer half has a flag by which its consumer gives it back; all are given at the start and
/// taken back at the end, so that no step is special.
class GemmProgram {
 public:
  GemmProgram(const SocSpec& soc, const GemmShape& shape, isa::DataType result, const GemmTiling& tiling,
              const GemmAddresses& addresses, isa::ProgramBuilder& program)
      : core_(soc.cube_core()), shape_(shape), result_(result), t_(tiling), at_(addresses), p_(program) {}

  /// Tiles core, core + cores, ... of the order that keeps each wave's rows of A and B few.
  void tiles(std::int64_t core, std::int64_t cores) {
    hand_over_all(true);
    const std::int64_t rows = ceil_div(shape_.m, t_.m), columns = ceil_div(shape_.n, t_.n);
    for (std::int64_t index = core; index < rows * columns; index += cores) {
      const TilePlace place = tile_place(index, rows, columns, t_.window);
      one_tile(place.row * t_.m, place.column * t_.n);
    }
    hand_over_all(false);
  }

 private:
  /// Part of C at hand: first row and column, extents as they are and rounded up to fractals.
  struct Tile {
    std::int64_t row, column, m, n, m16, n16;
  };

  bool fixpipe() const { return core_.fixpipe.present; }
  Pipe out() const { return fixpipe() ? Pipe::fix : Pipe::v; }
  std::int64_t width() const { return isa::size_of(result_); }
  std::int64_t size() const { return isa::size_of(shape_.type); }
  std::int64_t block() const { return isa::limits::kBlockBytes / size(); }

  void flag(bool set, Pipe source, Pipe target, const Affine& event) {
    if (set) p_.set_flag(source, target, event);
    else p_.wait_flag(source, target, event);
  }

  void hand_over_all(bool set) {
    for (int half = 0; half < 2; ++half) {
      flag(set, Pipe::mte1, Pipe::mte2, half);
      flag(set, Pipe::m, Pipe::mte1, half);
    }
    for (int buffer = 0; buffer < t_.l0c_buffers; ++buffer) flag(set, out(), Pipe::m, buffer);
    if (!fixpipe()) flag(set, Pipe::mte3, Pipe::v, 0);
  }

  void one_tile(std::int64_t row, std::int64_t column) {
    Tile tile{row, column, std::min(t_.m, shape_.m - row), std::min(t_.n, shape_.n - column), 0, 0};
    tile.m16 = round_up(tile.m, isa::limits::kFractalRows);
    tile.n16 = round_up(tile.n, isa::limits::kFractalRows);
    l0c_ = tiles_done_++ % t_.l0c_buffers;
    p_.wait_flag(out(), Pipe::m, l0c_);
    const std::int64_t whole = shape_.k / t_.l1_k, rest = shape_.k % t_.l1_k;
    if (whole > 0) loads(tile, 0, 1, t_.l1_k, true);
    if (whole > 1) loads(tile, 1, whole - 1, t_.l1_k, false);
    if (rest > 0) loads(tile, whole, 1, rest, whole == 0);
    result(tile);
  }

  /// `count` loads of `columns` columns of K each, the first at column `first` * l1_k, and the steps on them.
  void loads(const Tile& tile, std::int64_t first, std::int64_t count, std::int64_t columns, bool begin) {
    const std::int64_t steps = ceil_div(columns, t_.k);
    p_.loop(count, [&](Variable i) {
      const Affine half = alternating(l1_used_, i);
      load(tile, Affine(first) + i, half, columns);
      const std::int64_t whole = columns / t_.k, rest = columns % t_.k;
      if (begin) step(tile, half, columns, 0, l0_used_ % 2, std::min(columns, t_.k), false);
      const std::int64_t done = begin ? 1 : 0;
      p_.loop(whole - done,
              [&](Variable j) { step(tile, half, columns, Affine(done) + j, alternating(l0_used_ + done, j), t_.k, true); });
      if (rest > 0 && whole + 1 > done) step(tile, half, columns, whole, (l0_used_ + whole) % 2, rest, true);
      p_.set_flag(Pipe::mte1, Pipe::mte2, half);
    });
    l1_used_ += count;
    // Loads that repeat have an even number of steps, so each begins with the same half of L0.
    if (count > 1 && steps % 2 != 0) throw InternalError("gemm: repeated loads need an even number of steps");
    l0_used_ += count * steps;
  }

  void load(const Tile& tile, const Affine& index, const Affine& half, std::int64_t columns) {
    p_.wait_flag(Pipe::mte1, Pipe::mte2, half);
    isa::Nd2NzOperands o{};
    o.type = shape_.type;
    o.rows = static_cast<std::uint32_t>(tile.m);
    o.columns = static_cast<std::uint32_t>(columns);
    o.src_pitch = shape_.k * size();
    o.dst_rows = static_cast<std::uint32_t>(tile.m16);
    p_.copy_nd2nz(o, half * t_.l1_half, Affine(at_.a + tile.row * shape_.k * size()) + index * (t_.l1_k * size()));
    o.rows = static_cast<std::uint32_t>(tile.n);
    o.dst_rows = static_cast<std::uint32_t>(tile.n16);
    p_.copy_nd2nz(o, half * t_.l1_half + Affine(t_.m * t_.l1_k * size()),
                  Affine(at_.b + tile.column * shape_.k * size()) + index * (t_.l1_k * size()));
    p_.set_flag(Pipe::mte2, Pipe::mte1, half);
    p_.wait_flag(Pipe::mte2, Pipe::mte1, half);
  }

  /// Step `index` of a load of `columns`: `k` columns through half `l0` of L0.
  void step(const Tile& tile, const Affine& l1, std::int64_t columns, const Affine& index, const Affine& l0, std::int64_t k,
            bool accumulate) {
    const std::int64_t k_whole = round_up(k, block());
    p_.wait_flag(Pipe::m, Pipe::mte1, l0);
    isa::Load3dOperands a{};
    a.dst = Space::l0a;
    a.type = shape_.type;
    a.k_outer = core_.cube.l0a_k_outer;
    a.in_h = static_cast<std::uint16_t>(tile.m16);
    a.in_w = a.kernel_h = a.kernel_w = a.stride_h = a.stride_w = a.dilation_h = a.dilation_w = 1;
    a.channels = static_cast<std::uint16_t>(round_up(columns, block()));
    a.m_extent = static_cast<std::uint32_t>(tile.m16);
    a.k_extent = static_cast<std::uint32_t>(k_whole);
    p_.load_3d(a, l0 * t_.l0_half, l1 * t_.l1_half, 0, index * t_.k);
    p_.load_2d({Space::l0b, shape_.type, false, static_cast<std::uint16_t>(k_whole / block() * (tile.n16 / 16)), 1, 1},
               l0 * t_.l0_half, l1 * t_.l1_half + Affine(t_.m * t_.l1_k * size()) + index * (t_.k * tile.n16 * size()));
    p_.set_flag(Pipe::mte1, Pipe::m, l0);
    p_.wait_flag(Pipe::mte1, Pipe::m, l0);
    isa::MmadOperands mmad{};
    mmad.m = static_cast<std::uint16_t>(tile.m16);
    mmad.k = static_cast<std::uint16_t>(k_whole);
    mmad.n = static_cast<std::uint16_t>(tile.n16);
    mmad.a = mmad.b = shape_.type;
    mmad.a_k_outer = core_.cube.l0a_k_outer;
    mmad.accumulate = accumulate;
    p_.mmad(mmad, l0c_ * t_.l0c_bytes, l0 * t_.l0_half, l0 * t_.l0_half);
    p_.set_flag(Pipe::m, Pipe::mte1, l0);
  }

  void result(const Tile& tile) {
    isa::FixpipeOperands o{};
    o.nz2nd = true;
    o.src_type = shape_.type == isa::DataType::int8 ? isa::DataType::int32 : isa::DataType::fp32;
    o.output_signed = true;
    o.quant = mode_of(shape_.type, result_);
    if (shape_.type == isa::DataType::int8 && o.quant != isa::QuantMode::none)
      o.quant_word = numerics::pack_quantisation_word(kScale, 0, true);
    o.m = static_cast<std::uint16_t>(tile.m);
    o.n = static_cast<std::uint16_t>(tile.n);
    o.src_rows = static_cast<std::uint32_t>(tile.m16);
    const std::int64_t gm = at_.c + (tile.row * shape_.n + tile.column) * width();
    p_.set_flag(Pipe::m, out(), l0c_);
    p_.wait_flag(Pipe::m, out(), l0c_);
    if (fixpipe()) {
      o.dst = Space::gm;
      o.dst_pitch = shape_.n * width();
      p_.fixpipe(o, gm, l0c_ * t_.l0c_bytes);
      p_.set_flag(Pipe::fix, Pipe::m, l0c_);
    } else {
      result_through_ub(o, tile, gm);
    }
  }

  void result_through_ub(isa::FixpipeOperands o, const Tile& tile, std::int64_t gm) {
    o.dst = Space::ub;
    o.dst_pitch = round_up(tile.n * width(), isa::limits::kBlockBytes);
    p_.wait_flag(Pipe::mte3, Pipe::v, 0);
    p_.fixpipe(o, 0, l0c_ * t_.l0c_bytes);
    p_.set_flag(Pipe::v, Pipe::m, l0c_);
    p_.set_flag(Pipe::v, Pipe::mte3, 0);
    p_.wait_flag(Pipe::v, Pipe::mte3, 0);
    p_.copy({Space::ub, Space::gm, static_cast<std::uint32_t>(tile.m), static_cast<std::uint32_t>(tile.n * width()), o.dst_pitch,
             shape_.n * width()},
            gm, 0);
    p_.set_flag(Pipe::mte3, Pipe::v, 0);
  }

  const CoreSpec& core_;
  const GemmShape& shape_;
  isa::DataType result_;
  const GemmTiling& t_;
  GemmAddresses at_;
  isa::ProgramBuilder& p_;
  std::int64_t l1_used_ = 0, l0_used_ = 0, tiles_done_ = 0, l0c_ = 0;
};

void fill_with_random(Workload& workload, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < 2; ++i) {
    WorkloadTensor& tensor = workload.tensors[i];
    tensor.role = WorkloadTensor::Role::constant;
    tensor.data.resize(tensor.bytes);
    for (std::uint8_t& byte : tensor.data) byte = static_cast<std::uint8_t>(random());
  }
}

Kernel gemm_kernel(const SocSpec& soc, const GemmShape& shape, isa::DataType result, const GemmAddresses& addresses,
                   const std::string& name) {
  const GemmTiling tiling = tile_gemm(soc, cube_groups(soc), shape, isa::size_of(result));
  isa::KernelBuilder kernel(name, "MatMul");
  const std::int64_t tiles = ceil_div(shape.m, tiling.m) * ceil_div(shape.n, tiling.n);
  const std::int64_t blocks = std::min<std::int64_t>(tiles, cube_groups(soc));
  for (std::int64_t block = 0; block < blocks; ++block) {
    isa::BlockBinding binding;
    binding.cube = kernel.program("core" + std::to_string(block), [&](isa::ProgramBuilder& program) {
      GemmProgram(soc, shape, result, tiling, addresses, program).tiles(block, blocks);
    });
    kernel.block(binding);
  }
  return kernel.build();
}

isa::DataType type_named(const std::string& name) {
  if (name == "fp16") return isa::DataType::fp16;
  if (name == "bf16") return isa::DataType::bf16;
  if (name == "fp32") return isa::DataType::fp32;
  return name == "int32" ? isa::DataType::int32 : isa::DataType::int8;
}

Workload product(const SocSpec& soc, const GemmShape& shape, isa::DataType result, std::uint32_t seed, const std::string& name) {
  for (std::int64_t extent : {shape.m, shape.n, shape.k}) {
    if (extent >= 1 && extent <= isa::limits::kNd2NzPitchElements) continue;
    throw UserError("gemm: expected M, N and K of 1 to " + std::to_string(isa::limits::kNd2NzPitchElements) + ", found " +
                    std::to_string(extent));
  }
  mode_of(shape.type, result);
  Workload workload;
  workload.name = name + "_" + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  workload.target_soc = soc.name;
  workload.operations = 2 * shape.m * shape.n * shape.k;
  GemmAddresses addresses;
  addresses.a = static_cast<std::int64_t>(add_array(workload, "a", shape.type, {shape.m, shape.k}));
  addresses.b = static_cast<std::int64_t>(add_array(workload, "b", shape.type, {shape.n, shape.k}));
  addresses.c = static_cast<std::int64_t>(add_array(workload, "c", result, {shape.m, shape.n}));
  if (seed > 0) fill_with_random(workload, seed);
  set_task(workload, gemm_kernel(soc, shape, result, addresses, name));
  return workload;
}

}  // namespace

Workload gemm_int8(const SocSpec& soc, const GemmShape& shape, GemmResult result, std::uint32_t seed) {
  return product(soc, shape, result == GemmResult::int8 ? isa::DataType::int8 : isa::DataType::int32, seed, "gemm_int8");
}

KernelGenerator gemm_int8_generator() {
  return {"gemm_int8",
          "INT8 matrix product of any size, its tiles chosen from the chip's buffers and rates",
          {{"m", "", "rows of A and C"},
           {"n", "", "columns of C"},
           {"k", "", "columns of A"},
           {"seed", "0", "above 0: A and B are random constants, else left empty (for timing)"},
           {"result", "int8", "elements of C", {"int8", "int32"}}},
          [](const SocSpec& soc, const KernelOptions& o) {
            return gemm_int8(soc, {o.integer("m"), o.integer("n"), o.integer("k")},
                             o.choice("result") == "int8" ? GemmResult::int8 : GemmResult::int32,
                             static_cast<std::uint32_t>(o.integer("seed")));
          }};
}

KernelGenerator library_matmul_generator() {
  return {"library_matmul",
          "matrix product of int8, fp16 or bf16 as a library runs it: B stored by output column, tiles and order chosen per chip",
          {{"m", "", "rows of A and C"},
           {"n", "", "columns of C"},
           {"k", "", "columns of A"},
           {"type", "int8", "elements of A and B", {"int8", "fp16", "bf16"}},
           {"result", "same", "elements of C", {"same", "int8", "int32", "fp16", "bf16", "fp32"}},
           {"transposed", "b", "how B is stored", {"b"}},
           {"batch", "1", "products", {"1"}},
           {"extra", "none", "what is added or scaled", {"none"}}},
          [](const SocSpec& soc, const KernelOptions& o) {
            const isa::DataType type = type_named(o.choice("type"));
            const std::string& result = o.choice("result");
            return product(soc, {o.integer("m"), o.integer("n"), o.integer("k"), type}, result == "same" ? type : type_named(result),
                           0, "library_matmul");
          }};
}

}  // namespace npulab::kernels
