// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/tile_stream.h"

#include "model/isa/program_builder.h"

namespace npulab::kernels {
namespace {

using isa::Affine;
using isa::Pipe;
using isa::Space;
using isa::Variable;

constexpr std::int64_t kLoads = 8, kMultiplies = 8, kVectorOps = 10, kGmMoves = 3;
constexpr std::int64_t kA = 8 << 10, kB = 16 << 10, kC = 8 << 10;

void give(isa::ProgramBuilder& p, bool set) {
  for (int half = 0; half < 2; ++half) {
    for (const auto& [source, target] : {std::pair{Pipe::mte1, Pipe::mte2}, {Pipe::m, Pipe::mte1}, {Pipe::v, Pipe::m}, {Pipe::mte3, Pipe::v}}) {
      if (set) p.set_flag(source, target, half);
      else p.wait_flag(source, target, half);
    }
  }
}

isa::VectorOperands vector_add() {
  isa::VectorOperands o{};
  o.op = isa::VectorOp::add;
  o.dst_type = o.src_type = isa::DataType::fp16;
  o.repeats = 32;
  o.dst_block_stride = o.src0_block_stride = o.src1_block_stride = 1;
  o.dst_repeat_stride = o.src0_repeat_stride = o.src1_repeat_stride = 8;
  o.mask[0] = o.mask[1] = ~0ull;
  return o;
}

/// Hands buffer half `half` from `source` to `target`.
void pass(isa::ProgramBuilder& p, Pipe source, Pipe target, const Affine& half) {
  p.set_flag(source, target, half);
  p.wait_flag(source, target, half);
}

void tile(isa::ProgramBuilder& p, Variable base, Variable i) {
  const Affine half = isa::modulo(i, 2);
  const auto bytes = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  p.wait_flag(Pipe::mte1, Pipe::mte2, half);
  p.copy({Space::gm, Space::l1, 1, bytes(kA), kA, kA}, half * 65536, Affine(base) + i * (kA + kB));
  p.copy({Space::gm, Space::l1, 1, bytes(kB), kB, kB}, half * 65536 + Affine(kA), Affine(base) + i * (kA + kB) + Affine(kA));
  pass(p, Pipe::mte2, Pipe::mte1, half);
  p.wait_flag(Pipe::m, Pipe::mte1, half);
  for (int k = 0; k < kLoads / 2; ++k) {
    p.load_2d({Space::l0a, isa::DataType::int8, false, 4, 1, 1}, half * 32768 + Affine(k * 2048), half * 65536 + Affine(k * 2048));
    p.load_2d({Space::l0b, isa::DataType::int8, false, 8, 1, 1}, half * 32768 + Affine(k * 4096), half * 65536 + Affine(kA + k * 4096));
  }
  p.set_flag(Pipe::mte1, Pipe::mte2, half);
  pass(p, Pipe::mte1, Pipe::m, half);
  p.wait_flag(Pipe::v, Pipe::m, half);
  isa::MmadOperands mmad{64, 32, 128, isa::DataType::int8, isa::DataType::int8, false, true, false, 0};
  for (int k = 0; k < kMultiplies; ++k) p.mmad(mmad, half * 65536, half * 32768 + Affine(k % 4 * 2048), half * 32768 + Affine(k % 4 * 4096));
  p.set_flag(Pipe::m, Pipe::mte1, half);
  pass(p, Pipe::m, Pipe::v, half);
  p.wait_flag(Pipe::mte3, Pipe::v, half);
  isa::FixpipeOperands out{};
  out.dst = Space::ub;
  out.quant = isa::QuantMode::req8;
  out.output_signed = true;
  out.src_type = isa::DataType::int32;
  out.m = 64;
  out.n = 128;
  out.src_rows = 64;
  out.dst_pitch = 64 * 32;
  p.fixpipe(out, half * 65536, half * 65536);
  p.set_flag(Pipe::v, Pipe::m, half);
  for (int k = 1; k < kVectorOps; ++k) p.vector(vector_add(), half * 65536 + Affine(16384), half * 65536, half * 65536 + Affine(8192));
  pass(p, Pipe::v, Pipe::mte3, half);
  p.copy({Space::ub, Space::gm, 1, bytes(kC), kC, kC}, Affine(base) + i * kC + Affine(std::int64_t{1} << 28), half * 65536);
  p.set_flag(Pipe::mte3, Pipe::v, half);
}

}  // namespace

std::int64_t tile_stream_instructions(std::int64_t tiles) { return tiles * (kLoads + kMultiplies + kVectorOps + kGmMoves); }
std::int64_t tile_stream_gm_moves(std::int64_t tiles) { return tiles * kGmMoves; }

Kernel tile_stream(const SocSpec& soc, std::int64_t tiles) {
  isa::KernelBuilder kernel("tile_stream", "Benchmark");
  const Variable base = kernel.block_variable("base");
  const int program = kernel.program("stream", [&](isa::ProgramBuilder& p) {
    give(p, true);
    p.loop(tiles, [&](Variable i) { tile(p, base, i); });
    give(p, false);
  });
  for (int block = 0; block < soc.groups[0].count; ++block) {
    isa::BlockBinding binding;
    binding.cube = program;
    binding.values = {static_cast<std::int64_t>(block) * (std::int64_t{1} << 29)};
    kernel.block(binding);
  }
  return kernel.build();
}

}  // namespace npulab::kernels
