// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gemm_int8.h"

#include <algorithm>
#include <random>

#include "model/base/errors.h"
#include "model/isa/program_builder.h"
#include "model/numerics/requantise.h"

namespace npulab::kernels {
namespace {

using isa::Affine;
using isa::Pipe;
using isa::Space;
using isa::Variable;

// Base tile for int8 after the vendor's matmul advice (128 x 256 results, 128 columns of K a step) and four steps an L1 load.
constexpr std::int64_t kM = 128, kN = 256, kK = 128, kStepsPerLoad = 4, kL1K = kK * kStepsPerLoad;

/// Flags between two pipes for the halves of a buffer. The consumer gives both halves free at the start and takes them back at the end.
class Gemm {
 public:
  Gemm(const SocSpec& soc, const GemmShape& shape, isa::ProgramBuilder& program, std::uint64_t a, std::uint64_t b, std::uint64_t c)
      : core_(soc.cube_core()), shape_(shape), p_(program), a_(a), b_(b), c_(c) {
    const auto half = [&](Space space) { return core_.buffers[static_cast<int>(space)].capacity / 2; };
    l1_half_ = half(Space::l1);
    l0_half_ = std::min(half(Space::l0a), half(Space::l0b));
  }

  void tiles(std::int64_t first, std::int64_t last) {
    give(true);
    const std::int64_t columns = shape_.n / kN;
    for (std::int64_t tile = first; tile < last; ++tile) one_tile(tile / columns, tile % columns);
    give(false);
  }

 private:
  bool fixpipe() const { return core_.fixpipe.present; }
  Pipe out() const { return fixpipe() ? Pipe::fix : Pipe::v; }

  void flag(bool set, Pipe source, Pipe target, const Affine& event) {
    if (set) p_.set_flag(source, target, event);
    else p_.wait_flag(source, target, event);
  }

  void give(bool set) {
    for (int half = 0; half < 2; ++half) {
      flag(set, Pipe::mte1, Pipe::mte2, half);
      flag(set, Pipe::m, Pipe::mte1, half);
    }
    flag(set, out(), Pipe::m, 0);
    if (!fixpipe()) flag(set, Pipe::mte3, Pipe::v, 0);
  }

  void one_tile(std::int64_t row, std::int64_t column) {
    p_.wait_flag(out(), Pipe::m, 0);
    const std::int64_t loads = shape_.k / kL1K;
    // The first step of the first load starts the sums; loads alternate between the halves of L1.
    load(row, column, 0, 0);
    steps(0, true);
    p_.set_flag(Pipe::mte1, Pipe::mte2, 0);
    p_.loop(loads - 1, [&](Variable i) {
      const Affine half = Affine(1) + isa::modulo(i, 2) * -1;
      load(row, column, Affine(i) + Affine(1), half);
      steps(half, false);
      p_.set_flag(Pipe::mte1, Pipe::mte2, half);
    });
    // With an odd number of loads the next tile begins with the half just used; the flags are per half, so that is safe.
    result(row, column);
  }

  void load(std::int64_t row, std::int64_t column, const Affine& index, const Affine& half) {
    p_.wait_flag(Pipe::mte1, Pipe::mte2, half);
    isa::Nd2NzOperands a{};
    a.type = isa::DataType::int8;
    a.rows = kM;
    a.columns = kL1K;
    a.src_pitch = shape_.k;
    a.dst_rows = kM;
    p_.copy_nd2nz(a, half * l1_half_, Affine(static_cast<std::int64_t>(a_) + row * kM * shape_.k) + index * kL1K);
    const std::uint32_t bytes = kL1K * kN;
    p_.copy({Space::gm, Space::l1, 1, bytes, bytes, bytes}, half * l1_half_ + Affine(kM * kL1K),
            Affine(static_cast<std::int64_t>(b_) + column * shape_.k * kN) + index * bytes);
    p_.set_flag(Pipe::mte2, Pipe::mte1, half);
    p_.wait_flag(Pipe::mte2, Pipe::mte1, half);
  }

