// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/same_bytes.h"

#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"

namespace npulab::operators {

std::vector<graph::ElementType> any_device_type() {
  return {graph::ElementType::int8, graph::ElementType::uint8, graph::ElementType::int32, graph::ElementType::fp32};
}

void SameBytes::infer(const graph::Node& node, graph::Graph& graph) const {
  const graph::Tensor x = graph.tensor(node.inputs[0]);
  graph::Tensor& y = graph.tensor(node.outputs[0]);
  y.type = x.type;
  y.shape = new_shape(node, graph);
  if (graph::element_count(y.shape) != graph::element_count(x.shape)) {
    throw OperatorProblem{"expected as many elements as " + graph::to_string(x.shape) + " has, found " + graph::to_string(y.shape)};
  }
}

void SameBytes::reference(const graph::Node& node, const graph::Graph& graph, Values& values) const {
  const std::vector<std::uint8_t> bytes = values.at(node.inputs[0]).data;
  make_output(graph, node.outputs[0], values).data = bytes;
}

void SameBytes::lower(const graph::Node& node, LoweringContext& context) const {
  const graph::Tensor& x = context.graph().tensor(node.inputs[0]);
  const graph::Tensor& y = context.graph().tensor(node.outputs[0]);
  if (graph::size_of(x.type) == 1 && context.has(node.inputs[0], Layout::blocked) && x.shape.size() <= 4 && y.shape.size() <= 4) {
    const Blocking from = blocking_of(x.shape), to = blocking_of(y.shape);
    // With one position an image of channel blocks is the plain vector of channels: the blocks can stay as they are.
    if (from.positions == 1 && to.positions == 1 && from.channels == to.channels) {
      context.alias(node.outputs[0], node.inputs[0], Layout::blocked);
      return;
    }
  }
  context.input(node.inputs[0], Layout::nd);
  context.alias(node.outputs[0], node.inputs[0], Layout::nd);
}

}  // namespace npulab::operators
