// SPDX-License-Identifier: Apache-2.0
// From an ONNX file to a workload for one chip: import, binding of parameters, checks and shapes, lowering, copies in and out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/base/errors.h"
#include "model/spec/soc_spec.h"
#include "model/task/workload.h"
#include "workloads/graph/graph.h"

namespace npulab::graph {

struct CompiledNetwork {
  Graph graph;  // with every shape known
  Workload workload;
  /// For each input of the file: index into workload.inputs, or -1 when it was bound as a constant.
  std::vector<int> input_slots;
  std::vector<std::string> file_inputs;
};

/// Reads the given input files by the file's input order; weights, scales and zero points that the file leaves as inputs become
/// constants and must be given. Throws UserError with every problem found.
CompiledNetwork compile_network(const std::string& file, const SocSpec& soc, const std::vector<std::string>& input_files);

/// Everything wrong with a network that can be told without a chip: the file, operators, attributes, types and shapes. Parameters
/// that the file leaves as inputs end the check before the shapes.
std::vector<Diagnostic> check_network(const std::string& file);

/// Computes every tensor of the network on the host with the operators' reference functions; `inputs` by graph input order.
std::map<std::string, Tensor> evaluate_reference(const Graph& graph, const std::vector<Tensor>& inputs);

}  // namespace npulab::graph
