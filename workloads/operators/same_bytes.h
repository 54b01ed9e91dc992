// SPDX-License-Identifier: Apache-2.0
// Base of operators that give a tensor another shape and leave its row-major bytes as they are.
#pragma once

#include "workloads/operators/operator.h"

namespace npulab::operators {

/// The types such an operator takes.
std::vector<graph::ElementType> any_device_type();

class SameBytes : public OperatorDefinition {
 public:
  std::vector<Parameter> outputs() const override { return {{"output", Parameter::Kind::required, any_device_type()}}; }
  void infer(const graph::Node& node, graph::Graph& graph) const override;
  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override;
  /// No kernel if it can be helped: the output gets the input's place.
  void lower(const graph::Node& node, LoweringContext& context) const override;

 protected:
  /// Shape of the output; throws OperatorProblem.
  virtual graph::Shape new_shape(const graph::Node& node, const graph::Graph& graph) const = 0;
};

}  // namespace npulab::operators
