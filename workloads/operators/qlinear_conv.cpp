// SPDX-License-Identifier: Apache-2.0
// QLinearConv: int32 convolution of (x - zx) and (w - zw) plus int32 bias, requantised (ONNX operator page; integer semantics
// as ONNX Runtime computes them). Padding holds zx.
#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/quantised_convolution.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/window.h"

namespace npulab::operators {
namespace {

enum Input { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

std::string show(const std::vector<std::int64_t>& values) { return graph::to_string(values); }

void check_channels(const ConvolutionShape& s, const graph::Shape& x, const graph::Shape& w, const graph::Node& node) {
  if (s.groups < 1 || s.in_channels % s.groups != 0 || s.out_channels % s.groups != 0 || w[1] != s.in_channels / s.groups) {
    throw OperatorProblem{"expected channels that match the weights and groups, found x " + show(x) + ", w " + show(w) +
                          ", group " + std::to_string(s.groups)};
  }
  const auto kernel = node.integers("kernel_shape", {w[2], w[3]});
  if (kernel != std::vector<std::int64_t>{w[2], w[3]}) {
    throw OperatorProblem{"kernel_shape: expected that of the weights " + show(w) + ", found " + show(kernel)};
  }
}

/// Geometry from attributes and shapes. Throws OperatorProblem.
ConvolutionShape shape_of(const graph::Node& node, const graph::Graph& graph) {
  const graph::Shape& x = graph.tensor(node.inputs[kX]).shape;
  const graph::Shape& w = graph.tensor(node.inputs[kW]).shape;
  if (x.size() != 4 || w.size() != 4)
    throw OperatorProblem{"expected four-dimensional x and w, found " + show(x) + " and " + show(w)};
  const Window window = window_of(node, x[2], x[3], w[2], w[3]);
  ConvolutionShape s;
  s.groups = node.integer("group", 1);
  s.in_channels = x[1];
  s.in_h = x[2];
  s.in_w = x[3];
  s.out_channels = w[0];
  s.out_h = window.out_h;
  s.out_w = window.out_w;
  s.kernel_h = w[2];
  s.kernel_w = w[3];
  s.stride_h = window.stride_h;
  s.stride_w = window.stride_w;
  s.dilation_h = window.dilation_h;
  s.dilation_w = window.dilation_w;
  s.pad_top = window.pad_top;
  s.pad_left = window.pad_left;
  s.pad_bottom = window.pad_bottom;
  s.pad_right = window.pad_right;
  check_channels(s, x, w, node);
  return s;
}

class QLinearConv final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearConv"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"x", Kind::required, eight_bit()},
            {"x_scale", Kind::required, real(), true},
            {"x_zero_point", Kind::required, eight_bit(), true, "x"},
            {"w", Kind::required, eight_bit(), true},
            {"w_scale", Kind::required, real(), true},
            {"w_zero_point", Kind::required, eight_bit(), true, "w"},
            {"y_scale", Kind::required, real(), true},
            {"y_zero_point", Kind::required, eight_bit(), true},
            {"B", Kind::optional, {graph::ElementType::int32}, true}};
  }
  std::vector<Parameter> outputs() const override { return {{"y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    using Kind = AttributeDefinition::Kind;
    return {{"auto_pad", Kind::text, "NOTSET"},     {"dilations", Kind::integers, "1, 1"},
            {"group", Kind::integer, "1"},          {"kernel_shape", Kind::integers, "from w"},
            {"pads", Kind::integers, "0, 0, 0, 0"}, {"strides", Kind::integers, "1, 1"}};
  }
  std::string limits() const override {
    return "Two spatial dimensions, constant weights; strides up to 63, kernels and pads up to 255.";
  }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const ConvolutionShape s = shape_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[kYZero]).type;
    y.shape = {graph.tensor(node.inputs[kX]).shape[0], s.out_channels, s.out_h, s.out_w};
  }

  std::int64_t operations(const graph::Node& node, const graph::Graph& graph) const override {
    const graph::Tensor& w = graph.tensor(node.inputs[kW]);
    return 2 * graph::element_count(w.shape) / w.shape[0] * graph::element_count(graph.tensor(node.outputs[0]).shape);
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
    QuantisedConvolution conv = describe(node, context.graph());
    conv.bias = fold_zero_point(conv.bias, conv.weights, conv.shape.out_channels, conv.input_zero_point);
    conv.images = context.graph().tensor(node.inputs[kX]).shape[0];
    const std::uint64_t from = context.input(node.inputs[kX], Layout::blocked),
                        to = context.output(node.outputs[0], Layout::blocked);
    add_convolution(context, conv, from, to);
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
    for (std::size_t i = 0; i < weights.data.size(); ++i)
      conv.weights.push_back(element(weights, i) - w.zero_point(i / per_channel));
    conv.bias = bias_of(graph, node.input(kBias), channels);
    for (std::size_t o = 0; o < static_cast<std::size_t>(channels); ++o)
      conv.multipliers.push_back(numerics::requantisation_multiplier(x.scale(), w.scale(o), y.scale()));
    conv.input_type = graph.tensor(node.inputs[kX]).type;
    conv.output_type = graph.tensor(node.inputs[kYZero]).type;
    conv.input_zero_point = x.zero_point();
    conv.output_zero_point = y.zero_point();
    return conv;
  }

  static std::vector<std::int32_t> bias_of(const graph::Graph& graph, const std::string& name, std::int64_t channels) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(channels), 0);
    if (name.empty()) return values;
    const graph::Tensor& bias = graph.tensor(name);
    if (graph::element_count(bias.shape) != channels) {
      throw OperatorProblem{"B: expected " + std::to_string(channels) + " elements, found " + show(bias.shape)};
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(bias.integer(i));
    return values;
  }

  static int point(const QuantisedConvolution& conv, const graph::Tensor& x, std::int64_t image, std::int64_t o, std::int64_t oh,
                   std::int64_t ow) {
    const ConvolutionShape& s = conv.shape;
    const std::int64_t per_group = s.in_channels / s.groups, first = o / (s.out_channels / s.groups) * per_group;
    std::int64_t sum = conv.bias[static_cast<std::size_t>(o)];
    for (std::int64_t c = 0; c < per_group; ++c) {
      for (std::int64_t kh = 0; kh < s.kernel_h; ++kh) {
        for (std::int64_t kw = 0; kw < s.kernel_w; ++kw) {
          const std::int64_t h = oh * s.stride_h - s.pad_top + kh * s.dilation_h,
                             w = ow * s.stride_w - s.pad_left + kw * s.dilation_w;
          if (h < 0 || h >= s.in_h || w < 0 || w >= s.in_w) continue;
          const int value = element(x, static_cast<std::size_t>(((image * s.in_channels + first + c) * s.in_h + h) * s.in_w + w)) -
                            conv.input_zero_point;
          sum += static_cast<std::int64_t>(value) *
                 conv.weights[static_cast<std::size_t>(((o * per_group + c) * s.kernel_h + kh) * s.kernel_w + kw)];
        }
      }
    }
    return numerics::requantise(static_cast<std::int32_t>(sum), conv.multipliers[static_cast<std::size_t>(o)],
                                conv.output_zero_point, conv.output_type == graph::ElementType::int8);
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_conv() { return std::make_unique<QLinearConv>(); }

}  // namespace npulab::operators
