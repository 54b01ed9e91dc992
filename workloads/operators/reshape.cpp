// SPDX-License-Identifier: Apache-2.0
// Reshape by a constant shape; 0 keeps an extent, -1 takes what is left.
#include <algorithm>

#include "workloads/operators/built_in.h"
#include "workloads/operators/same_bytes.h"

namespace npulab::operators {
namespace {

class Reshape final : public SameBytes {
 public:
  std::string name() const override { return "Reshape"; }
  std::vector<Parameter> inputs() const override {
    return {{"data", Parameter::Kind::required, any_device_type()},
            {"shape", Parameter::Kind::required, {graph::ElementType::int64}, true}};
  }
  std::vector<AttributeDefinition> attributes() const override { return {{"allowzero", AttributeDefinition::Kind::integer, "0"}}; }

 private:
  graph::Shape new_shape(const graph::Node& node, const graph::Graph& graph) const override {
    const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
    const graph::Tensor& wanted = graph.tensor(node.inputs[1]);
    graph::Shape y;
    int free = -1;
    if (wanted.shape.size() != 1) throw OperatorProblem{"shape: expected a list, found " + graph::to_string(wanted.shape)};
    for (std::size_t i = 0; i < static_cast<std::size_t>(graph::element_count(wanted.shape)); ++i) {
      std::int64_t extent = wanted.integer(i);
      if (extent == 0 && i < x.size() && node.integer("allowzero", 0) == 0) extent = x[i];
      if (extent < -1 || extent == 0 || (extent == -1 && free >= 0)) {
        throw OperatorProblem{"shape: expected positive extents and at most one -1, found " + std::to_string(extent)};
      }
      if (extent == -1) free = static_cast<int>(i);
      y.push_back(extent == -1 ? 1 : extent);
    }
    if (free >= 0) y[static_cast<std::size_t>(free)] = graph::element_count(x) / graph::element_count(y);
    return y;
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_reshape() { return std::make_unique<Reshape>(); }

}  // namespace npulab::operators
