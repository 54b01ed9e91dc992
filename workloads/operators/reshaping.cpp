// SPDX-License-Identifier: Apache-2.0
// Flatten, Reshape and Transpose (NCHW to NHWC and back): other names or another order for the same bytes.
#include <algorithm>

#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

std::vector<graph::ElementType> any_type() {
  return {graph::ElementType::int8, graph::ElementType::uint8, graph::ElementType::int32, graph::ElementType::fp32};
}

/// A tensor with the same row-major bytes and another shape.
class SameBytes : public OperatorDefinition {
 public:
  std::vector<Parameter> outputs() const override { return {{"output", Parameter::Kind::required, any_type()}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor x = graph.tensor(node.inputs[0]);
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = x.type;
    y.shape = new_shape(node, graph);
    if (graph::element_count(y.shape) != graph::element_count(x.shape)) throw OperatorProblem{"expected as many elements as " + graph::to_string(x.shape) + " has, found " + graph::to_string(y.shape)};
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const graph::Tensor x = values.at(node.inputs[0]);
    make_output(graph, node.outputs[0], values).data = x.data;
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const graph::Tensor& x = context.graph().tensor(node.inputs[0]);
    const graph::Tensor& y = context.graph().tensor(node.outputs[0]);
    const Blocking from = blocking_of(x.shape), to = blocking_of(y.shape);
    // With one position an image of channel blocks is the plain vector of channels: the blocks can stay as they are.
    const bool vector = graph::size_of(x.type) == 1 && from.positions == 1 && to.positions == 1 && from.channels == to.channels;
    if (vector && context.has(node.inputs[0], Layout::blocked)) {
      context.alias(node.outputs[0], node.inputs[0], Layout::blocked);
      return;
    }
    context.input(node.inputs[0], Layout::nd);
    context.alias(node.outputs[0], node.inputs[0], Layout::nd);
  }

 protected:
  virtual graph::Shape new_shape(const graph::Node& node, const graph::Graph& graph) const = 0;
};

class Flatten final : public SameBytes {
 public:
  std::string name() const override { return "Flatten"; }
  std::vector<Parameter> inputs() const override { return {{"input", Parameter::Kind::required, any_type()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer}}; }

 private:
  graph::Shape new_shape(const graph::Node& node, const graph::Graph& graph) const override {
    const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
    std::int64_t axis = node.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(x.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank) throw OperatorProblem{"axis: expected -" + std::to_string(rank) + " to " + std::to_string(rank) + ", found " + std::to_string(node.integer("axis", 1))};
    graph::Shape y = {1, 1};
    for (std::int64_t i = 0; i < rank; ++i) y[i < axis ? 0 : 1] *= x[static_cast<std::size_t>(i)];
    return y;
  }
};

class Reshape final : public SameBytes {
 public:
  std::string name() const override { return "Reshape"; }
  std::vector<Parameter> inputs() const override {
    return {{"data", Parameter::Kind::required, any_type()}, {"shape", Parameter::Kind::required, {graph::ElementType::int64}, true}};
  }
  std::vector<AttributeDefinition> attributes() const override { return {{"allowzero", AttributeDefinition::Kind::integer}}; }

 private:
  graph::Shape new_shape(const graph::Node& node, const graph::Graph& graph) const override {
    const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
    const graph::Tensor& wanted = graph.tensor(node.inputs[1]);
    graph::Shape y;
    std::int64_t known = 1;
    int free = -1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(graph::element_count(wanted.shape)); ++i) {
      std::int64_t extent = wanted.integer(i);
      if (extent == 0 && i < x.size()) extent = x[i];
      if (extent < -1 || extent == 0 || (extent == -1 && free >= 0)) throw OperatorProblem{"shape: expected positive extents and at most one -1, found " + std::to_string(extent)};
      if (extent == -1) free = static_cast<int>(i);
      else known *= extent;
      y.push_back(extent);
    }
    if (free >= 0) y[static_cast<std::size_t>(free)] = graph::element_count(x) / std::max<std::int64_t>(known, 1);
    return y;
  }
};

class Transpose final : public OperatorDefinition {
 public:
  std::string name() const override { return "Transpose"; }
  std::vector<Parameter> inputs() const override { return {{"data", Parameter::Kind::required, eight_bit()}}; }
  std::vector<Parameter> outputs() const override { return {{"transposed", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"perm", AttributeDefinition::Kind::integers}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor x = graph.tensor(node.inputs[0]);
    const std::vector<std::int64_t> perm = node.integers("perm", {});
    if (x.shape.size() != 4 || (perm != kToLast && perm != kToFirst)) {
      throw OperatorProblem{"perm: expected [0,2,3,1] or [0,3,1,2] on a four-dimensional tensor, found " + graph::to_string(perm) + " on " + graph::to_string(x.shape)};
    }
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = x.type;
    y.shape.clear();
    for (std::int64_t axis : perm) y.shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const graph::Tensor x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    const bool to_last = node.integers("perm", {}) == kToLast;
    const Blocking b = channels_and_positions(x.shape, to_last);
    for (std::int64_t image = 0; image < b.images; ++image) {
      for (std::int64_t c = 0; c < b.channels; ++c) {
        for (std::int64_t p = 0; p < b.positions; ++p) {
          const std::size_t first = static_cast<std::size_t>((image * b.channels + c) * b.positions + p), last = static_cast<std::size_t>((image * b.positions + p) * b.channels + c);
          y.data[to_last ? last : first] = x.data[to_last ? first : last];
        }
      }
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const bool to_last = node.integers("perm", {}) == kToLast;
    const Blocking planes = channels_and_positions(context.graph().tensor(node.inputs[0]).shape, to_last);
    Blocking rows = planes;
    rows.channel_last = true;
    // By way of channel blocks, which both orders can be moved to and from.
    std::vector<std::uint8_t> zeros(static_cast<std::size_t>(planes.bytes()), 0);
    const std::uint64_t blocks = context.constant(node.name + ".blocks", std::move(zeros));
    const std::uint64_t from = context.input(node.inputs[0], Layout::nd), to = context.output(node.outputs[0], Layout::nd);
    add_to_blocked(context, node.name, to_last ? planes : rows, from, blocks);
    add_to_row_major(context, node.name, to_last ? rows : planes, blocks, to);
  }

 private:
  static const std::vector<std::int64_t> kToLast, kToFirst;
  static Blocking channels_and_positions(const graph::Shape& x, bool to_last) {
    Blocking b;
    b.images = x[0];
    b.channels = to_last ? x[1] : x[3];
    b.positions = to_last ? x[2] * x[3] : x[1] * x[2];
    return b;
  }
};

const std::vector<std::int64_t> Transpose::kToLast = {0, 2, 3, 1};
const std::vector<std::int64_t> Transpose::kToFirst = {0, 3, 1, 2};

}  // namespace

std::unique_ptr<OperatorDefinition> make_flatten() { return std::make_unique<Flatten>(); }
std::unique_ptr<OperatorDefinition> make_reshape() { return std::make_unique<Reshape>(); }
std::unique_ptr<OperatorDefinition> make_transpose() { return std::make_unique<Transpose>(); }

}  // namespace npulab::operators
