// SPDX-License-Identifier: Apache-2.0
// Matrix products (QGemm, QLinearMatMul) in every storage order against plain sums.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/workloads/lowered_model.h"
#include "tests/unit/workloads/model_builder.h"

namespace npulab::test {
namespace {

using graph::ElementType;

struct ProductCase {
  const char* name;
  std::int64_t batches, m, k, n;
  bool gemm, a_transposed, b_transposed, per_column, bias;
  ElementType a_type, b_type;
};

constexpr ElementType kS = ElementType::int8, kU = ElementType::uint8;

const ProductCase kCases[] = {
    {"row_times_weights", 1, 1, 640, 128, true, false, true, false, true, kS, kS},
    {"plain", 1, 20, 33, 50, true, false, false, true, true, kS, kS},
    {"a_transposed", 1, 20, 33, 50, true, true, false, false, true, kS, kS},
    {"both_transposed", 1, 17, 70, 3, true, true, true, true, false, kU, kS},
    {"unsigned_weights", 1, 5, 40, 40, true, false, true, false, true, kU, kU},
    {"matmul", 1, 100, 64, 96, false, false, false, false, false, kS, kS},
    {"batched", 3, 19, 35, 21, false, false, false, false, false, kU, kS},
    {"deep", 1, 2, 3000, 40, true, false, true, false, true, kS, kS},
};

class Products : public testing::TestWithParam<std::tuple<ProductCase, const char*>> {};

int value_of(const graph::Tensor& t, std::int64_t i) {
  const std::uint8_t byte = t.data[static_cast<std::size_t>(i)];
  return t.type == kU ? byte : static_cast<std::int8_t>(byte);
}

constexpr float kAScale = 0.02f, kYScale = 0.9f;
constexpr std::int64_t kAZero = 9, kYZero = -4;
std::int64_t b_zero(const ProductCase& c) { return c.b_type == kU ? 77 : 0; }

struct ProductModel {
  graph::Tensor a, b;
  std::vector<std::int64_t> bias;
  std::vector<float> scales;
  std::string file;
};

ProductModel make_model(const ProductCase& c) {
  std::mt19937 random(3);
  ProductModel m;
  const graph::Shape a_shape = c.batches > 1    ? graph::Shape{c.batches, c.m, c.k}
                               : c.a_transposed ? graph::Shape{c.k, c.m}
                                                : graph::Shape{c.m, c.k};
  const graph::Shape b_shape = c.batches > 1    ? graph::Shape{c.batches, c.k, c.n}
                               : c.b_transposed ? graph::Shape{c.n, c.k}
                                                : graph::Shape{c.k, c.n};
  m.a = random_tensor("a", c.a_type, a_shape, random);
  m.b = random_tensor("b", c.b_type, b_shape, random);
  for (std::int64_t i = 0; i < c.n; ++i) m.bias.push_back(static_cast<std::int64_t>(random() % 4000) - 2000);
  for (std::int64_t i = 0; i < (c.per_column ? c.n : 1); ++i) m.scales.push_back(0.01f + 0.001f * static_cast<float>(random() % 9));
  const graph::Shape scale_shape = c.per_column ? graph::Shape{c.n} : graph::Shape{};
  const std::vector<std::int64_t> zeros(m.scales.size(), b_zero(c));
  ModelBuilder builder;
  builder.input("a", c.a_type, a_shape);
  Strings inputs = {"a",
                    builder.scale("sa", kAScale),
                    builder.zero("za", c.a_type, kAZero),
                    builder.constant(m.b),
                    builder.constant(reals("sb", scale_shape, m.scales)),
                    builder.constant(integers("zb", c.b_type, scale_shape, zeros))};
  if (c.gemm) inputs.push_back(c.bias ? builder.constant(integers("c", ElementType::int32, {c.n}, m.bias)) : "");
  inputs.push_back(builder.scale("sy", kYScale));
  inputs.push_back(builder.zero("zy", kS, kYZero));
  onnx::NodeProto& node = builder.node(c.gemm ? "QGemm" : "QLinearMatMul", inputs, {"y"}, c.gemm ? "com.microsoft" : "");
  if (c.gemm) set(node, "transA", std::int64_t{c.a_transposed});
  if (c.gemm) set(node, "transB", std::int64_t{c.b_transposed});
  builder.output("y");
  m.file = builder.save(std::string(c.name) + ".onnx");
  return m;
}

std::vector<std::uint8_t> expected_output(const ProductCase& c, const ProductModel& m) {
  std::vector<std::uint8_t> expected;
  for (std::int64_t i = 0; i < c.batches * c.m * c.n; ++i) {
    const std::int64_t batch = i / (c.m * c.n), row = i / c.n % c.m, column = i % c.n;
    std::int64_t sum = c.bias && c.gemm ? m.bias[static_cast<std::size_t>(column)] : 0;
    for (std::int64_t k = 0; k < c.k; ++k) {
      const std::int64_t at_a = c.a_transposed ? k * c.m + row : (batch * c.m + row) * c.k + k;
      const std::int64_t at_b = c.b_transposed ? column * c.k + k : (batch * c.k + k) * c.n + column;
      sum += (value_of(m.a, at_a) - kAZero) * (value_of(m.b, at_b) - b_zero(c));
    }
    const float scaled = static_cast<float>(sum) *
                         (kAScale * m.scales[c.per_column ? static_cast<std::size_t>(column) : 0] / kYScale);
    expected.push_back(static_cast<std::uint8_t>(
        static_cast<int>(std::nearbyint(std::min(std::max(scaled, -128.0f - kYZero), 127.0f - kYZero))) + kYZero));
  }
  return expected;
}

TEST_P(Products, give_the_sums) {
  const auto& [c, chip] = GetParam();
  const ProductModel m = make_model(c);
  const std::vector<std::uint8_t> expected = expected_output(c, m);
  const LoweredModel model(m.file, test_chip(chip));
  EXPECT_EQ(model.network().workload.operations, 2 * c.batches * c.m * c.n * c.k);
  EXPECT_EQ(model.reference({m.a}), expected) << "reference";
  EXPECT_EQ(model.run({m.a}, 11), expected) << "kernels";
}

INSTANTIATE_TEST_SUITE_P(Operators, Products,
                         testing::Combine(testing::ValuesIn(kCases), testing::Values("310p3", "910b1", "950pr", "small_910b1")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_on_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace npulab::test