  void steps(const Affine& half, bool first) {
    if (first) {
      step(half, 0, 0, false);
      p_.loop(kStepsPerLoad - 1, [&](Variable j) { step(half, Affine(j) + Affine(1), Affine(1) + isa::modulo(j, 2) * -1, true); });
    } else {
      p_.loop(kStepsPerLoad, [&](Variable j) { step(half, j, isa::modulo(j, 2), true); });
    }
  }

  void step(const Affine& l1, const Affine& index, const Affine& l0, bool accumulate) {
    p_.wait_flag(Pipe::m, Pipe::mte1, l0);
    isa::Load3dOperands a{};
    a.dst = Space::l0a;
    a.type = isa::DataType::int8;
    a.k_outer = core_.cube.l0a_k_outer;
    a.in_h = kM;
    a.in_w = 1;
    a.channels = kL1K;
    a.kernel_h = a.kernel_w = a.stride_h = a.stride_w = a.dilation_h = a.dilation_w = 1;
    a.m_extent = kM;
    a.k_extent = kK;
    p_.load_3d(a, l0 * l0_half_, l1 * l1_half_, 0, index * kK);
    p_.load_2d({Space::l0b, isa::DataType::int8, false, kK / 32 * (kN / 16), 1, 1}, l0 * l0_half_,
               l1 * l1_half_ + Affine(kM * kL1K) + index * (kK * kN));
    p_.set_flag(Pipe::mte1, Pipe::m, l0);
    p_.wait_flag(Pipe::mte1, Pipe::m, l0);
    isa::MmadOperands mmad{};
    mmad.m = kM;
    mmad.k = kK;
    mmad.n = kN;
    mmad.a = mmad.b = isa::DataType::int8;
    mmad.a_k_outer = core_.cube.l0a_k_outer;
    mmad.accumulate = accumulate;
    p_.mmad(mmad, 0, l0 * l0_half_, l0 * l0_half_);
    p_.set_flag(Pipe::m, Pipe::mte1, l0);
  }

  void result(std::int64_t row, std::int64_t column) {
    isa::FixpipeOperands o{};
    o.quant = isa::QuantMode::req8;
    o.output_signed = true;
    o.src_type = isa::DataType::int32;
    o.m = kM;
    o.n = kN;
    o.src_rows = kM;
    o.quant_word = numerics::pack_quantisation_word(1.0f / 1024.0f, 0, true);
    const std::int64_t gm = static_cast<std::int64_t>(c_) + row * kM * shape_.n + column * kN;
    p_.set_flag(Pipe::m, out(), 0);
    p_.wait_flag(Pipe::m, out(), 0);
    o.nz2nd = true;
    if (fixpipe()) {
      o.dst = Space::gm;
      o.dst_pitch = shape_.n;
      p_.fixpipe(o, gm, 0);
      p_.set_flag(Pipe::fix, Pipe::m, 0);
      return;
    }
    o.dst = Space::ub;
    o.dst_pitch = kN;
    p_.wait_flag(Pipe::mte3, Pipe::v, 0);
    p_.fixpipe(o, 0, 0);
    p_.set_flag(Pipe::v, Pipe::m, 0);
    p_.set_flag(Pipe::v, Pipe::mte3, 0);
    p_.wait_flag(Pipe::v, Pipe::mte3, 0);
    p_.copy({Space::ub, Space::gm, kM, kN, kN, shape_.n}, gm, 0);
    p_.set_flag(Pipe::mte3, Pipe::v, 0);
  }

