// SPDX-License-Identifier: Apache-2.0
// Transpose of 8-bit images between channels first (NCHW) and channels last (NHWC).
#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"

namespace npulab::operators {
namespace {

class Transpose final : public OperatorDefinition {
 public:
  std::string name() const override { return "Transpose"; }
  std::vector<Parameter> inputs() const override { return {{"data", Parameter::Kind::required, eight_bit()}}; }
  std::vector<Parameter> outputs() const override { return {{"transposed", Parameter::Kind::required, eight_bit()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"perm", AttributeDefinition::Kind::integers}}; }

  std::string limits() const override { return "8-bit elements, NCHW to NHWC (0,2,3,1) and back (0,3,1,2)."; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Tensor x = graph.tensor(node.inputs[0]);
    const std::vector<std::int64_t> perm = node.integers("perm", {});
    if (x.shape.size() != 4 || (perm != kToLast && perm != kToFirst)) {
      throw OperatorProblem{"perm: expected [0,2,3,1] or [0,3,1,2] on a four-dimensional tensor, found " + graph::to_string(perm) +
                            " on " + graph::to_string(x.shape)};
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
          const std::size_t first = static_cast<std::size_t>((image * b.channels + c) * b.positions + p),
                            last = static_cast<std::size_t>((image * b.positions + p) * b.channels + c);
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
    const std::uint64_t blocks = context.scratch(node.name + ".blocks", planes.bytes());
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

std::unique_ptr<OperatorDefinition> make_transpose() { return std::make_unique<Transpose>(); }

}  // namespace npulab::operators
