// SPDX-License-Identifier: Apache-2.0
// The list of kernel generators: names, defaults, and what is said of options that are wrong.
#include "workloads/kernels/kernel_registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::kernels {
namespace {

KernelGenerator example() {
  return {"example",
          "for these tests",
          {{"rows", "", "must be given"},
           {"bytes", "2 KiB", "a size", {}, Unit::bytes},
           {"order", "rows_first", "a choice", {"rows_first", "columns_first"}}},
          nullptr};
}

std::string first_problem(const std::map<std::string, std::string>& given) {
  std::vector<OptionProblem> problems;
  resolve_options(example(), given, problems);
  return problems.empty() ? "" : problems.front().option + ": " + problems.front().message;
}

TEST(KernelRegistry, names_are_sorted_and_unlike_and_every_default_is_one) {
  const std::vector<std::string> names = generator_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const KernelGenerator& generator : kernel_generators()) {
    EXPECT_FALSE(generator.description.empty()) << generator.name;
    std::map<std::string, std::string> given;
    for (const KernelOption& option : generator.options) {
      EXPECT_FALSE(option.description.empty()) << generator.name << '.' << option.name;
      if (option.default_value.empty()) given[option.name] = option.choices.empty() ? "1" : option.choices.front();
    }
    std::vector<OptionProblem> problems;
    resolve_options(generator, given, problems);
    for (const OptionProblem& problem : problems) ADD_FAILURE() << generator.name << '.' << problem.option << ": " << problem.message;
  }
  EXPECT_EQ(find_generator("no_such_kernel"), nullptr);
}

TEST(KernelRegistry, defaults_are_filled_in_and_units_read) {
  std::vector<OptionProblem> problems;
  const KernelOptions options = resolve_options(example(), {{"rows", "0x10"}, {"bytes", "1 MiB"}}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(options.integer("rows"), 16);
  EXPECT_EQ(options.integer("bytes"), 1 << 20);
  EXPECT_EQ(options.choice("order"), "rows_first");
  EXPECT_EQ(resolve_options(example(), {{"rows", "1"}, {"bytes", "4096"}}, problems).integer("bytes"), 4096);
  EXPECT_THROW(options.integer("columns"), InternalError);
}

TEST(KernelRegistry, says_what_is_wrong) {
  EXPECT_EQ(first_problem({}), "rows: expected this key, found nothing");
  EXPECT_EQ(first_problem({{"rows", "many"}}), "rows: expected a whole number, found 'many'");
  EXPECT_EQ(first_problem({{"rows", "-1"}}), "rows: expected a number that is not negative, found '-1'");
  EXPECT_EQ(first_problem({{"rows", "1"}, {"order", "rows_frist"}}),
            "order: expected one of rows_first, columns_first, found 'rows_frist', did you mean 'rows_first'?");
  EXPECT_EQ(first_problem({{"rows", "1"}, {"row", "1"}}),
            "row: expected an option of example (rows, bytes, order), found another, did you mean 'rows'?");
  EXPECT_NE(first_problem({{"rows", "1"}, {"bytes", "4 cycles"}}).find("size"), std::string::npos);
}

}  // namespace
}  // namespace npulab::kernels
