// SPDX-License-Identifier: Apache-2.0
// The generated matrix product against plain sums, for sizes that fit the tiles and sizes that do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "model/base/errors.h"
#include "model/isa/instruction_source.h"
#include "model/isa/program_checker.h"
#include "tests/golden/operators/functional_run.h"
#include "tests/unit/workloads/lowered_model.h"
#include "workloads/kernels/gemm_int8.h"
#include "workloads/kernels/gemm_tiling.h"
#include "workloads/kernels/gm_stream.h"
#include "workloads/kernels/kernel_registry.h"

namespace npulab::test {
namespace {

using kernels::GemmResult;
using kernels::GemmShape;

const GemmShape kShapes[] = {{1, 1, 1},     {16, 32, 32},    {128, 256, 512}, {130, 250, 1000},
                             {17, 600, 33}, {300, 40, 1300}, {256, 512, 1664}, {1, 1025, 1040}};
constexpr const char* kChips[] = {"310p3", "910b1", "950pr", "910a", "310x4", "small_910b1", "small_310p3"};

void expect_sound(const Workload& workload, const SocSpec& soc) {
  for (const Diagnostic& problem : isa::ProgramChecker(soc).check(*workload.kernels.front())) ADD_FAILURE() << to_string(problem);
}

class Gemm : public testing::TestWithParam<std::tuple<GemmShape, const char*, GemmResult>> {};

TEST_P(Gemm, gives_the_sums) {
  const auto& [shape, chip, result] = GetParam();
  const SocSpec soc = test_chip(chip);
  const Workload workload = kernels::gemm_int8(soc, shape, result, 5);
  expect_sound(workload, soc);
  FunctionalRun run(workload, soc);
  run.run(4);
  const std::vector<std::uint8_t>&a = workload.tensors[0].data, &b = workload.tensors[1].data;
  const std::vector<std::uint8_t> c = run.bytes_of(workload.tensors[2]);
  for (std::int64_t i = 0; i < shape.m * shape.n; ++i) {
    std::int32_t sum = 0, found = 0;
    for (std::int64_t k = 0; k < shape.k; ++k) {
      sum += static_cast<std::int8_t>(a[static_cast<std::size_t>(i / shape.n * shape.k + k)]) *
             static_cast<std::int8_t>(b[static_cast<std::size_t>(i % shape.n * shape.k + k)]);
    }
    if (result == GemmResult::int8) {
      sum = static_cast<std::int32_t>(std::nearbyint(std::min(std::max(static_cast<float>(sum) / 1024.0f, -128.0f), 127.0f)));
      found = static_cast<std::int8_t>(c[static_cast<std::size_t>(i)]);
    } else {
      std::memcpy(&found, c.data() + i * 4, 4);
    }
    ASSERT_EQ(found, sum) << "row " << i / shape.n << " column " << i % shape.n;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Gemm,
                         testing::Combine(testing::ValuesIn(kShapes), testing::ValuesIn(kChips),
                                          testing::Values(GemmResult::int8, GemmResult::int32)),
                         [](const auto& info) {
                           const GemmShape& s = std::get<0>(info.param);
                           return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + "_on_" +
                                  std::get<1>(info.param) + (std::get<2>(info.param) == GemmResult::int8 ? "_int8" : "_int32");
                         });

/// fp16 bits of a whole number from -3 to 3.
std::uint16_t small_fp16(int value) {
  constexpr std::uint16_t kMagnitudes[] = {0, 0x3C00, 0x4000, 0x4200};
  return static_cast<std::uint16_t>(kMagnitudes[std::abs(value)] | (value < 0 ? 0x8000 : 0));
}

Workload fp16_product(const SocSpec& soc, const GemmShape& shape) {
  std::vector<kernels::OptionProblem> problems;
  const kernels::KernelGenerator& generator = *kernels::find_generator("library_matmul");
  const kernels::KernelOptions options = kernels::resolve_options(
      generator, {{"m", std::to_string(shape.m)}, {"n", std::to_string(shape.n)}, {"k", std::to_string(shape.k)}, {"type", "fp16"}, {"result", "fp32"}},
      problems);
  EXPECT_TRUE(problems.empty());
  return generator.make(soc, options);
}

/// Whole numbers: sums are exact in whatever order they are added.
TEST(LibraryMatmul, gives_the_sums_of_fp16_products) {
  for (const char* chip : {"910b1", "950pr", "small_910b1"}) {
    for (const GemmShape& shape : {GemmShape{1, 1025, 1040}, {33, 47, 65}, {130, 270, 600}}) {
      const SocSpec soc = test_chip(chip);
      Workload workload = fp16_product(soc, shape);
      expect_sound(workload, soc);
      const auto value = [](int tensor, std::int64_t i) { return static_cast<int>((i * (tensor + 5) + i / 11) % 7) - 3; };
      for (int tensor = 0; tensor < 2; ++tensor) {
        WorkloadTensor& t = workload.tensors[static_cast<std::size_t>(tensor)];
        t.role = WorkloadTensor::Role::constant;
        t.data.resize(t.bytes);
        for (std::size_t i = 0; i < t.bytes / 2; ++i) {
          const std::uint16_t bits = small_fp16(value(tensor, static_cast<std::int64_t>(i)));
          std::memcpy(t.data.data() + 2 * i, &bits, 2);
        }
      }
      FunctionalRun run(workload, soc);
      run.run(4);
      const std::vector<std::uint8_t> c = run.bytes_of(workload.tensors[2]);
      for (std::int64_t i = 0; i < shape.m * shape.n; ++i) {
        int sum = 0;
        for (std::int64_t k = 0; k < shape.k; ++k) sum += value(0, i / shape.n * shape.k + k) * value(1, i % shape.n * shape.k + k);
        float found = 0;
        std::memcpy(&found, c.data() + i * 4, 4);
        ASSERT_EQ(found, static_cast<float>(sum)) << chip << " " << shape.m << " row " << i / shape.n << " column " << i % shape.n;
      }
    }
  }
}

TEST(LibraryMatmul, tiles_of_any_shape_fit_the_buffers) {
  std::mt19937 random(7);
  for (int i = 0; i < 120; ++i) {
    const SocSpec soc = test_chip(kChips[i % std::size(kChips)]);
    const auto extent = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)) + 1; };
    const GemmShape shape{extent(2000), extent(2000), extent(6000), i % 2 == 0 ? isa::DataType::fp16 : isa::DataType::int8};
    const kernels::GemmTiling t = kernels::tile_gemm(soc, 8, shape, 4);
    const std::int64_t size = isa::size_of(shape.type);
    const auto capacity = [&](isa::Space space) { return soc.cube_core().buffers[static_cast<int>(space)].capacity; };
    EXPECT_LE(2 * t.m * t.k * size, capacity(isa::Space::l0a));
    EXPECT_LE(2 * t.n * t.k * size, capacity(isa::Space::l0b));
    EXPECT_LE(t.l0c_buffers * t.m * t.n * 4, capacity(isa::Space::l0c));
    EXPECT_LE(2 * (t.m + t.n) * std::min(t.l1_k, round_up(shape.k, 32 / size)) * size, capacity(isa::Space::l1));
  }
}

