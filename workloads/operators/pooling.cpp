// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearGlobalAveragePool (sum - n zx, requantised with sx / (sy n)) and MaxPool on 8-bit tensors.
#include <algorithm>

#include "model/numerics/requantise.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::Space;
using isa::VectorOp;

std::int64_t at(std::uint64_t address) { return static_cast<std::int64_t>(address); }

/// Takes back the flags that hand buffers on to a next round which does not come.
void close_flags(isa::ProgramBuilder& program) {
  program.wait_flag(isa::Pipe::v, isa::Pipe::mte2, 0);
  program.wait_flag(isa::Pipe::mte3, isa::Pipe::v, 0);
}

class QLinearGlobalAveragePool final : public OperatorDefinition {
 public:
  std::string name() const override { return "QLinearGlobalAveragePool"; }
  std::string domain() const override { return "com.microsoft"; }
  std::vector<Parameter> inputs() const override {
    using Kind = Parameter::Kind;
    return {{"X", Kind::required, eight_bit()}, {"x_scale", Kind::required, real(), true}, {"x_zero_point", Kind::required, eight_bit(), true},
            {"y_scale", Kind::required, real(), true}, {"y_zero_point", Kind::required, eight_bit(), true}};
  }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"channels_last", AttributeDefinition::Kind::integer}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor& x = graph.tensor(node.inputs[0]);
    if (x.shape.size() != 4) throw OperatorProblem{"expected a four-dimensional X, found " + graph::to_string(x.shape)};
    if (node.integer("channels_last", 0) != 0) throw OperatorProblem{"channels_last: expected 0, found another value, which is not supported"};
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[4]).type;
    y.shape = {x.shape[0], x.shape[1], 1, 1};
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Terms v = terms_of(node, graph);
    const graph::Tensor& x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t c = 0; c < y.data.size(); ++c) {
      std::int64_t sum = -v.positions * v.x.zero_point();
      for (std::int64_t p = 0; p < v.positions; ++p) sum += element(x, c * static_cast<std::size_t>(v.positions) + static_cast<std::size_t>(p));
      set_element(y, c, numerics::requantise(static_cast<std::int32_t>(sum), v.multiplier, v.y.zero_point(), y.type == graph::ElementType::int8));
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const Terms v = terms_of(node, context.graph());
    if (v.positions > (1 << 16)) throw OperatorProblem{"expected at most 65536 positions, whose sum is exact in fp32, found " + std::to_string(v.positions)};
    const graph::Tensor& x = context.graph().tensor(node.inputs[0]);
    const std::uint64_t from = context.input(node.inputs[0], Layout::blocked), to = context.output(node.outputs[0], Layout::blocked);
    const Blocking b = blocking_of(x.shape);
    const DataType in = graph::device_type(x.type), out = graph::device_type(context.graph().tensor(node.outputs[0]).type);
    context.add_vector_kernel(node.name, node.op, b.images * b.blocks(), [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
      VectorCode code(program);
      for (std::int64_t block = first; block < last; ++block) pool_block(program, code, v, in, out, from, to, block, block > first);
      close_flags(program);
    });
  }

 private:
  static constexpr std::int64_t kChunk = 256;  // positions at a time
  static constexpr std::uint64_t kBytes = 0, kHalf = kBytes + kChunk * 32, kReal = kHalf + kChunk * 64, kSum = kReal + kChunk * 128, kResult = kSum + 128;

  struct Terms {
    Quantisation x, y;
    std::int64_t positions = 0;
    float multiplier = 0;
  };
  static Terms terms_of(const graph::Node& node, const graph::Graph& graph) {
    Terms v;
    v.x = quantisation_of(graph, node.inputs[1], node.inputs[2], 1);
    v.y = quantisation_of(graph, node.inputs[3], node.inputs[4], 1);
    const graph::Shape& shape = graph.tensor(node.inputs[0]).shape;
    v.positions = shape[2] * shape[3];
    v.multiplier = v.x.scale() / (v.y.scale() * static_cast<float>(v.positions));
    return v;
  }

  /// One block of 32 channels: sum over positions by halving, then the requantisation.
  static void pool_block(isa::ProgramBuilder& program, VectorCode& code, const Terms& v, DataType in, DataType out, std::uint64_t from,
                         std::uint64_t to, std::int64_t block, bool again) {
    using isa::Pipe;
    code.fill(DataType::fp32, kSum, 0.0f, 32);
    for (std::int64_t first = 0; first < v.positions; first += kChunk) {
      const std::int64_t count = std::min(kChunk, v.positions - first);
      const auto bytes = static_cast<std::uint32_t>(count * 32);
      if (first > 0 || again) program.wait_flag(Pipe::v, Pipe::mte2, 0);
      program.copy({Space::gm, Space::ub, 1, bytes, bytes, bytes}, at(kBytes), at(from) + (block * v.positions + first) * 32);
      program.set_flag(Pipe::mte2, Pipe::v, 0);
      program.wait_flag(Pipe::mte2, Pipe::v, 0);
      code.widen(in, kReal, kHalf, kBytes, bytes);
      program.set_flag(Pipe::v, Pipe::mte2, 0);
      // All sums are integers below 2^24, so the order of addition does not matter.
      for (std::int64_t left = count; left > 1; left = (left + 1) / 2) {
        const std::int64_t half = left / 2;
        code.binary(VectorOp::add, DataType::fp32, kReal, kReal, kReal + static_cast<std::uint64_t>((left - half) * 128), static_cast<std::uint32_t>(half * 32));
      }
      code.binary(VectorOp::add, DataType::fp32, kSum, kSum, kReal, 32);
    }
    const bool is_signed = out == DataType::int8;
    const float zero = static_cast<float>(v.y.zero_point()), low = is_signed ? -128.0f : 0.0f, high = is_signed ? 127.0f : 255.0f;
    code.scalar(VectorOp::adds, DataType::fp32, kSum, kSum, static_cast<float>(-v.positions * v.x.zero_point()), 32);
    code.scalar(VectorOp::muls, DataType::fp32, kSum, kSum, v.multiplier, 32);
    code.scalar(VectorOp::maxs, DataType::fp32, kSum, kSum, low - zero, 32);
    code.scalar(VectorOp::mins, DataType::fp32, kSum, kSum, high - zero, 32);
    code.cast(DataType::fp32, DataType::fp32, kSum, kSum, 32, isa::RoundMode::rint);
    code.scalar(VectorOp::adds, DataType::fp32, kSum, kSum, zero, 32);
    if (again) program.wait_flag(Pipe::mte3, Pipe::v, 0);
    code.narrow(out, kResult, kHalf, kSum, 32);
    program.set_flag(Pipe::v, Pipe::mte3, 0);
    program.wait_flag(Pipe::v, Pipe::mte3, 0);
    program.copy({Space::ub, Space::gm, 1, 32, 32, 32}, at(to) + block * 32, at(kResult));
    program.set_flag(Pipe::mte3, Pipe::v, 0);
  }
};

