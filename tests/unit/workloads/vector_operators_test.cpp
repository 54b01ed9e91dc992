// SPDX-License-Identifier: Apache-2.0
// Operators on the vector pipe against their formulas, written out here once more.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/golden/operators/model_folder.h"
#include "tests/unit/workloads/lowered_model.h"
#include "tests/unit/workloads/model_builder.h"

namespace npulab::test {
namespace {

using graph::ElementType;
using graph::Tensor;
using Outputs = std::vector<std::uint8_t>;

constexpr ElementType kS = ElementType::int8, kU = ElementType::uint8, kF = ElementType::fp32;

class VectorOperators : public testing::TestWithParam<const char*> {
 protected:
  void expect(const ModelBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, const Outputs& expected) {
    const LoweredModel model(builder.save(name + ".onnx"), test_chip(GetParam()));
    EXPECT_EQ(model.reference(inputs), expected) << name << " reference";
    EXPECT_EQ(model.run(inputs, 3), expected) << name << " kernels";
  }
  std::mt19937 random_{9};
};

int value_of(const Tensor& t, std::size_t i) { return t.type == kU ? t.data[i] : static_cast<std::int8_t>(t.data[i]); }

std::uint8_t saturated(double value, ElementType type) {
  const double low = type == kU ? 0 : -128, high = type == kU ? 255 : 127;
  return static_cast<std::uint8_t>(static_cast<int>(std::min(std::max(value, low), high)));
}

struct AddCase {
  graph::Shape a, b;
  bool constant_b;
  ElementType type;
};

TEST_P(VectorOperators, qlinear_add) {
  const AddCase cases[] = {{{1, 3, 5, 7}, {1, 3, 5, 7}, false, kS},
                           {{2, 40, 9, 9}, {2, 40, 9, 9}, false, kU},
                           {{1, 33, 4, 4}, {1, 33, 1, 1}, true, kS},
                           {{1, 33, 4, 4}, {}, true, kU},
                           {{5, 70}, {70}, true, kS},
                           {{1, 1, 300, 200}, {1, 1, 300, 200}, false, kS},
                           {{3, 1, 2}, {4, 1}, true, kS}};
  int number = 0;
  for (const AddCase& c : cases) {
    if (c.b == graph::Shape{4, 1}) continue;  // stretches the computed operand: refused, see below
    ModelBuilder builder;
    const Tensor a = random_tensor("a", c.type, c.a, random_), b = random_tensor("b", c.type, c.b, random_);
    const float sa = 0.05f, sb = 0.031f, sy = 0.07f;
    const int za = 3, zb = c.type == kU ? 120 : -20, zy = 11;
    builder.input("a", c.type, c.a);
    if (c.constant_b) builder.constant(b);
    else builder.input("b", c.type, c.b);
    builder.node("QLinearAdd",
                 {"a", builder.scale("sa", sa), builder.zero("za", c.type, za), "b", builder.scale("sb", sb),
                  builder.zero("zb", c.type, zb), builder.scale("sy", sy), builder.zero("zy", c.type, zy)},
                 {"y"}, "com.microsoft");
    builder.output("y");
    Outputs expected(a.data.size());
    const std::size_t inner = c.b.size() == 4 && c.b[2] == 1 ? 16 : 1;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float left = static_cast<float>(value_of(a, i) - za) * sa,
                  right = static_cast<float>(value_of(b, i / inner % b.data.size()) - zb) * sb;
      expected[i] = saturated(std::nearbyint((left + right) / sy) + zy, c.type);
    }
    std::vector<Tensor> inputs = {a};
    if (!c.constant_b) inputs.push_back(b);
    expect(builder, "add" + std::to_string(number++), inputs, expected);
  }
}

struct PoolCase {
  graph::Shape x;
  Integers kernel, strides, pads, dilations;
  ElementType type;
};

TEST_P(VectorOperators, max_pool) {
  const PoolCase cases[] = {{{1, 3, 8, 8}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}, kS},
                            {{2, 40, 7, 9}, {3, 3}, {2, 1}, {1, 1, 1, 1}, {1, 1}, kU},
                            {{1, 32, 12, 6}, {3, 2}, {1, 2}, {2, 0, 1, 1}, {3, 2}, kS},
                            {{1, 1, 3, 280}, {1, 2}, {1, 1}, {0, 1, 0, 0}, {1, 1}, kS},
                            {{1, 2, 1, 5}, {2, 1}, {1, 1}, {1, 0, 2, 0}, {3, 1}, kS}};
  int number = 0;
  for (const PoolCase& c : cases) {
    ModelBuilder builder;
    const Tensor x = random_tensor("x", c.type, c.x, random_);
    builder.input("x", c.type, c.x);
    onnx::NodeProto& node = builder.node("MaxPool", {"x"}, {"y"});
    set(node, "kernel_shape", c.kernel);
    set(node, "strides", c.strides);
    set(node, "pads", c.pads);
    set(node, "dilations", c.dilations);
    builder.output("y");
    const std::int64_t oh = (c.x[2] + c.pads[0] + c.pads[2] - (c.kernel[0] - 1) * c.dilations[0] - 1) / c.strides[0] + 1;
    const std::int64_t ow = (c.x[3] + c.pads[1] + c.pads[3] - (c.kernel[1] - 1) * c.dilations[1] - 1) / c.strides[1] + 1;
    Outputs expected;
    for (std::int64_t i = 0; i < c.x[0] * c.x[1] * oh * ow; ++i) {
      int most = c.type == kU ? 0 : -128;
      for (std::int64_t k = 0; k < c.kernel[0] * c.kernel[1]; ++k) {
        const std::int64_t h = i / ow % oh * c.strides[0] - c.pads[0] + k / c.kernel[1] * c.dilations[0],
                           w = i % ow * c.strides[1] - c.pads[1] + k % c.kernel[1] * c.dilations[1];
        if (h >= 0 && h < c.x[2] && w >= 0 && w < c.x[3])
          most = std::max(most, value_of(x, static_cast<std::size_t>((i / (oh * ow) * c.x[2] + h) * c.x[3] + w)));
      }
      expected.push_back(static_cast<std::uint8_t>(most));
    }
    expect(builder, "pool" + std::to_string(number++), {x}, expected);
  }
}

