// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/quantisation.h"

#include <cmath>

namespace npulab::operators {

Quantisation quantisation_of(const graph::Graph& graph, const std::string& scale, const std::string& zero_point,
                             std::int64_t channels) {
  Quantisation q;
  const graph::Tensor& s = graph.tensor(scale);
  const std::int64_t scales = graph::element_count(s.shape);
  if (scales != 1 && scales != channels) {
    throw OperatorProblem{"scale '" + scale + "': expected 1 or " + std::to_string(channels) + " elements, found " +
                          std::to_string(scales)};
  }
  for (std::int64_t i = 0; i < scales; ++i) {
    q.scales.push_back(s.real(static_cast<std::size_t>(i)));
    if (!(q.scales.back() > 0.0f) || !std::isfinite(q.scales.back()))
      throw OperatorProblem{"scale '" + scale + "': expected positive finite numbers, found another"};
  }
  if (zero_point.empty()) {
    q.zero_points = {0};
    return q;
  }
  const graph::Tensor& z = graph.tensor(zero_point);
  const std::int64_t points = graph::element_count(z.shape);
  if (points != 1 && points != channels) {
    throw OperatorProblem{"zero point '" + zero_point + "': expected 1 or " + std::to_string(channels) + " elements, found " +
                          std::to_string(points)};
  }
  for (std::int64_t i = 0; i < points; ++i) q.zero_points.push_back(static_cast<int>(z.integer(static_cast<std::size_t>(i))));
  return q;
}

int element(const graph::Tensor& tensor, std::size_t index) {
  return tensor.type == graph::ElementType::uint8 ? static_cast<int>(tensor.data[index])
                                                  : static_cast<int>(static_cast<std::int8_t>(tensor.data[index]));
}

void set_element(graph::Tensor& tensor, std::size_t index, int value) { tensor.data[index] = static_cast<std::uint8_t>(value); }

graph::Tensor& make_output(const graph::Graph& graph, const std::string& name, std::map<std::string, graph::Tensor>& values) {
  graph::Tensor& output = values[name];
  output = graph.tensor(name);
  output.data.assign(static_cast<std::size_t>(graph::element_count(output.shape) * graph::size_of(output.type)), 0);
  return output;
}

}  // namespace npulab::operators
