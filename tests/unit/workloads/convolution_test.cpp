// SPDX-License-Identifier: Apache-2.0
// Convolutions of every kind against sums over a padded image, on real chips and on cores with tiny buffers.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/workloads/lowered_model.h"
#include "tests/unit/workloads/model_builder.h"

namespace npulab::test {
namespace {

using graph::ElementType;

struct ConvolutionCase {
  const char* name;
  std::int64_t images, channels, height, width, outputs, groups;
  Integers kernel, strides, dilations, pads;  // pads: top, left, bottom, right
  const char* auto_pad = "";
  ElementType x_type = ElementType::int8, w_type = ElementType::int8, y_type = ElementType::int8;
  std::int64_t x_zero = 0, w_zero = 0, y_zero = 0;
  bool per_channel = false, bias = true;
};

constexpr ElementType kS = ElementType::int8, kU = ElementType::uint8;

const ConvolutionCase kCases[] = {
    {"plain_1x1", 1, 32, 4, 4, 32, 1, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
    {"ragged_channels", 1, 5, 7, 9, 35, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kS, kS, kS, 3, 0, -7, true},
    {"stride_and_uneven_pads", 1, 3, 11, 13, 16, 1, {3, 5}, {2, 3}, {1, 1}, {0, 1, 2, 3}, "", kS, kS, kS, -128, 0, -128, true},
    {"dilated", 1, 33, 12, 12, 40, 1, {3, 3}, {1, 2}, {2, 3}, {2, 3, 2, 3}, "", kS, kS, kS, 17},
    {"depthwise", 1, 70, 9, 8, 70, 70, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kS, kS, kS, -5, 0, 4, true},
    {"depthwise_multiplier", 1, 20, 6, 6, 60, 20, {3, 2}, {2, 1}, {1, 1}, {1, 0, 0, 1}},
    {"grouped", 1, 96, 5, 5, 48, 3, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kS, kS, kS, 9},
    {"groups_across_blocks", 1, 60, 4, 4, 30, 5, {1, 3}, {1, 1}, {1, 1}, {0, 1, 0, 1}},
    {"batch", 3, 8, 6, 5, 40, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kS, kS, kS, 2, 0, 1},
    {"batch_of_groups", 2, 64, 6, 5, 64, 2, {2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}},
    {"same_upper", 1, 4, 10, 7, 8, 1, {4, 3}, {3, 2}, {1, 1}, {}, "SAME_UPPER"},
    {"same_lower", 1, 4, 10, 7, 8, 1, {4, 4}, {3, 2}, {1, 1}, {}, "SAME_LOWER"},
    {"valid", 1, 4, 10, 7, 8, 1, {4, 3}, {1, 1}, {1, 1}, {}, "VALID"},
    {"unsigned", 1, 40, 6, 6, 33, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kU, kS, kU, 131, 0, 7},
    {"nine_bit_weights", 1, 16, 6, 6, 20, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kU, kU, kU, 90, 128, 120, true},
    {"weights_up_to_255", 1, 16, 6, 6, 20, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kU, kU, kS, 90, 0, -3},
    {"weights_from_minus_255", 1, 16, 6, 6, 20, 1, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, "", kS, kS, kU, 1, 127, 0},
    {"rows_of_padding_only", 1, 6, 3, 4, 9, 1, {1, 1}, {1, 1}, {1, 1}, {5, 2, 6, 3}, "", kS, kS, kS, -9, 0, 3},
    {"rows_of_padding_and_strides", 1, 6, 3, 4, 9, 1, {2, 1}, {3, 2}, {1, 1}, {7, 2, 8, 3}, "", kS, kS, kS, -9, 0, 3},
    {"one_column", 1, 40, 30, 1, 32, 1, {3, 1}, {1, 1}, {1, 1}, {1, 0, 1, 0}},
    {"wide_map", 1, 3, 8, 150, 16, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {"many_outputs", 1, 64, 8, 8, 300, 1, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
    {"deep", 1, 256, 6, 6, 64, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kS, kS, kS, 6, 0, 2, true},
    {"deep_with_large_weights", 1, 200, 6, 6, 40, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, "", kU, kU, kU, 90, 3, 120},
    {"without_bias", 1, 8, 4, 4, 8, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, "", kS, kS, kS, 5, 0, 0, false, false},
};

struct ConvolutionModel {
  graph::Tensor x, w, bias;
  std::vector<float> w_scales;
  std::string file;
};

constexpr float kXScale = 0.037f, kYScale = 0.61f;

ConvolutionModel make_model(const ConvolutionCase& c) {
  std::mt19937 random(42);
  ConvolutionModel m;
  ModelBuilder builder;
  builder.input("x", c.x_type, {c.images, c.channels, c.height, c.width});
  m.x = random_tensor("x", c.x_type, {c.images, c.channels, c.height, c.width}, random);
  m.w = random_tensor("w", c.w_type, {c.outputs, c.channels / c.groups, c.kernel[0], c.kernel[1]}, random);
  m.w.data[0] = 255;  // the ends of the range
  m.w.data[1 % m.w.data.size()] = 128;
  m.w.data[2 % m.w.data.size()] = 127;
  std::vector<std::int64_t> bias;
  const std::int64_t scales = c.per_channel ? c.outputs : 1;
  for (std::int64_t i = 0; i < c.outputs; ++i) bias.push_back(static_cast<std::int64_t>(random() % 20000) - 10000);
  for (std::int64_t i = 0; i < scales; ++i) m.w_scales.push_back(0.004f + 0.0001f * static_cast<float>(random() % 50));
  m.bias = integers("b", ElementType::int32, {c.outputs}, bias);
  const graph::Shape scale_shape = c.per_channel ? graph::Shape{c.outputs} : graph::Shape{};
  const std::vector<std::int64_t> zeros(static_cast<std::size_t>(scales), c.w_zero);
  Strings inputs = {"x",
                    builder.scale("xs", kXScale),
                    builder.zero("xz", c.x_type, c.x_zero),
                    builder.constant(m.w),
                    builder.constant(reals("ws", scale_shape, m.w_scales)),
                    builder.constant(integers("wz", c.w_type, scale_shape, zeros)),
                    builder.scale("ys", kYScale),
                    builder.zero("yz", c.y_type, c.y_zero)};
  if (c.bias) inputs.push_back(builder.constant(m.bias));
  onnx::NodeProto& node = builder.node("QLinearConv", inputs, {"y"});
  set(node, "strides", c.strides);
  set(node, "dilations", c.dilations);
  set(node, "group", c.groups);
  if (!c.pads.empty()) set(node, "pads", c.pads);
  if (c.auto_pad[0] != 0) set(node, "auto_pad", std::string(c.auto_pad));
  builder.output("y");
  m.file = builder.save(std::string(c.name) + ".onnx");
  return m;
}

int value_of(const graph::Tensor& t, std::int64_t index) {
  const std::uint8_t byte = t.data[static_cast<std::size_t>(index)];
  return t.type == kU ? byte : static_cast<std::int8_t>(byte);
}

/// Pads by the definition of the ONNX page, from the shapes alone.
Integers pads_of(const ConvolutionCase& c) {
  const std::string automatic = c.auto_pad;
  if (automatic.empty()) return c.pads;
  if (automatic == "VALID") return {0, 0, 0, 0};
  const std::int64_t in[2] = {c.height, c.width};
  Integers pads(4);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t out = (in[i] + c.strides[i] - 1) / c.strides[i];
    const std::int64_t total = std::max<std::int64_t>((out - 1) * c.strides[i] + (c.kernel[i] - 1) * c.dilations[i] + 1 - in[i], 0);
    pads[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[i + 2] = total - pads[i];
  }
  return pads;
}

/// The image with its zero point taken off, padded with zeros: [channels][height][width] of one image.
std::vector<int> padded(const ConvolutionCase& c, const graph::Tensor& x, std::int64_t image, const Integers& pads,
                        std::int64_t height, std::int64_t width) {
  std::vector<int> map(static_cast<std::size_t>(c.channels * height * width), 0);
  for (std::int64_t i = 0; i < c.channels * c.height * c.width; ++i) {
    const std::int64_t channel = i / (c.height * c.width), h = i / c.width % c.height + pads[0], w = i % c.width + pads[1];
    map[static_cast<std::size_t>((channel * height + h) * width + w)] = value_of(x, image * c.channels * c.height * c.width + i) -
                                                                        static_cast<int>(c.x_zero);
  }
  return map;
}

std::uint8_t requantised(std::int64_t sum, float w_scale, const ConvolutionCase& c) {
  const float multiplier = kXScale * w_scale / kYScale;
  const float low = (c.y_type == kU ? 0.0f : -128.0f) - static_cast<float>(c.y_zero),
              high = (c.y_type == kU ? 255.0f : 127.0f) - static_cast<float>(c.y_zero);
  const float scaled = std::min(std::max(static_cast<float>(sum) * multiplier, low), high);
  return static_cast<std::uint8_t>(static_cast<int>(std::nearbyint(scaled)) + c.y_zero);
}

std::vector<std::uint8_t> expected_output(const ConvolutionCase& c, const ConvolutionModel& m) {
  const Integers pads = pads_of(c);
  const std::int64_t height = c.height + pads[0] + pads[2], width = c.width + pads[1] + pads[3];
  const std::int64_t out_h = (height - (c.kernel[0] - 1) * c.dilations[0] - 1) / c.strides[0] + 1;
  const std::int64_t out_w = (width - (c.kernel[1] - 1) * c.dilations[1] - 1) / c.strides[1] + 1;
  const std::int64_t depth = c.channels / c.groups, taps = c.kernel[0] * c.kernel[1];
  std::vector<std::uint8_t> y;
  for (std::int64_t image = 0; image < c.images; ++image) {
    const std::vector<int> map = padded(c, m.x, image, pads, height, width);
    for (std::int64_t i = 0; i < c.outputs * out_h * out_w; ++i) {
      const std::int64_t o = i / (out_h * out_w), oh = i / out_w % out_h, ow = i % out_w;
      std::int64_t sum = c.bias ? m.bias.at<std::int32_t>(static_cast<std::size_t>(o)) : 0;
      for (std::int64_t k = 0; k < depth * taps; ++k) {
        const std::int64_t channel = o / (c.outputs / c.groups) * depth + k / taps,
                           h = oh * c.strides[0] + k % taps / c.kernel[1] * c.dilations[0];
        const std::int64_t w = ow * c.strides[1] + k % c.kernel[1] * c.dilations[1];
        sum += map[static_cast<std::size_t>((channel * height + h) * width + w)] *
               (value_of(m.w, o * depth * taps + k) - static_cast<int>(c.w_zero));
      }
      y.push_back(requantised(sum, m.w_scales[c.per_channel ? static_cast<std::size_t>(o) : 0], c));
    }
  }
  return y;
}

class Convolutions : public testing::TestWithParam<std::tuple<ConvolutionCase, const char*>> {};

TEST_P(Convolutions, give_the_sums_over_the_padded_image) {
  const auto& [c, chip] = GetParam();
  const ConvolutionModel model = make_model(c);
  const LoweredModel lowered(model.file, test_chip(chip));
  const std::vector<std::uint8_t> expected = expected_output(c, model);
  EXPECT_EQ(lowered.reference({model.x}), expected) << "reference";
  EXPECT_EQ(lowered.run({model.x}, 5), expected) << "kernels";
}

INSTANTIATE_TEST_SUITE_P(Operators, Convolutions,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values("310p3", "910b1", "950pr", "910a", "small_910b1", "small_310p3")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_on_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace npulab::test