TEST_P(VectorOperators, qlinear_global_average_pool) {
  for (const auto& [shape, type] :
       {std::pair{graph::Shape{2, 35, 7, 9}, kS}, {graph::Shape{1, 3, 30, 31}, kU}, {graph::Shape{1, 64, 1, 1}, kS}}) {
    ModelBuilder builder;
    const Tensor x = random_tensor("x", type, shape, random_);
    const float sx = 0.021f, sy = 0.013f;
    const int zx = 5, zy = type == kU ? 100 : -30;
    builder.input("x", type, shape);
    builder.node(
        "QLinearGlobalAveragePool",
        {"x", builder.scale("sx", sx), builder.zero("zx", type, zx), builder.scale("sy", sy), builder.zero("zy", type, zy)}, {"y"},
        "com.microsoft");
    builder.output("y");
    const auto n = static_cast<std::size_t>(shape[2] * shape[3]);
    Outputs expected;
    for (std::size_t c = 0; c < x.data.size() / n; ++c) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += value_of(x, c * n + i) - zx;
      expected.push_back(saturated(std::nearbyint(static_cast<float>(sum) * (sx / (sy * static_cast<float>(n)))) + zy, type));
    }
    expect(builder, "average" + std::to_string(n), {x}, expected);
  }
}

Outputs transposed(const Tensor& x, std::int64_t images, std::int64_t rows, std::int64_t columns) {
  Outputs y(x.data.size());
  for (std::int64_t i = 0; i < images * rows * columns; ++i) {
    const std::int64_t image = i / (rows * columns), r = i / columns % rows, c = i % columns;
    y[static_cast<std::size_t>((image * columns + c) * rows + r)] = x.data[static_cast<std::size_t>(i)];
  }
  return y;
}

TEST_P(VectorOperators, transpose_between_channels_first_and_last) {
  for (const graph::Shape& shape : {graph::Shape{1, 3, 20, 30}, {2, 40, 5, 7}, {1, 64, 1, 33}}) {
    const Tensor x = random_tensor("x", kS, shape, random_);
    for (const bool to_last : {true, false}) {
      ModelBuilder builder;
      builder.input("x", kS, shape);
      set(builder.node("Transpose", {"x"}, {"y"}), "perm", to_last ? Integers{0, 2, 3, 1} : Integers{0, 3, 1, 2});
      builder.output("y");
      const Outputs expected = to_last ? transposed(x, shape[0], shape[1], shape[2] * shape[3])
                                       : transposed(x, shape[0], shape[1] * shape[2], shape[3]);
      expect(builder, "transpose" + std::to_string(shape[3]) + (to_last ? "l" : "f"), {x}, expected);
    }
  }
}

