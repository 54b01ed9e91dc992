// SPDX-License-Identifier: Apache-2.0
// What `run` and `lower` take as WORKLOAD: an ONNX file, a workload YAML or a workload folder, with its input and expected files.
#pragma once

#include <string>
#include <vector>

#include "model/spec/soc_spec.h"
#include "model/task/workload.h"
#include "workloads/graph/graph.h"
#include "workloads/loader/workload_folder.h"

namespace npulab::commands {

struct ModelRequest {
  std::string path;
  std::vector<std::string> inputs, expected;
  std::uint64_t seed = 1;
  loader::WorkloadParameters parameters;
};

struct LoadedModel {
  Workload workload;
  std::vector<std::vector<std::uint8_t>> inputs;   // by workload input
  std::vector<graph::Tensor> expected;             // by workload output, as many as were given
  std::vector<std::string> files;                  // everything read, for the manifest
};

/// Loads and checks everything; inputs that are not given are random by seed. Throws UserError.
LoadedModel load_model(const ModelRequest& request, const SocSpec& soc);

/// Takes "workload.NAME=VALUE" out of --set assignments; the rest belongs to the board.
std::vector<std::string> split_overrides(const std::vector<std::string>& assignments, loader::WorkloadParameters& parameters);

/// INT8 operations a second of all cube units.
std::int64_t peak_operations(const SocSpec& soc);

}  // namespace npulab::commands
