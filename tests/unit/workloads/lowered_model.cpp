// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/workloads/lowered_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/isa/program_checker.h"
#include "tests/golden/operators/functional_run.h"
#include "tests/golden/operators/model_folder.h"

namespace npulab::test {

SocSpec test_chip(const std::string& name) {
  const std::string small = "small_";
  if (name.rfind(small, 0) != 0) return chip_of(name);
  SocSpec soc = chip_of(name.substr(small.size()));
  CoreSpec& core = soc.fused.clock_khz != 0 ? soc.fused : soc.cube;
  const auto shrink = [&](isa::Space space, Bytes bytes) {
    Bytes& capacity = core.buffers[static_cast<int>(space)].capacity;
    capacity = std::min(capacity, bytes);
  };
  shrink(isa::Space::l1, 40 << 10);
  shrink(isa::Space::l0a, 4 << 10);
  shrink(isa::Space::l0b, 8 << 10);
  shrink(isa::Space::l0c, 16 << 10);
  shrink(isa::Space::ub, 72 << 10);
  soc.vector.buffers[static_cast<int>(isa::Space::ub)].capacity = soc.vector.clock_khz != 0 ? 72 << 10 : 0;
  for (CoreGroupSpec& group : soc.groups) group.count = 2;
  return soc;
}

LoweredModel::LoweredModel(const std::string& file, const SocSpec& soc, const std::vector<std::string>& input_files)
    : soc_(soc), network_(graph::compile_network(file, soc, input_files)) {
  const isa::ProgramChecker checker(soc_);
  for (const auto& kernel : network_.workload.kernels) {
    for (const Diagnostic& problem : checker.check(*kernel)) ADD_FAILURE() << kernel->name << ": " << to_string(problem);
  }
}

std::vector<std::uint8_t> LoweredModel::reference(const std::vector<graph::Tensor>& inputs) const {
  return graph::evaluate_reference(network_.graph, inputs).at(network_.graph.outputs.front()).data;
}

std::vector<std::uint8_t> LoweredModel::run(const std::vector<graph::Tensor>& inputs, std::uint32_t seed) const {
  FunctionalRun run(network_.workload, soc_);
  for (std::size_t i = 0; i < inputs.size(); ++i) run.set_input(i, inputs[i].data);
  run.run(seed);
  return run.bytes_of(network_.workload.tensors[static_cast<std::size_t>(network_.workload.outputs.front())]);
}

}  // namespace npulab::test