TEST_P(VectorOperators, quantise_and_dequantise_along_every_axis) {
  const graph::Shape shape = {3, 5, 70};
  for (const std::int64_t axis : {0, 1, 2, -1, 99}) {
    const bool whole = axis == 99;
    const std::size_t place = axis < 0 ? 2 : whole ? 0 : static_cast<std::size_t>(axis);
    const std::int64_t count = whole ? 1 : shape[place], inner = place == 0 ? 350 : place == 1 ? 70 : 1;
    std::vector<float> scales;
    std::vector<std::int64_t> zeros;
    for (std::int64_t i = 0; i < count; ++i) {
      scales.push_back(0.02f + 0.013f * static_cast<float>(i % 7));
      zeros.push_back(i * 3 % 200);
    }
    const graph::Shape parameters = whole ? graph::Shape{} : graph::Shape{count};
    const Tensor x = random_tensor("x", kF, shape, random_), q = random_tensor("x", kU, shape, random_);
    for (const bool quantise : {true, false}) {
      ModelBuilder builder;
      builder.input("x", quantise ? kF : kU, shape);
      onnx::NodeProto& node = builder.node(
          quantise ? "QuantizeLinear" : "DequantizeLinear",
          {"x", builder.constant(reals("s", parameters, scales)), builder.constant(integers("z", kU, parameters, zeros))}, {"y"});
      if (!whole) set(node, "axis", axis);
      builder.output("y");
      Outputs expected(quantise ? q.data.size() : x.data.size());
      for (std::size_t i = 0; i < q.data.size(); ++i) {
        const auto c = whole ? std::size_t{0} : i / static_cast<std::size_t>(inner) % static_cast<std::size_t>(count);
        const float real = static_cast<float>(q.data[i] - zeros[c]) * scales[c];
        if (quantise) expected[i] = saturated(std::nearbyint(x.real(i) / scales[c]) + static_cast<float>(zeros[c]), kU);
        else std::memcpy(expected.data() + i * 4, &real, 4);
      }
      expect(builder, (quantise ? "q" : "d") + std::to_string(axis), {quantise ? x : q}, expected);
    }
  }
}

TEST_P(VectorOperators, softmax_is_close_to_the_real_one) {
  for (const graph::Shape& shape : {graph::Shape{1, 12}, {3, 64}, {2, 65}, {2, 3, 1000}, {1, 4096}}) {
    ModelBuilder builder;
    builder.input("x", kF, shape);
    builder.node("Softmax", {"x"}, {"y"});
    builder.output("y");
    const Tensor x = random_tensor("x", kF, shape, random_);
    const LoweredModel model(builder.save("softmax.onnx"), test_chip(GetParam()));
    Tensor y = x, reference = x;
    y.data = model.run({x}, 2);
    reference.data = model.reference({x});
    const auto length = static_cast<std::size_t>(shape.back());
    for (std::size_t row = 0; row < x.data.size() / 4 / length; ++row) {
      double sum = 0, most = -1e9;
      for (std::size_t i = 0; i < length; ++i) most = std::max(most, static_cast<double>(x.real(row * length + i)));
      for (std::size_t i = 0; i < length; ++i) sum += std::exp(x.real(row * length + i) - most);
      for (std::size_t i = 0; i < length; ++i) {
        const double expected = std::exp(x.real(row * length + i) - most) / sum;
        ASSERT_NEAR(y.real(row * length + i), expected, 2e-6 * expected + 1e-12) << "kernels, length " << length;
        ASSERT_NEAR(reference.real(row * length + i), expected, 2e-5 * expected + 1e-12) << "reference, length " << length;
      }
    }
  }
}

TEST_P(VectorOperators, relu) {
  ModelBuilder builder;
  builder.input("x", kF, {7, 1111});
  builder.node("Relu", {"x"}, {"y"});
  builder.output("y");
  const Tensor x = random_tensor("x", kF, {7, 1111}, random_);
  Outputs expected = x.data;
  for (std::size_t i = 0; i < x.data.size() / 4; ++i) {
    if (x.real(i) < 0) std::memset(expected.data() + i * 4, 0, 4);
  }
  expect(builder, "relu", {x}, expected);
}

TEST_P(VectorOperators, outputs_that_only_rename_get_a_place_of_their_own) {
  ModelBuilder builder;
  builder.input("x", kS, {2, 3, 4, 5});
  builder.node("Flatten", {"x"}, {"flat"});
  builder.node("Reshape", {"flat", builder.constant(integers("shape", ElementType::int64, {3}, {2, -1, 6}))}, {"y"});
  for (const char* name : {"y", "flat", "x"}) builder.output(name);
  const LoweredModel model(builder.save("rename.onnx"), test_chip(GetParam()));
  const Tensor x = random_tensor("x", kS, {2, 3, 4, 5}, random_);
  EXPECT_EQ(model.run({x}, 1), x.data);
  const Workload& workload = model.network().workload;
  ASSERT_EQ(workload.outputs.size(), 3u);
  const std::vector<std::pair<std::string, graph::Shape>> expected = {{"y", {2, 10, 6}}, {"flat", {2, 60}}, {"x", {2, 3, 4, 5}}};
  for (std::size_t i = 0; i < 3; ++i) {
    const WorkloadTensor& tensor = workload.tensors[static_cast<std::size_t>(workload.outputs[i])];
    EXPECT_EQ(tensor.name, expected[i].first);
    EXPECT_EQ(tensor.shape, expected[i].second);
    EXPECT_EQ(tensor.role, WorkloadTensor::Role::output);
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, VectorOperators, testing::Values("310p3", "910b1", "950pr", "small_910b1", "small_310p3"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace npulab::test
