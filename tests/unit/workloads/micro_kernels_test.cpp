// SPDX-License-Identifier: Apache-2.0
// Micro-benchmark kernels: the checker's verdict on every path and operation, and what is said of sizes that do not fit.
#include "workloads/kernels/micro_kernels.h"

#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "model/isa/program_checker.h"
#include "tests/unit/workloads/lowered_model.h"

namespace npulab::kernels {
namespace {

using test::test_chip;

Workload make(const char* kernel, const SocSpec& soc, const std::map<std::string, std::string>& given) {
  const KernelGenerator* generator = find_generator(kernel);
  std::vector<OptionProblem> problems;
  const KernelOptions options = resolve_options(*generator, given, problems);
  for (const OptionProblem& problem : problems) throw UserError(problem.option + ": " + problem.message);
  return generator->make(soc, options);
}

void expect_clean(const Workload& workload, const SocSpec& soc) {
  for (const Diagnostic& problem : isa::ProgramChecker(soc).check(*workload.kernels.front()))
    ADD_FAILURE() << soc.name << ' ' << workload.name << ": " << to_string(problem);
}

std::vector<std::string> choices(const char* kernel, const char* option) {
  for (const KernelOption& candidate : find_generator(kernel)->options) {
    if (candidate.name == option) return candidate.choices;
  }
  return {};
}

TEST(MicroKernels, every_path_is_legal) {
  for (const char* chip : {"910b1", "950pr"}) {
    const SocSpec soc = test_chip(chip);
    for (const std::string& path : choices("micro_move", "path")) {
      for (const char* order : {"streamed", "serial"}) expect_clean(make("micro_move", soc, {{"path", path}, {"bytes", "1 KiB"}, {"count", "3"}, {"order", order}}), soc);
    }
  }
  const SocSpec fused = test_chip("310p3");
  expect_clean(make("micro_move", fused, {{"path", "gm_ub"}, {"bytes", "1 KiB"}}), fused);
}

TEST(MicroKernels, products_are_legal) {
  const SocSpec soc = test_chip("910b1");
  expect_clean(make("micro_mmad", soc, {}), soc);
  expect_clean(make("micro_mmad", soc, {{"m", "1"}, {"k", "1"}, {"n", "1"}, {"type", "int8"}}), soc);
}

TEST(MicroKernels, says_which_buffer_is_too_small_and_by_how_much) {
  const SocSpec soc = test_chip("910b1");
  const auto message = [&](const char* kernel, const std::map<std::string, std::string>& given) -> std::string {
    try {
      make(kernel, soc, given);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("micro_move", {{"path", "gm_ub"}, {"bytes", "193 KiB"}}), "ub: expected at most 196608 bytes of this buffer, found 197632 (1024 too many)");
  EXPECT_EQ(message("micro_mmad", {{"m", "256"}, {"k", "256"}}), "l0a: expected at most 65536 bytes of this buffer, found 131072 (65536 too many)");
  EXPECT_EQ(message("micro_move", {{"path", "l1_l0a"}, {"bytes", "100"}}), "bytes: expected a multiple of 512 bytes on this path, found 100");
  EXPECT_EQ(message("micro_mmad", {{"m", "0"}}), "m: expected 1 to 4095, found 0");
  EXPECT_NE(message("micro_vector", {{"repeats", "255"}, {"dst", "191 KiB"}}).find("ub: expected at most"), std::string::npos);
}

}  // namespace
}  // namespace npulab::kernels
