// SPDX-License-Identifier: Apache-2.0
// Workload folders: written and read back equal, wrong ones refused with the place of every mistake.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "model/isa/kernel_equality.h"
#include "model/isa/program_checker.h"
#include "tests/golden/operators/functional_run.h"
#include "tests/unit/workloads/lowered_model.h"
#include "tests/unit/workloads/model_builder.h"
#include "workloads/kernels/gemm_int8.h"
#include "workloads/loader/workload_folder.h"

namespace npulab::test {
namespace {

namespace fs = std::filesystem;

const std::string kLibrary = std::string(NPULAB_SOURCE_DIR) + "/workloads/library/";

void expect_equal(const Workload& a, const Workload& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.target_soc, b.target_soc);
  EXPECT_EQ(a.arena_bytes, b.arena_bytes);
  EXPECT_EQ(a.operations, b.operations);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  for (std::size_t i = 0; i < a.kernels.size(); ++i) EXPECT_TRUE(isa::equal(*a.kernels[i], *b.kernels[i])) << a.kernels[i]->name;
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const WorkloadTensor &s = a.tensors[i], &t = b.tensors[i];
    EXPECT_EQ(std::tie(s.name, s.role, s.type, s.shape, s.layout, s.offset, s.bytes, s.data),
              std::tie(t.name, t.role, t.type, t.shape, t.layout, t.offset, t.bytes, t.data))
        << s.name;
  }
  ASSERT_EQ(a.streams.size(), b.streams.size());
  for (std::size_t i = 0; i < a.streams.size(); ++i) {
    EXPECT_EQ(a.streams[i].name, b.streams[i].name);
    ASSERT_EQ(a.streams[i].tasks.size(), b.streams[i].tasks.size());
    for (std::size_t j = 0; j < a.streams[i].tasks.size(); ++j) {
      const WorkloadTask &s = a.streams[i].tasks[j], &t = b.streams[i].tasks[j];
      EXPECT_EQ(std::tie(s.kind, s.name, s.kernel, s.tensor, s.event), std::tie(t.kind, t.name, t.kernel, t.tensor, t.event));
    }
  }
}

std::string fresh_folder(const std::string& name) {
  const std::string folder = temporary_file(name);
  fs::remove_all(folder);
  return folder;
}

Workload digits() { return graph::compile_network(kLibrary + "digits/digits.onnx", test_chip("910b1"), {}).workload; }

TEST(Loader, a_lowered_network_reads_back_equal) {
  Workload workload = digits();
  workload.name = "with \"quotes\" and \\ in it";
  workload.streams.push_back(
      {"second", {{WorkloadTask::Kind::event_record, "record", -1, -1, 3}, {WorkloadTask::Kind::event_wait, "wait", -1, -1, 3}}});
  const std::string folder = fresh_folder("digits");
  loader::write_workload(folder, workload);
  expect_equal(loader::load_workload(folder, test_chip("910b1"), {}), workload);
  EXPECT_TRUE(loader::check_workload(folder).empty());
}

TEST(Loader, a_generated_product_reads_back_equal) {
  const Workload workload = kernels::gemm_int8(test_chip("310p3"), {500, 300, 700}, kernels::GemmResult::int32, 9);
  const std::string folder = fresh_folder("gemm");
  loader::write_workload(folder, workload);
  expect_equal(loader::load_workload(folder, test_chip("310p3"), {}), workload);
}

TEST(Loader, another_chip_is_refused) {
  const std::string folder = fresh_folder("chip");
  loader::write_workload(folder, digits());
  try {
    loader::load_workload(folder, test_chip("310p3"), {});
    FAIL() << "expected a UserError";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("expected the board's chip"), std::string::npos) << error.what();
  }
}

TEST(Loader, generators_take_parameters) {
  const SocSpec soc = test_chip("910b1");
  const Workload workload = loader::load_workload(kLibrary + "gemm_int8_4096.yaml", soc, {{"m", "256"}, {"k", "1024"}});
  EXPECT_EQ(workload.operations, 2ll * 256 * 4096 * 1024);
  EXPECT_THROW(loader::load_workload(kLibrary + "gemm_int8_4096.yaml", soc, {{"mm", "256"}}), UserError);
  EXPECT_EQ(loader::load_workload(kLibrary + "gm_stream.yaml", soc, {{"bytes_per_core", "1 MiB"}}).arena_bytes, 24u << 20);
}