class MaxPool final : public OperatorDefinition {
 public:
  std::string name() const override { return "MaxPool"; }
  std::vector<Parameter> inputs() const override { return {{"X", Parameter::Kind::required, eight_bit()}}; }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    using Kind = AttributeDefinition::Kind;
    return {{"auto_pad", Kind::text}, {"ceil_mode", Kind::integer}, {"dilations", Kind::integers}, {"kernel_shape", Kind::integers},
            {"pads", Kind::integers}, {"storage_order", Kind::integer}, {"strides", Kind::integers}};
  }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const Window w = window_of(node, graph);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph.tensor(node.inputs[0]).type;
    y.shape = {w.in[0], w.in[1], w.out_h, w.out_w};
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Window w = window_of(node, graph);
    const graph::Tensor x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    std::size_t out = 0;
    for (std::int64_t plane = 0; plane < w.in[0] * w.in[1]; ++plane) {
      for (std::int64_t oh = 0; oh < w.out_h; ++oh) {
        for (std::int64_t ow = 0; ow < w.out_w; ++ow) {
          int most = low_of(y.type);
          for (std::int64_t kh = 0; kh < w.kernel_h; ++kh) {
            for (std::int64_t kw = 0; kw < w.kernel_w; ++kw) {
              const std::int64_t h = oh * w.stride_h - w.pad_top + kh, v = ow * w.stride_w - w.pad_left + kw;
              if (h < 0 || h >= w.in[2] || v < 0 || v >= w.in[3]) continue;
              most = std::max(most, element(x, static_cast<std::size_t>((plane * w.in[2] + h) * w.in[3] + v)));
            }
          }
          set_element(y, out++, most);
        }
      }
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const Window w = window_of(node, context.graph());
    const std::uint64_t from = context.input(node.inputs[0], Layout::blocked), to = context.output(node.outputs[0], Layout::blocked);
    const Blocking b = blocking_of(context.graph().tensor(node.inputs[0]).shape);
    const DataType type = graph::device_type(context.graph().tensor(node.inputs[0]).type);
    const Bytes room = context.vector_pool().core->buffers[static_cast<int>(Space::ub)].capacity;
    if ((w.in[3] + w.out_w) * 32 * 2 + w.in[3] * 64 * 2 + w.out_w * 64 > room || w.out_w > 255) throw OperatorProblem{"expected rows that fit into UB and 255 columns, found " + std::to_string(w.in[3]) + " columns"};
    const std::int64_t rows = b.images * b.blocks() * w.out_h;
    context.add_vector_kernel(node.name, node.op, rows, [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
      VectorCode code(program);
      for (std::int64_t row = first; row < last; ++row) pool_row(program, code, w, type, from, to, row, row > first);
      close_flags(program);
    });
  }

 private:
  struct Window {
    graph::Shape in;
    std::int64_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_left, out_h, out_w;
  };
  static Window window_of(const graph::Node& node, const graph::Graph& graph) {
    Window w;
    w.in = graph.tensor(node.inputs[0]).shape;
    const auto kernel = node.integers("kernel_shape", {}), strides = node.integers("strides", {1, 1}), dilations = node.integers("dilations", {1, 1});
    const auto pads = node.integers("pads", {0, 0, 0, 0});
    const auto auto_pad = node.attributes.find("auto_pad");
    if (w.in.size() != 4 || kernel.size() != 2 || strides.size() != 2 || pads.size() != 4) throw OperatorProblem{"expected a two-dimensional window on a four-dimensional X, found " + graph::to_string(w.in)};
    if (dilations != std::vector<std::int64_t>{1, 1} || node.integer("ceil_mode", 0) != 0 || node.integer("storage_order", 0) != 0) throw OperatorProblem{"expected no dilation, ceil_mode or storage_order, found one, which is not supported"};
    if (auto_pad != node.attributes.end() && auto_pad->second.text != "NOTSET" && auto_pad->second.text != "VALID") throw OperatorProblem{"auto_pad: expected NOTSET or VALID, found '" + auto_pad->second.text + "'"};
    w.kernel_h = kernel[0];
    w.kernel_w = kernel[1];
    w.stride_h = strides[0];
    w.stride_w = strides[1];
    w.pad_top = pads[0];
    w.pad_left = pads[1];
    w.out_h = (w.in[2] + pads[0] + pads[2] - w.kernel_h) / std::max<std::int64_t>(w.stride_h, 1) + 1;
    w.out_w = (w.in[3] + pads[1] + pads[3] - w.kernel_w) / std::max<std::int64_t>(w.stride_w, 1) + 1;
    const bool sane = w.kernel_h > 0 && w.kernel_w > 0 && w.stride_h > 0 && w.stride_w > 0 && w.stride_w < 64 && w.out_h > 0 && w.out_w > 0 && pads[0] < w.kernel_h && pads[1] < w.kernel_w;
    if (!sane) throw OperatorProblem{"expected a window that lies on the input, found another"};
    return w;
  }

  /// One output row of one channel block: the rows under the window joined by maximum, then the columns.
  static void pool_row(isa::ProgramBuilder& program, VectorCode& code, const Window& w, DataType type, std::uint64_t from, std::uint64_t to,
                       std::int64_t row, bool again) {
    using isa::Pipe;
    const std::int64_t width = w.in[3], plane = row / w.out_h, oh = row % w.out_h;
    const std::uint64_t bytes8 = 0, half = bytes8 + static_cast<std::uint64_t>(width * 32), joined = half + static_cast<std::uint64_t>(width * 64);
    const std::uint64_t out16 = joined + static_cast<std::uint64_t>(width * 64), out8 = out16 + static_cast<std::uint64_t>(w.out_w * 64);
    const auto elements = static_cast<std::uint32_t>(width * 32);
    const float least = type == DataType::int8 ? -128.0f : 0.0f;
    code.fill(DataType::fp16, joined, least, elements);
    bool loaded = again;
    for (std::int64_t kh = 0; kh < w.kernel_h; ++kh) {
      const std::int64_t h = oh * w.stride_h - w.pad_top + kh;
      if (h < 0 || h >= w.in[2]) continue;
      if (loaded) program.wait_flag(Pipe::v, Pipe::mte2, 0);
      loaded = true;
      program.copy({Space::gm, Space::ub, 1, elements, elements, elements}, at(bytes8), at(from) + (plane * w.in[2] + h) * width * 32);
      program.set_flag(Pipe::mte2, Pipe::v, 0);
      program.wait_flag(Pipe::mte2, Pipe::v, 0);
      code.cast(DataType::fp16, type, half, bytes8, elements);
      program.set_flag(Pipe::v, Pipe::mte2, 0);
      code.binary(VectorOp::max, DataType::fp16, joined, joined, half, elements);
    }
    code.fill(DataType::fp16, out16, least, static_cast<std::uint32_t>(w.out_w * 32));
    for (std::int64_t kw = 0; kw < w.kernel_w; ++kw) join_column(code, w, kw, out16, joined);
    if (again) program.wait_flag(Pipe::mte3, Pipe::v, 0);
    code.cast(type, DataType::fp16, out8, out16, static_cast<std::uint32_t>(w.out_w * 32), isa::RoundMode::rint);
    program.set_flag(Pipe::v, Pipe::mte3, 0);
    program.wait_flag(Pipe::v, Pipe::mte3, 0);
    const auto bytes = static_cast<std::uint32_t>(w.out_w * 32);
    program.copy({Space::ub, Space::gm, 1, bytes, bytes, bytes}, at(to) + (plane * w.out_h + oh) * w.out_w * 32, at(out8));
    program.set_flag(Pipe::mte3, Pipe::v, 0);
  }

  /// out[ow] = max(out[ow], joined[ow * stride + kw - pad]): one repeat a position, 32 lanes of 16 bits.
  static void join_column(VectorCode& code, const Window& w, std::int64_t kw, std::uint64_t out16, std::uint64_t joined) {
    std::int64_t first = 0, last = w.out_w - 1;
    while (first <= last && first * w.stride_w + kw - w.pad_left < 0) ++first;
    while (last >= first && last * w.stride_w + kw - w.pad_left >= w.in[3]) --last;
    if (first > last) return;
    isa::VectorOperands o = VectorCode::full_repeats(VectorOp::max, DataType::fp16, static_cast<int>(last - first + 1));
    o.mask[0] = 0xffffffffull;
    o.mask[1] = 0;
    o.dst_repeat_stride = o.src0_repeat_stride = 2;
    o.src1_repeat_stride = static_cast<std::uint16_t>(2 * w.stride_w);
    const std::uint64_t dst = out16 + static_cast<std::uint64_t>(first * 64);
    code.emit(o, dst, dst, joined + static_cast<std::uint64_t>((first * w.stride_w + kw - w.pad_left) * 64));
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_global_average_pool() { return std::make_unique<QLinearGlobalAveragePool>(); }
std::unique_ptr<OperatorDefinition> make_max_pool() { return std::make_unique<MaxPool>(); }

}  // namespace npulab::operators
