// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of a node's tensors, per tensor or per channel, as numbers.
#pragma once

#include <string>
#include <vector>

#include "workloads/operators/operator.h"

namespace npulab::operators {

struct Quantisation {
  std::vector<float> scales;  // one, or one a channel
  std::vector<int> zero_points;
  float scale(std::size_t channel = 0) const { return scales[scales.size() == 1 ? 0 : channel]; }
  int zero_point(std::size_t channel = 0) const { return zero_points[zero_points.size() == 1 ? 0 : channel]; }
};

/// Reads constant tensors `scale` and `zero_point` ("" : zero). Throws OperatorProblem when they are not scalars or vectors of
/// `channels` elements, or a scale is not positive and finite.
Quantisation quantisation_of(const graph::Graph& graph, const std::string& scale, const std::string& zero_point,
                             std::int64_t channels);

/// Low and high end of an 8-bit type.
inline int low_of(graph::ElementType type) { return type == graph::ElementType::uint8 ? 0 : -128; }
inline int high_of(graph::ElementType type) { return type == graph::ElementType::uint8 ? 255 : 127; }

/// A tensor's element as an integer, and writing one back.
int element(const graph::Tensor& tensor, std::size_t index);
void set_element(graph::Tensor& tensor, std::size_t index, int value);

/// An output tensor of a reference, ready to be written.
graph::Tensor& make_output(const graph::Graph& graph, const std::string& name, std::map<std::string, graph::Tensor>& values);

/// int8 and uint8, for parameter lists.
inline std::vector<graph::ElementType> eight_bit() { return {graph::ElementType::int8, graph::ElementType::uint8}; }
inline std::vector<graph::ElementType> real() { return {graph::ElementType::fp32}; }

}  // namespace npulab::operators
