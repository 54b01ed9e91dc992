// SPDX-License-Identifier: Apache-2.0
// MaxPool on 8-bit tensors: the rows under the window joined by maximum, then the columns.
#include <algorithm>

#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"
#include "workloads/operators/window.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::Space;
using isa::VectorOp;

constexpr std::int64_t kMostRepeats = 255;

std::int64_t at(std::uint64_t address) { return static_cast<std::int64_t>(address); }

class MaxPool final : public OperatorDefinition {
 public:
  std::string name() const override { return "MaxPool"; }
  std::vector<Parameter> inputs() const override { return {{"X", Parameter::Kind::required, eight_bit()}}; }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    using Kind = AttributeDefinition::Kind;
    return {{"auto_pad", Kind::text, "NOTSET"}, {"ceil_mode", Kind::integer, "0"},      {"dilations", Kind::integers, "1, 1"},
            {"kernel_shape", Kind::integers},   {"pads", Kind::integers, "0, 0, 0, 0"}, {"storage_order", Kind::integer, "0"},
            {"strides", Kind::integers, "1, 1"}};
  }
  std::string limits() const override {
    return "8-bit elements, two spatial dimensions, no ceil_mode, no indices; two rows must fit into UB.";
  }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const Window w = pool_window(node, graph);
    const graph::Tensor x = graph.tensor(node.inputs[0]);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = x.type;
    y.shape = {x.shape[0], x.shape[1], w.out_h, w.out_w};
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const Window w = pool_window(node, graph);
    const graph::Tensor& x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    std::size_t out = 0;
    for (std::int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
      for (std::int64_t oh = 0; oh < w.out_h; ++oh) {
        for (std::int64_t ow = 0; ow < w.out_w; ++ow) set_element(y, out++, most_under(x, w, plane, oh, ow));
      }
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const Window w = pool_window(node, context.graph());
    const std::uint64_t from = context.input(node.inputs[0], Layout::blocked),
                        to = context.output(node.outputs[0], Layout::blocked);
    const Blocking b = blocking_of(context.graph().tensor(node.inputs[0]).shape);
    const DataType type = graph::device_type(context.graph().tensor(node.inputs[0]).type);
    const Bytes room = context.vector_pool().core->buffers[static_cast<int>(Space::ub)].capacity;
    const std::int64_t needed = w.in_w * 160 + w.out_w * 96;
    if (needed > room) {
      throw OperatorProblem{"expected rows that fit into UB (" + std::to_string(room) + " bytes), found " + std::to_string(needed) +
                            " bytes needed"};
    }
    const std::int64_t rows = b.images * b.blocks() * w.out_h;
    context.add_vector_kernel(node.name, node.op, rows, [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
      VectorCode code(program);
      bool loaded = false;
      for (std::int64_t row = first; row < last; ++row) pool_row(program, code, w, type, from, to, row, row > first, loaded);
      // Takes back the flags that hand buffers on to a next row which does not come.
      if (loaded) program.wait_flag(isa::Pipe::v, isa::Pipe::mte2, 0);
      program.wait_flag(isa::Pipe::mte3, isa::Pipe::v, 0);
    });
  }

 private:
  static Window pool_window(const graph::Node& node, const graph::Graph& graph) {
    const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
    const auto kernel = node.integers("kernel_shape", {});
    if (x.size() != 4 || kernel.size() != 2)
      throw OperatorProblem{"expected a two-dimensional window on a four-dimensional X, found " + graph::to_string(x)};
    for (const char* key : {"ceil_mode", "storage_order"}) {
      if (node.integer(key, 0) != 0)
        throw OperatorProblem{std::string(key) + ": expected 0, found another value, which is not supported"};
    }
    const Window w = window_of(node, x[2], x[3], kernel[0], kernel[1]);
    require_range("pads, less than the window,", {w.pad_top, w.pad_bottom}, 0, w.reach_h() - 1);
    require_range("pads, less than the window,", {w.pad_left, w.pad_right}, 0, w.reach_w() - 1);
    return w;
  }

  static int most_under(const graph::Tensor& x, const Window& w, std::int64_t plane, std::int64_t oh, std::int64_t ow) {
    int most = low_of(x.type);
    for (std::int64_t kh = 0; kh < w.kernel_h; ++kh) {
      for (std::int64_t kw = 0; kw < w.kernel_w; ++kw) {
        const std::int64_t h = oh * w.stride_h - w.pad_top + kh * w.dilation_h,
                           v = ow * w.stride_w - w.pad_left + kw * w.dilation_w;
        if (h < 0 || h >= w.in_h || v < 0 || v >= w.in_w) continue;
        most = std::max(most, element(x, static_cast<std::size_t>((plane * w.in_h + h) * w.in_w + v)));
      }
    }
    return most;
  }

  /// One output row of one channel block: the rows under the window joined by maximum, then the columns. `loaded`: a row has
  /// been loaded before, so that its buffer is handed back.
  static void pool_row(isa::ProgramBuilder& program, VectorCode& code, const Window& w, DataType type, std::uint64_t from,
                       std::uint64_t to, std::int64_t row, bool again, bool& loaded) {
    using isa::Pipe;
    const std::int64_t width = w.in_w, plane = row / w.out_h, oh = row % w.out_h;
    const std::uint64_t bytes8 = 0, half = bytes8 + static_cast<std::uint64_t>(width * 32),
                        joined = half + static_cast<std::uint64_t>(width * 64);
    const std::uint64_t out16 = joined + static_cast<std::uint64_t>(width * 64),
                        out8 = out16 + static_cast<std::uint64_t>(w.out_w * 64);
    const auto elements = static_cast<std::uint32_t>(width * 32);
    const float least = type == DataType::int8 ? -128.0f : 0.0f;
    code.fill(DataType::fp16, joined, least, elements);
    for (std::int64_t kh = 0; kh < w.kernel_h; ++kh) {
      const std::int64_t h = oh * w.stride_h - w.pad_top + kh * w.dilation_h;
      if (h < 0 || h >= w.in_h) continue;
      if (loaded) program.wait_flag(Pipe::v, Pipe::mte2, 0);
      loaded = true;
      program.copy({Space::gm, Space::ub, 1, elements, elements, elements}, at(bytes8),
                   at(from) + (plane * w.in_h + h) * width * 32);
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

  /// out[ow] = max(out[ow], joined[ow * stride + kw * dilation - pad]): one repeat a position, 32 lanes of 16 bits.
  static void join_column(VectorCode& code, const Window& w, std::int64_t kw, std::uint64_t out16, std::uint64_t joined) {
    const std::int64_t offset = kw * w.dilation_w - w.pad_left;
    std::int64_t first = 0, last = w.out_w - 1;
    while (first <= last && first * w.stride_w + offset < 0) ++first;
    while (last >= first && last * w.stride_w + offset >= w.in_w) --last;
    if (first > last) return;
    for (; first <= last; first += kMostRepeats) {
      const int repeats = static_cast<int>(std::min(kMostRepeats, last - first + 1));
      isa::VectorOperands o = VectorCode::full_repeats(VectorOp::max, DataType::fp16, repeats);
      o.mask[0] = 0xffffffffull;
      o.mask[1] = 0;
      o.dst_repeat_stride = o.src0_repeat_stride = 2;
      o.src1_repeat_stride = static_cast<std::uint16_t>(2 * w.stride_w);
      const std::uint64_t dst = out16 + static_cast<std::uint64_t>(first * 64);
      code.emit(o, dst, dst, joined + static_cast<std::uint64_t>((first * w.stride_w + offset) * 64));
    }
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_max_pool() { return std::make_unique<MaxPool>(); }

}  // namespace npulab::operators
