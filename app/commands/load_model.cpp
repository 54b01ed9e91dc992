// SPDX-License-Identifier: Apache-2.0
#include "app/commands/load_model.h"

#include <random>

#include "model/base/errors.h"
#include "workloads/graph/compile.h"
#include "workloads/graph/tensor_file.h"

namespace npulab::commands {
namespace {

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

graph::ElementType element_type(isa::DataType type) {
  switch (type) {
    case isa::DataType::uint8: return graph::ElementType::uint8;
    case isa::DataType::int32: return graph::ElementType::int32;
    case isa::DataType::fp32: return graph::ElementType::fp32;
    default: return graph::ElementType::int8;
  }
}

graph::Tensor description(const WorkloadTensor& tensor) {
  graph::Tensor expected;
  expected.name = tensor.name;
  expected.type = element_type(tensor.type);
  expected.shape = tensor.shape;
  return expected;
}

/// Bytes for an input nobody gave: any 8-bit value, or floats in [-1, 1).
std::vector<std::uint8_t> random_bytes(const WorkloadTensor& tensor, std::mt19937_64& random) {
  std::vector<std::uint8_t> bytes(tensor.bytes);
  if (tensor.type == isa::DataType::fp32) {
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const float value = static_cast<float>(static_cast<std::int32_t>(random() >> 40)) / 8388608.0f - 1.0f;
      std::memcpy(bytes.data() + i, &value, 4);
    }
  } else {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

void read_inputs(const ModelRequest& request, const std::vector<int>& slots, LoadedModel& model) {
  std::mt19937_64 random(request.seed);
  std::vector<Diagnostic> problems;
  if (request.inputs.size() > slots.size()) {
    throw UserError("--input: expected at most " + std::to_string(slots.size()) + " files, found " + std::to_string(request.inputs.size()));
  }
  model.inputs.resize(model.workload.inputs.size());
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    model.inputs[i] = random_bytes(model.workload.tensors[static_cast<std::size_t>(model.workload.inputs[i])], random);
  }
  for (std::size_t file = 0; file < request.inputs.size(); ++file) {
    model.files.push_back(request.inputs[file]);
    if (slots[file] < 0) continue;  // bound at compile time
    const auto slot = static_cast<std::size_t>(slots[file]);
    model.inputs[slot] = graph::read_tensor_file(request.inputs[file], description(model.workload.tensors[static_cast<std::size_t>(model.workload.inputs[slot])])).data;
  }
}

}  // namespace

LoadedModel load_model(const ModelRequest& request, const SocSpec& soc) {
  LoadedModel model;
  std::vector<int> slots;
  if (ends_with(request.path, ".onnx")) {
    graph::CompiledNetwork network = graph::compile_network(request.path, soc, request.inputs);
    model.workload = std::move(network.workload);
    slots = network.input_slots;
    model.files.push_back(request.path);
  } else {
    model.workload = loader::load_workload(request.path, soc, request.parameters);
    for (std::size_t i = 0; i < model.workload.inputs.size(); ++i) slots.push_back(static_cast<int>(i));
  }
  if (static_cast<std::int64_t>(model.workload.arena_bytes) > soc.memory.hbm.capacity) {
    throw UserError({{request.path, 0, 0, "", "expected a workload that fits into " + std::to_string(soc.memory.hbm.capacity) + " bytes of device memory, found one of " + std::to_string(model.workload.arena_bytes)}});
  }
  read_inputs(request, slots, model);
  if (request.expected.size() > model.workload.outputs.size()) {
    throw UserError("--expect: expected at most " + std::to_string(model.workload.outputs.size()) + " files, found " + std::to_string(request.expected.size()));
  }
  for (std::size_t i = 0; i < request.expected.size(); ++i) {
    const WorkloadTensor& output = model.workload.tensors[static_cast<std::size_t>(model.workload.outputs[i])];
    model.expected.push_back(graph::read_tensor_file(request.expected[i], description(output)));
    model.files.push_back(request.expected[i]);
  }
  return model;
}

std::vector<std::string> split_overrides(const std::vector<std::string>& assignments, loader::WorkloadParameters& parameters) {
  const std::string prefix = "workload.";
  std::vector<std::string> rest;
  for (const std::string& assignment : assignments) {
    if (assignment.rfind(prefix, 0) != 0) {
      rest.push_back(assignment);
      continue;
    }
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
      throw UserError({{"--set", 0, 0, assignment, "expected workload.NAME=VALUE, found no value"}});
    parameters[assignment.substr(prefix.size(), equals - prefix.size())] = assignment.substr(equals + 1);
  }
  return rest;
}

std::int64_t peak_operations(const SocSpec& soc) {
  std::int64_t cubes = 0;
  for (const CoreGroupSpec& group : soc.groups) cubes += static_cast<std::int64_t>(group.count) * (group.fused_cores + group.cube_cores);
  const CoreSpec& core = soc.cube_core();
  return cubes * 2 * core.cube.tile_m * core.cube.tile_n * core.cube.tile_k_int8 * core.clock_khz * 1000;
}

}  // namespace npulab::commands
