// SPDX-License-Identifier: Apache-2.0
// ONNX files into a Graph. Tolerant of newer IR versions; everything that cannot be used is a UserError that names the file and
// the node, all of them at once.
#pragma once

#include <string>

#include "workloads/graph/graph.h"

namespace npulab::graph {

/// Reads a model; nodes come out in topological order. Operators are not checked here.
Graph import_onnx(const std::string& file);

}  // namespace npulab::graph
