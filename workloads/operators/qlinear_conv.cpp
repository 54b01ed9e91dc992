// SPDX-License-Identifier: Apache-2.0
// QLinearConv: int32 convolution of (x - zx) and (w - zw) plus int32 bias, requantised (ONNX operator page; integer semantics
// as ONNX Runtime computes them). Padding holds zx.
#include "workloads/operators/built_in.h"
#include "model/numerics/requantise.h"
#include "workloads/operators/matmul_plan.h"
#include "workloads/operators/quantisation.h"

namespace npulab::operators {
namespace {

enum Input { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

/// Geometry from attributes and shapes. Throws OperatorProblem.
ConvolutionShape shape_of(const graph::Node& node, const graph::Graph& graph) {
  const graph::Shape& x = graph.tensor(node.inputs[kX]).shape;
  const graph::Shape& w = graph.tensor(node.inputs[kW]).shape;
  if (x.size() != 4 || w.size() != 4) throw OperatorProblem{"expected four-dimensional x and w, found " + graph::to_string(x) + " and " + graph::to_string(w)};
  ConvolutionShape s;
  s.groups = node.integer("group", 1);
  s.in_channels = x[1];
  s.in_h = x[2];
  s.in_w = x[3];
  s.out_channels = w[0];
  s.kernel_h = w[2];
  s.kernel_w = w[3];
  const auto strides = node.integers("strides", {1, 1}), dilations = node.integers("dilations", {1, 1});
  auto pads = node.integers("pads", {0, 0, 0, 0});
  if (strides.size() != 2 || dilations.size() != 2 || pads.size() != 4) throw OperatorProblem{"expected two strides, two dilations and four pads, found other counts"};
  s.stride_h = strides[0];
  s.stride_w = strides[1];
  s.dilation_h = dilations[0];
  s.dilation_w = dilations[1];
  const std::int64_t reach_h = s.dilation_h * (s.kernel_h - 1) + 1, reach_w = s.dilation_w * (s.kernel_w - 1) + 1;
  const auto found = node.attributes.find("auto_pad");
  const std::string auto_pad = found == node.attributes.end() ? "NOTSET" : found->second.text;
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    const std::int64_t total_h = std::max<std::int64_t>(0, (ceil_div(s.in_h, s.stride_h) - 1) * s.stride_h + reach_h - s.in_h);
    const std::int64_t total_w = std::max<std::int64_t>(0, (ceil_div(s.in_w, s.stride_w) - 1) * s.stride_w + reach_w - s.in_w);
    const bool upper = auto_pad == "SAME_UPPER";
    pads = {upper ? total_h / 2 : (total_h + 1) / 2, upper ? total_w / 2 : (total_w + 1) / 2, upper ? (total_h + 1) / 2 : total_h / 2, upper ? (total_w + 1) / 2 : total_w / 2};
  }
  s.pad_top = pads[0];
  s.pad_left = pads[1];
  s.pad_bottom = pads[2];
  s.pad_right = pads[3];
  if (s.groups < 1 || s.in_channels % s.groups != 0 || s.out_channels % s.groups != 0 || w[1] != s.in_channels / s.groups) {
    throw OperatorProblem{"expected channels that match the weights and groups, found x " + graph::to_string(x) + ", w " + graph::to_string(w) + ", group " + std::to_string(s.groups)};
  }
  for (std::int64_t value : {s.stride_h, s.stride_w, s.dilation_h, s.dilation_w}) {
    if (value < 1 || value > 63) throw OperatorProblem{"expected strides and dilations of 1 to 63, found " + std::to_string(value)};
  }
  for (std::int64_t pad : pads) {
    if (pad < 0 || pad > 255) throw OperatorProblem{"expected pads of 0 to 255, found " + std::to_string(pad)};
  }
  if (s.in_h + s.pad_top + s.pad_bottom < reach_h || s.in_w + s.pad_left + s.pad_right < reach_w) throw OperatorProblem{"expected an input at least as large as the kernel, found " + graph::to_string(x)};
  s.out_h = (s.in_h + s.pad_top + s.pad_bottom - reach_h) / s.stride_h + 1;
  s.out_w = (s.in_w + s.pad_left + s.pad_right - reach_w) / s.stride_w + 1;
  // What the last stride does not reach needs no padding.
  s.pad_bottom = std::max<std::int64_t>(0, (s.out_h - 1) * s.stride_h + reach_h - s.in_h - s.pad_top);
  return s;
}

class QLinearConv final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearConv"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"x", Kind::required, eight_bit()}, {"x_scale", Kind::required, real(), true}, {"x_zero_point", Kind::required, eight_bit(), true},
            {"w", Kind::required, eight_bit(), true}, {"w_scale", Kind::required, real(), true}, {"w_zero_point", Kind::required, eight_bit(), true},
            {"y_scale", Kind::required, real(), true}, {"y_zero_point", Kind::required, eight_bit(), true},
            {"B", Kind::optional, {graph::ElementType::int32}, true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    using Kind = AttributeDefinition::Kind;
    return {{"auto_pad", Kind::text}, {"dilations", Kind::integers}, {"group", Kind::integer}, {"kernel_shape", Kind::integers}, {"pads", Kind::integers}, {"strides", Kind::integers}};
  }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const ConvolutionShape s = shape_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[kYZero]).type;
    y.shape = {graph.tensor(node.inputs[kX]).shape[0], s.out_channels, s.out_h, s.out_w};
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const QuantisedConvolution conv = describe(node, graph);
    const graph::Tensor& x = values.at(node.inputs[kX]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    const ConvolutionShape& s = conv.shape;
    std::size_t out = 0;
    for (std::int64_t image = 0; image < y.shape[0]; ++image) {
      for (std::int64_t o = 0; o < s.out_channels; ++o) {
        for (std::int64_t oh = 0; oh < s.out_h; ++oh) {
          for (std::int64_t ow = 0; ow < s.out_w; ++ow) set_element(y, out++, point(conv, x, image, o, oh, ow));
        }
      }
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const QuantisedConvolution conv = describe(node, context.graph());
    const Blocking in = blocking_of(context.graph().tensor(node.inputs[kX]).shape), out = blocking_of(context.graph().tensor(node.outputs[0]).shape);
    const std::uint64_t from = context.input(node.inputs[kX], Layout::blocked), to = context.output(node.outputs[0], Layout::blocked);
    QuantisedConvolution folded = conv;
    folded.bias = fold_zero_point(conv.bias, conv.weights, conv.shape.out_channels, conv.input_zero_point);
    for (std::int64_t image = 0; image < in.images; ++image) {
      if (in.images > 1) folded.name = conv.name + "_image" + std::to_string(image);
      add_convolution(context, folded, from + static_cast<std::uint64_t>(image * in.image_bytes()), to + static_cast<std::uint64_t>(image * out.image_bytes()));
    }
  }

 private:
  /// Everything but the folding of the input's zero point.
  static QuantisedConvolution describe(const graph::Node& node, const graph::Graph& graph) {
    QuantisedConvolution conv;
    conv.shape = shape_of(node, graph);
    conv.name = node.name;
    conv.op_type = node.op;
    const std::int64_t channels = conv.shape.out_channels;
    const Quantisation x = quantisation_of(graph, node.inputs[kXScale], node.inputs[kXZero], 1);
    const Quantisation w = quantisation_of(graph, node.inputs[kWScale], node.inputs[kWZero], channels);
    const Quantisation y = quantisation_of(graph, node.inputs[kYScale], node.inputs[kYZero], 1);
    const graph::Tensor& weights = graph.tensor(node.inputs[kW]);
    const std::size_t per_channel = weights.data.size() / static_cast<std::size_t>(channels);
    for (std::size_t i = 0; i < weights.data.size(); ++i) conv.weights.push_back(element(weights, i) - w.zero_point(i / per_channel));
    conv.bias.assign(static_cast<std::size_t>(channels), 0);
    if (node.inputs.size() > kBias && !node.inputs[kBias].empty()) {
      const graph::Tensor& bias = graph.tensor(node.inputs[kBias]);
      if (graph::element_count(bias.shape) != channels) throw OperatorProblem{"expected a bias of " + std::to_string(channels) + " elements, found " + graph::to_string(bias.shape)};
      for (std::size_t i = 0; i < conv.bias.size(); ++i) conv.bias[i] = static_cast<std::int32_t>(bias.integer(i));
    }
    for (std::size_t o = 0; o < static_cast<std::size_t>(channels); ++o) conv.multipliers.push_back(numerics::requantisation_multiplier(x.scale(), w.scale(o), y.scale()));
    conv.input_type = graph.tensor(node.inputs[kX]).type;
    conv.output_type = graph.tensor(node.inputs[kYZero]).type;
    conv.input_zero_point = x.zero_point();
    conv.output_zero_point = y.zero_point();
    return conv;
  }

  static int point(const QuantisedConvolution& conv, const graph::Tensor& x, std::int64_t image, std::int64_t o, std::int64_t oh, std::int64_t ow) {
    const ConvolutionShape& s = conv.shape;
    const std::int64_t per_group = s.in_channels / s.groups, first = o / (s.out_channels / s.groups) * per_group;
    std::int64_t sum = conv.bias[static_cast<std::size_t>(o)];
    for (std::int64_t c = 0; c < per_group; ++c) {
      for (std::int64_t kh = 0; kh < s.kernel_h; ++kh) {
        for (std::int64_t kw = 0; kw < s.kernel_w; ++kw) {
          const std::int64_t h = oh * s.stride_h - s.pad_top + kh * s.dilation_h, w = ow * s.stride_w - s.pad_left + kw * s.dilation_w;
          if (h < 0 || h >= s.in_h || w < 0 || w >= s.in_w) continue;
          const int value = element(x, static_cast<std::size_t>(((image * s.in_channels + first + c) * s.in_h + h) * s.in_w + w)) - conv.input_zero_point;
          sum += static_cast<std::int64_t>(value) * conv.weights[static_cast<std::size_t>(((o * per_group + c) * s.kernel_h + kh) * s.kernel_w + kw)];
        }
      }
    }
    return numerics::requantise(static_cast<std::int32_t>(sum), conv.multipliers[static_cast<std::size_t>(o)], conv.output_zero_point, conv.output_type == graph::ElementType::int8);
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_conv() { return std::make_unique<QLinearConv>(); }

}  // namespace npulab::operators
