// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearGlobalAveragePool: sum - n zx, requantised with sx / (sy n).
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
    return {{"X", Kind::required, eight_bit()},
            {"x_scale", Kind::required, real(), true},
            {"x_zero_point", Kind::required, eight_bit(), true, "X"},
            {"y_scale", Kind::required, real(), true},
            {"y_zero_point", Kind::required, eight_bit(), true, "X"}};
  }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override {
    return {{"channels_last", AttributeDefinition::Kind::integer, "0"}};
  }

  std::string limits() const override { return "Two spatial dimensions of at most 65536 positions, channels first."; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor& x = graph.tensor(node.inputs[0]);
    if (x.shape.size() != 4) throw OperatorProblem{"expected a four-dimensional X, found " + graph::to_string(x.shape)};
    if (node.integer("channels_last", 0) != 0)
      throw OperatorProblem{"channels_last: expected 0, found another value, which is not supported"};
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
      for (std::int64_t p = 0; p < v.positions; ++p)
        sum += element(x, c * static_cast<std::size_t>(v.positions) + static_cast<std::size_t>(p));
      set_element(
          y, c,
          numerics::requantise(static_cast<std::int32_t>(sum), v.multiplier, v.y.zero_point(), y.type == graph::ElementType::int8));
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const Terms v = terms_of(node, context.graph());
    if (v.positions > (1 << 16))
      throw OperatorProblem{"expected at most 65536 positions, whose sum is exact in fp32, found " + std::to_string(v.positions)};
    const graph::Tensor& x = context.graph().tensor(node.inputs[0]);
    const std::uint64_t from = context.input(node.inputs[0], Layout::blocked),
                        to = context.output(node.outputs[0], Layout::blocked);
    const Blocking b = blocking_of(x.shape);
    const DataType in = graph::device_type(x.type), out = graph::device_type(context.graph().tensor(node.outputs[0]).type);
    context.add_vector_kernel(node.name, node.op, b.images * b.blocks(),
                              [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
                                VectorCode code(program);
                                for (std::int64_t block = first; block < last; ++block)
                                  pool_block(program, code, v, in, out, from, to, block, block > first);
                                close_flags(program);
                              });
  }

 private:
  static constexpr std::int64_t kChunk = 256;  // positions at a time
  static constexpr std::uint64_t kBytes = 0, kHalf = kBytes + kChunk * 32, kReal = kHalf + kChunk * 64, kSum = kReal + kChunk * 128,
                                 kResult = kSum + 128;

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
  static void pool_block(isa::ProgramBuilder& program, VectorCode& code, const Terms& v, DataType in, DataType out,
                         std::uint64_t from, std::uint64_t to, std::int64_t block, bool again) {
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
        code.binary(VectorOp::add, DataType::fp32, kReal, kReal, kReal + static_cast<std::uint64_t>((left - half) * 128),
                    static_cast<std::uint32_t>(half * 32));
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

}  // namespace

std::unique_ptr<OperatorDefinition> make_qlinear_global_average_pool() { return std::make_unique<QLinearGlobalAveragePool>(); }

}  // namespace npulab::operators