  const CoreSpec& core_;
  const GemmShape& shape_;
  isa::ProgramBuilder& p_;
  std::uint64_t a_, b_, c_;
  std::int64_t l1_half_ = 0, l0_half_ = 0;
};

int cube_groups(const SocSpec& soc) {
  int count = 0;
  for (const CoreGroupSpec& group : soc.groups) {
    if (group.fused_cores + group.cube_cores > 0) count += group.count;
  }
  return count;
}

std::uint64_t add_tensor(Workload& workload, const std::string& name, WorkloadTensor::Role role, const std::vector<std::int64_t>& shape, std::int64_t bytes) {
  WorkloadTensor tensor;
  tensor.name = name;
  tensor.role = role;
  tensor.shape = shape;
  tensor.layout = "ND";
  tensor.offset = workload.arena_bytes;
  tensor.bytes = static_cast<std::uint64_t>(bytes);
  workload.arena_bytes += static_cast<std::uint64_t>(round_up(bytes, 512));
  workload.tensors.push_back(tensor);
  return tensor.offset;
}

void add_task(Workload& workload, Kernel kernel) {
  WorkloadTask task;
  task.name = kernel.name;
  task.kernel = 0;
  workload.kernels.push_back(std::make_shared<const Kernel>(std::move(kernel)));
  workload.streams.push_back({"stream0", {task}});
}

}  // namespace

Workload gemm_int8(const SocSpec& soc, const GemmShape& shape, std::uint32_t seed) {
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.m % kM != 0 || shape.n % kN != 0 || shape.k % kL1K != 0) {
    throw UserError("gemm: expected M, N and K in multiples of 128, 256 and 512, found " + std::to_string(shape.m) + ", " + std::to_string(shape.n) + ", " + std::to_string(shape.k));
  }
  Workload workload;
  workload.name = "gemm_int8_" + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  workload.target_soc = soc.name;
  workload.operations = 2 * shape.m * shape.n * shape.k;
  const auto role = seed > 0 ? WorkloadTensor::Role::constant : WorkloadTensor::Role::intermediate;
  const std::uint64_t a = add_tensor(workload, "a", role, {shape.m, shape.k}, shape.m * shape.k);
  const std::uint64_t b = add_tensor(workload, "b", role, {shape.k, shape.n}, shape.k * shape.n);
  const std::uint64_t c = add_tensor(workload, "c", WorkloadTensor::Role::intermediate, {shape.m, shape.n}, shape.m * shape.n);
  if (seed > 0) {
    std::mt19937 random(seed);
    for (int i = 0; i < 2; ++i) {
      workload.tensors[static_cast<std::size_t>(i)].data.resize(workload.tensors[static_cast<std::size_t>(i)].bytes);
      for (std::uint8_t& byte : workload.tensors[static_cast<std::size_t>(i)].data) byte = static_cast<std::uint8_t>(random());
    }
  }
  isa::KernelBuilder kernel("gemm_int8", "MatMul");
  const std::int64_t tiles = shape.m / kM * (shape.n / kN);
  const std::int64_t blocks = std::min<std::int64_t>(tiles, cube_groups(soc));
  for (std::int64_t block = 0; block < blocks; ++block) {
    isa::BlockBinding binding;
    binding.cube = kernel.program("core" + std::to_string(block), [&](isa::ProgramBuilder& program) {
      Gemm(soc, shape, program, a, b, c).tiles(tiles * block / blocks, tiles * (block + 1) / blocks);
    });
    kernel.block(binding);
  }
  add_task(workload, kernel.build());
  return workload;
}

Workload gm_stream(const SocSpec& soc, std::int64_t bytes_per_core) {
  constexpr std::int64_t kPiece = 128 << 10;
  const int cores = cube_groups(soc);
  const std::int64_t pieces = std::max<std::int64_t>(1, bytes_per_core / kPiece);
  Workload workload;
  workload.name = "gm_stream";
  workload.target_soc = soc.name;
  const std::uint64_t source = add_tensor(workload, "source", WorkloadTensor::Role::intermediate, {cores, pieces * kPiece}, cores * pieces * kPiece);
  isa::KernelBuilder kernel("gm_stream", "DataCopy");
  const Variable base = kernel.block_variable("base");
  const int program = kernel.program("stream", [&](isa::ProgramBuilder& p) {
    p.loop(pieces, [&](Variable i) {
      const std::uint32_t bytes = kPiece;
      p.copy({Space::gm, Space::l1, 1, bytes, bytes, bytes}, isa::modulo(i, 2) * kPiece, Affine(base) + i * kPiece);
    });
  });
  for (int core = 0; core < cores; ++core) {
    isa::BlockBinding binding;
    binding.cube = program;
    binding.values = {static_cast<std::int64_t>(source) + core * pieces * kPiece};
    kernel.block(binding);
  }
  add_task(workload, kernel.build());
  return workload;
}

}  // namespace npulab::kernels