TEST(LibraryMatmul, order_takes_each_tile_once) {
  for (std::int64_t window = 1; window <= 7; ++window) {
    std::vector<int> taken(7 * 5, 0);
    for (std::int64_t i = 0; i < 35; ++i) {
      const kernels::TilePlace place = kernels::tile_place(i, 7, 5, window);
      ++taken.at(static_cast<std::size_t>(place.row * 5 + place.column));
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), 35);
  }
}

TEST(GemmGenerator, refuses_what_cannot_be_encoded) {
  const SocSpec soc = test_chip("910b1");
  EXPECT_THROW(kernels::gemm_int8(soc, {0, 16, 16}), UserError);
  EXPECT_THROW(kernels::gemm_int8(soc, {16, 16, 65536}), UserError);
  EXPECT_NO_THROW(kernels::gemm_int8(soc, {16, 16, 65535}));
}

TEST(GemmGenerator, stays_small_however_deep_the_product) {
  const SocSpec soc = test_chip("910b1");
  const auto ops = [&](std::int64_t k) {
    std::size_t count = 0;
    for (const isa::Program& program : kernels::gemm_int8(soc, {4096, 4096, k}).kernels.front()->programs)
      count += program.ops.size();
    return count;
  };
  EXPECT_EQ(ops(4096), ops(8192));
}

TEST(GmStream, reads_every_byte_once_and_is_sound_on_every_chip) {
  for (const char* chip : kChips) {
    const SocSpec soc = test_chip(chip);
    const Workload workload = kernels::gm_stream(soc, 3 << 20);
    expect_sound(workload, soc);
    const Kernel& kernel = *workload.kernels.front();
    std::vector<int> reads(workload.arena_bytes / 512, 0);
    for (const isa::BlockBinding& block : kernel.blocks) {
      isa::InstructionSource source(kernel, block.cube, block);
      for (isa::Instruction head; source.next(head);) {
        const std::uint64_t bytes = kernel.operands[head.operands].block.copy.row_bytes;
        ASSERT_EQ(head.src0 % 512 + bytes % 512, 0u);
        for (std::uint64_t at = head.src0; at < head.src0 + bytes; at += 512) ++reads.at(at / 512);
      }
    }
    EXPECT_EQ(std::count(reads.begin(), reads.end(), 1), static_cast<std::ptrdiff_t>(reads.size())) << chip;
  }
}

}  // namespace
}  // namespace npulab::test
