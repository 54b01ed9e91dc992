// SPDX-License-Identifier: Apache-2.0
// Flatten: a matrix, the axes before `axis` by those from it on.
#include "workloads/operators/built_in.h"
#include "workloads/operators/same_bytes.h"

namespace npulab::operators {
namespace {

class Flatten final : public SameBytes {
 public:
  std::string name() const override { return "Flatten"; }
  std::vector<Parameter> inputs() const override { return {{"input", Parameter::Kind::required, any_device_type()}}; }
  std::vector<AttributeDefinition> attributes() const override { return {{"axis", AttributeDefinition::Kind::integer, "1"}}; }

 private:
  graph::Shape new_shape(const graph::Node& node, const graph::Graph& graph) const override {
    const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
    std::int64_t axis = node.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(x.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank) {
      const std::string most = std::to_string(rank);
      throw OperatorProblem{"axis: expected -" + most + " to " + most + ", found " + std::to_string(node.integer("axis", 1))};
    }
    graph::Shape y = {1, 1};
    for (std::int64_t i = 0; i < rank; ++i) y[i < axis ? 0 : 1] *= x[static_cast<std::size_t>(i)];
    return y;
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_flatten() { return std::make_unique<Flatten>(); }

}  // namespace npulab::operators