TEST(Loader, the_hand_written_example_computes) {
  const SocSpec soc = test_chip("910b1");
  const Workload workload = loader::load_workload(kLibrary + "saxpy", soc, {});
  for (const Diagnostic& problem : isa::ProgramChecker(soc).check(*workload.kernels.front())) ADD_FAILURE() << to_string(problem);
  std::mt19937 random(2);
  const graph::Tensor x = random_tensor("x", graph::ElementType::fp32, {8192}, random),
                      y = random_tensor("y", graph::ElementType::fp32, {8192}, random);
  FunctionalRun run(workload, soc);
  run.set_input(0, x.data);
  run.set_input(1, y.data);
  run.run(8);
  graph::Tensor found = y;
  found.data = run.bytes_of(workload.tensors[static_cast<std::size_t>(workload.outputs.front())]);
  for (std::size_t i = 0; i < 8192; ++i) ASSERT_EQ(found.real(i), y.real(i) + 2.5f * x.real(i)) << i;
}

struct Mistake {
  const char* name;
  const char* from;
  const char* to;
  int line, column;
  const char* message;
};

// Changes to the shipped example, and the key at which the complaint must point.
const Mistake kMistakes[] = {
    {"format", "npulab/workload/1", "npulab/workload/9", 4, 1, "expected npulab/workload/1"},
    {"unknown_key", "arena:", "arenas:", 6, 1, "did you mean 'arena'"},
    {"role", "role: input", "role: inputs", 10, 15, "'input'"},
    {"beyond_the_arena", "offset: 32768 B", "offset: 32769 B", 11, 73, "within the arena"},
    {"size_of_shape", "shape: [8192], offset: 0 B", "shape: [8191], offset: 0 B", 10, 68, "32764"},
    {"extent", "shape: [8192], offset: 0 B", "shape: [-8], offset: 0 B", 10, 40, "expected extents"},
    {"kernel_index", "kernel: 0", "kernel: 1", 19, 24, "expected an index below 1, found 1"},
    {"output_name", "outputs: [y]", "outputs: [z]", 13, 1, "expected the name of a tensor"},
    {"kernel_file", "[saxpy.ktrace", "[sexpy.ktrace", 0, 0, "sexpy.ktrace"},
    {"task_kind", "kind: copy_to_host", "kind: copy", 20, 10, "copy_to_host"},
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, are_reported_with_their_place) {
  const Mistake& mistake = GetParam();
  const std::string folder = fresh_folder(std::string("mistake_") + mistake.name);
  fs::create_directories(folder);
  fs::copy_file(kLibrary + "saxpy/saxpy.ktrace", folder + "/saxpy.ktrace");
  std::ifstream in(kLibrary + "saxpy/workload.yaml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find(mistake.from);
  ASSERT_NE(at, std::string::npos);
  write_bytes(folder + "/workload.yaml", text.replace(at, std::string(mistake.from).size(), mistake.to));
  const std::vector<Diagnostic> problems = loader::check_workload(folder);
  std::string all;
  bool found = false;
  for (const Diagnostic& problem : problems) {
    all += to_string(problem) + '\n';
    const bool here = mistake.line == 0 || (problem.line == mistake.line && problem.column == mistake.column);
    found = found || (here && to_string(problem).find(mistake.message) != std::string::npos);
  }
  EXPECT_TRUE(found) << "expected " << mistake.line << ':' << mistake.column << ' ' << mistake.message << " in\n" << all;
}

INSTANTIATE_TEST_SUITE_P(Loader, Mistakes, testing::ValuesIn(kMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Loader, damaged_files_never_crash) {
  const std::string folder = fresh_folder("damaged");
  loader::write_workload(folder, digits());
  std::ifstream in(folder + "/workload.yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::mt19937 random(77);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = text;
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % damaged.size();
      if (random() % 3 == 0) damaged.erase(at, random() % 40);
      else damaged[at] = "[]{}:,-#&*!|>'\"%@ \n09az"[random() % 23];
    }
    write_bytes(folder + "/workload.yaml", damaged);
    try {
      loader::load_workload(folder, test_chip("910b1"), {});
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace npulab::test
