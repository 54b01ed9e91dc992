// SPDX-License-Identifier: Apache-2.0
// Single nodes of the ONNX project's own test suite; weights, scales and zero points are inputs there and get bound.
#include <gtest/gtest.h>

#include "model/isa/program_checker.h"
#include "tests/golden/operators/functional_run.h"
#include "tests/golden/operators/model_folder.h"
#include "workloads/graph/compile.h"
#include "workloads/graph/tensor_file.h"

namespace npulab::test {
namespace {

class NodeTests : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(NodeTests, kernels_match_golden) {
  if (!have_models()) GTEST_SKIP() << "no shared models in " << models_root();
  const std::string folder = models_root() + "/onnx_node_int8/test_" + std::get<0>(GetParam()),
                    sample = folder + "/test_data_set_0";
  const SocSpec soc = chip_of(std::get<1>(GetParam()));
  const std::vector<std::string> files = numbered_files(sample, "input");
  const graph::CompiledNetwork network = graph::compile_network(folder + "/model.onnx", soc, files);
  for (const auto& kernel : network.workload.kernels) {
    for (const Diagnostic& problem : isa::ProgramChecker(soc).check(*kernel)) FAIL() << kernel->name << ": " << to_string(problem);
  }
  FunctionalRun run(network.workload, soc);
  std::vector<graph::Tensor> inputs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (network.input_slots[i] >= 0)
      inputs.push_back(graph::read_tensor_file(files[i], network.graph.tensor(network.file_inputs[i])));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) run.set_input(i, inputs[i].data);
  run.run(7);
  const graph::Tensor expected = graph::read_tensor_file(sample + "/output_0.pb",
                                                         network.graph.tensor(network.graph.outputs.front()));
  const auto values = graph::evaluate_reference(network.graph, inputs);
  EXPECT_EQ(largest_difference(expected, values.at(network.graph.outputs.front()).data), 0) << "reference";
  const WorkloadTensor& output = network.workload.tensors[static_cast<std::size_t>(network.workload.outputs.front())];
  EXPECT_EQ(largest_difference(expected, run.bytes_of(output)), 0) << "kernels";
}

INSTANTIATE_TEST_SUITE_P(Golden, NodeTests,
                         testing::Combine(testing::Values("qlinearconv", "qlinearmatmul_2D", "qlinearmatmul_3D", "quantizelinear",
                                                          "quantizelinear_axis", "dequantizelinear", "dequantizelinear_axis"),
                                          testing::Values("310p3", "910b1", "950pr")),
                         [](const auto& info) { return std::string(std::get<0>(info.param)) + "_on_" + std::get<1>(info.param); });

}  // namespace
}  // namespace npulab::test
