// SPDX-License-Identifier: Apache-2.0
// Whole networks against ONNX Runtime's outputs: the host references alone, then the lowered kernels on several chips, where
// every intermediate tensor must equal the reference's as well.
#include <gtest/gtest.h>

#include <filesystem>

#include "model/isa/program_checker.h"
#include "tests/golden/operators/functional_run.h"
#include "tests/golden/operators/model_folder.h"
#include "workloads/graph/compile.h"
#include "workloads/graph/tensor_file.h"

namespace npulab::test {
namespace {

struct Network {
  const char* name;
  std::int64_t operations;  // 2 x MACs of the models' index
};

// Names whose value goes through a float softmax may be one step off; everything else is exact (index.json).
std::int64_t tolerance_of(const std::string& output, graph::ElementType type) {
  if (type == graph::ElementType::fp32) return 1;  // 1e-6 relative
  return output == "prob" ? 1 : 0;
}

constexpr Network kNetworks[] = {{"ad01", 2 * 264192},         {"resnet8", 2 * 12501632},
                                 {"dscnn_kws", 2 * 2656768},   {"mobilenetv1_vww", 2 * 7489664},
                                 {"streaming_ww", 2 * 826368}, {"mnist_ptq", 2 * 786560}};
constexpr const char* kBoards[] = {"310p3", "910b1", "950pr", "910a", "310x4"};

std::string folder_of(const Network& network) { return models_root() + "/" + network.name; }

std::vector<graph::Tensor> inputs_of(const graph::CompiledNetwork& network, const std::string& sample) {
  std::vector<graph::Tensor> inputs;
  const std::vector<std::string> files = numbered_files(sample, "input");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (network.input_slots[i] >= 0)
      inputs.push_back(graph::read_tensor_file(files[i], network.graph.tensor(network.file_inputs[i])));
  }
  return inputs;
}

/// Row-major bytes of a tensor that lies in channel blocks, written independently of the lowering's own layout code.
std::vector<std::uint8_t> row_major(const WorkloadTensor& tensor, const std::vector<std::uint8_t>& device) {
  if (tensor.layout == "ND") return device;
  const std::vector<std::int64_t>& s = tensor.shape;
  const bool image = s.size() == 4;
  const std::int64_t n = image           ? s[0]
                         : s.size() == 3 ? s[0]
                                         : 1,
                     c = image ? s[1] : s.back(),
                     p = image          ? s[2] * s[3]
                         : s.size() > 1 ? s[s.size() - 2]
                                        : 1;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(n * c * p));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t channel = 0; channel < c; ++channel) {
      for (std::int64_t position = 0; position < p; ++position) {
        const std::int64_t from = ((i * ((c + 31) / 32) + channel / 32) * p + position) * 32 + channel % 32;
        const std::int64_t to = image ? (i * c + channel) * p + position : (i * p + position) * c + channel;
        bytes[static_cast<std::size_t>(to)] = device[static_cast<std::size_t>(from)];
      }
    }
  }
  return bytes;
}

/// Every tensor that the reference knows, wherever the lowering keeps it.
void expect_intermediates(FunctionalRun& run, const Workload& workload, const std::map<std::string, graph::Tensor>& reference) {
  for (const WorkloadTensor& tensor : workload.tensors) {
    const auto expected = reference.find(tensor.name);
    if (tensor.role == WorkloadTensor::Role::constant || expected == reference.end() || expected->second.shape != tensor.shape)
      continue;
    const std::vector<std::uint8_t> found = row_major(tensor, run.bytes_of(tensor));
    const std::int64_t tolerance = tensor.type == isa::DataType::fp32 ? 1 : tolerance_of(tensor.name, expected->second.type);
    ASSERT_LE(largest_difference(expected->second, found), tolerance) << tensor.name << " as " << tensor.layout;
  }
}

class Networks : public testing::TestWithParam<Network> {
 protected:
  void SetUp() override {
    if (!have_models()) GTEST_SKIP() << "no shared models in " << models_root();
  }
};

TEST_P(Networks, references_match_golden) {
  const SocSpec soc = chip_of("910b1");
  const std::string folder = folder_of(GetParam());
  const graph::CompiledNetwork network = graph::compile_network(folder + "/model_qop.onnx", soc, {});
  EXPECT_EQ(network.workload.operations, GetParam().operations);
  const std::vector<std::string> samples = sample_folders(folder);
  ASSERT_FALSE(samples.empty());
  for (const std::string& sample : samples) {
    const auto values = graph::evaluate_reference(network.graph, inputs_of(network, sample));
    const std::vector<std::string> outputs = numbered_files(sample, "output");
    ASSERT_EQ(outputs.size(), network.graph.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string& name = network.graph.outputs[i];
      const graph::Tensor expected = graph::read_tensor_file(outputs[i], network.graph.tensor(name));
      EXPECT_LE(largest_difference(expected, values.at(name).data), tolerance_of(name, expected.type)) << sample << ' ' << name;
    }
  }
}

class NetworksOnChips : public testing::TestWithParam<std::tuple<Network, const char*>> {};

TEST_P(NetworksOnChips, kernels_match_golden) {
  if (!have_models()) GTEST_SKIP() << "no shared models in " << models_root();
  const SocSpec soc = chip_of(std::get<1>(GetParam()));
  const std::string folder = folder_of(std::get<0>(GetParam()));
  const graph::CompiledNetwork network = graph::compile_network(folder + "/model_qop.onnx", soc, {});
  const Workload& workload = network.workload;
  const isa::ProgramChecker checker(soc);
  for (const auto& kernel : workload.kernels) {
    for (const Diagnostic& problem : checker.check(*kernel)) FAIL() << kernel->name << ": " << to_string(problem);
  }
  FunctionalRun run(workload, soc);
  std::uint32_t seed = 1;
  for (const std::string& sample : sample_folders(folder)) {
    SCOPED_TRACE(sample);
    const std::vector<graph::Tensor> inputs = inputs_of(network, sample);
    for (std::size_t i = 0; i < inputs.size(); ++i) run.set_input(i, inputs[i].data);
    run.run(seed++);
    expect_intermediates(run, workload, graph::evaluate_reference(network.graph, inputs));
    if (HasFatalFailure()) return;
    const std::vector<std::string> outputs = numbered_files(sample, "output");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string& name = network.graph.outputs[i];
      const graph::Tensor expected = graph::read_tensor_file(outputs[i], network.graph.tensor(name));
      const WorkloadTensor& tensor = workload.tensors[static_cast<std::size_t>(workload.outputs[i])];
      EXPECT_LE(largest_difference(expected, run.bytes_of(tensor)), tolerance_of(name, expected.type)) << name;
    }
  }
}

std::string name_of_network(const testing::TestParamInfo<Network>& info) { return info.param.name; }
std::string name_of_pair(const testing::TestParamInfo<std::tuple<Network, const char*>>& info) {
  return std::string(std::get<0>(info.param).name) + "_on_" + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Golden, Networks, testing::ValuesIn(kNetworks), name_of_network);
INSTANTIATE_TEST_SUITE_P(Golden, NetworksOnChips, testing::Combine(testing::ValuesIn(kNetworks), testing::ValuesIn(kBoards)),
                         name_of_pair);

}  // namespace
}  // namespace npulab::test
