// SPDX-License-Identifier: Apache-2.0
// Softmax over the last axis in fp32: exp(x - max) / sum, one row at a time.
#include <algorithm>

#include "model/numerics/transcendental.h"
#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

using isa::DataType;
using isa::Space;
using isa::VectorOp;

constexpr std::int64_t kLanes = 64;               // fp32 lanes of a repeat
constexpr std::int64_t kMaxLength = 64 * kLanes;  // two levels of reduction
constexpr float kLeast = -3.0e38f;                // its exponential is zero

class Softmax final : public OperatorDefinition {
 public:
  std::string name() const override { return "Softmax"; }
  std::vector<Parameter> inputs() const override { return {{"input", Parameter::Kind::required, real()}}; }
  std::vector<Parameter> outputs() const override { return {{"output", Parameter::Kind::required, real()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer, "-1"}}; }

  std::string limits() const override { return "The last axis, of at most 4096 elements."; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor x = graph.tensor(node.inputs[0]);
    const std::int64_t axis = node.integer("axis", -1), rank = static_cast<std::int64_t>(x.shape.size());
    if (rank == 0 || (axis != -1 && axis != rank - 1))
      throw OperatorProblem{"axis: expected the last one, found " + std::to_string(axis) + " of " + std::to_string(rank)};
    if (x.shape.back() > kMaxLength)
      throw OperatorProblem{"expected at most " + std::to_string(kMaxLength) + " elements along the axis, found " +
                            std::to_string(x.shape.back())};
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph::ElementType::fp32;
    y.shape = x.shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const graph::Tensor x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    const std::size_t length = static_cast<std::size_t>(x.shape.back()), rows = x.data.size() / 4 / length;
    for (std::size_t row = 0; row < rows; ++row) {
      float most = x.real(row * length), sum = 0.0f;
      for (std::size_t i = 0; i < length; ++i) most = std::max(most, x.real(row * length + i));
      for (std::size_t i = 0; i < length; ++i) sum += numerics::exp_fp32(x.real(row * length + i) - most);
      for (std::size_t i = 0; i < length; ++i) {
        const float value = numerics::exp_fp32(x.real(row * length + i) - most) / sum;
        std::memcpy(y.data.data() + (row * length + i) * 4, &value, 4);
      }
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const graph::Shape& shape = context.graph().tensor(node.inputs[0]).shape;
    const std::int64_t length = shape.back(), rows = graph::element_count(shape) / length;
    const std::uint64_t from = context.input(node.inputs[0], Layout::nd), to = context.output(node.outputs[0], Layout::nd);
    context.add_vector_kernel(node.name, node.op, rows, [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
      VectorCode code(program);
      const auto bytes = static_cast<std::uint32_t>(length * 4);
      for (std::int64_t row = first; row < last; ++row) {
        if (row > first) program.wait_flag(isa::Pipe::mte3, isa::Pipe::v, 0);
        code.fill(DataType::fp32, 0, kLeast, static_cast<std::uint32_t>(round_up(length, kLanes)));
        program.set_flag(isa::Pipe::v, isa::Pipe::mte2, 0);
        program.wait_flag(isa::Pipe::v, isa::Pipe::mte2, 0);
        program.copy({Space::gm, Space::ub, 1, bytes, bytes, bytes}, 0, static_cast<std::int64_t>(from) + row * bytes);
        program.set_flag(isa::Pipe::mte2, isa::Pipe::v, 0);
        program.wait_flag(isa::Pipe::mte2, isa::Pipe::v, 0);
        soften(code, length);
        program.set_flag(isa::Pipe::v, isa::Pipe::mte3, 0);
        program.wait_flag(isa::Pipe::v, isa::Pipe::mte3, 0);
        program.copy({Space::ub, Space::gm, 1, bytes, bytes, bytes}, static_cast<std::int64_t>(to) + row * bytes, 0);
        if (row + 1 < last) program.set_flag(isa::Pipe::mte3, isa::Pipe::v, 0);
      }
    });
  }

 private:
  static constexpr std::uint64_t kPartial = kMaxLength * 4, kOne = kPartial + 256, kSpread = kOne + 32;

  /// One number for the whole row at kSpread, eight times over: per repeat, then over the repeats, then spread.
  static void reduce(VectorCode& code, VectorOp op, std::int64_t length) {
    const int repeats = static_cast<int>(ceil_div(length, kLanes));
    isa::VectorOperands o = VectorCode::full_repeats(op, DataType::fp32, repeats);
    o.dst_repeat_stride = 1;
    code.emit(o, kPartial, 0);
    isa::VectorOperands second = VectorCode::full_repeats(op, DataType::fp32, 1);
    second.mask[0] = repeats == 64 ? ~0ull : (1ull << repeats) - 1;
    second.mask[1] = 0;
    second.dst_repeat_stride = 1;
    code.emit(second, kOne, kPartial);
    code.emit(VectorCode::full_repeats(VectorOp::broadcast_block, DataType::fp32, 1), kSpread, kOne);
  }

  /// dst = row op the number at kSpread.
  static void with_spread(VectorCode& code, VectorOp op, std::int64_t length) {
    isa::VectorOperands o = VectorCode::full_repeats(op, DataType::fp32, static_cast<int>(ceil_div(length, kLanes)));
    o.src1_block_stride = 0;
    o.src1_repeat_stride = 0;
    code.emit(o, 0, 0, kSpread);
  }

  static void soften(VectorCode& code, std::int64_t length) {
    reduce(code, VectorOp::reduce_max, length);
    with_spread(code, VectorOp::sub, length);
    code.unary(VectorOp::exp, DataType::fp32, 0, 0, static_cast<std::uint32_t>(round_up(length, kLanes)));
    reduce(code, VectorOp::reduce_sum, length);
    with_spread(code, VectorOp::div, length);
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_softmax() { return std::make_unique<Softmax>(); }

}  // namespace npulab::operators
