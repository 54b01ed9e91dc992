// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/kernel_registry.h"

#include <algorithm>

#include "model/base/errors.h"
#include "model/base/nearest_name.h"
#include "workloads/kernels/data_copy.h"
#include "workloads/kernels/gemm_int8.h"
#include "workloads/kernels/gm_stream.h"
#include "workloads/kernels/micro_kernels.h"

namespace npulab::kernels {
namespace {

template <typename T>
const T& listed(const std::map<std::string, T>& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) throw InternalError("kernel option " + name + ": expected one that the generator lists");
  return found->second;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// Sets `option` to `text`, or says what is wrong with it.
std::string take(const KernelOption& option, const std::string& text, KernelOptions& options) {
  if (!option.choices.empty()) {
    if (std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end())
      return "expected one of " + joined(option.choices) + ", found '" + text + "'" + nearest_hint(text, option.choices);
    options.set(option.name, text);
    return "";
  }
  std::int64_t value = 0;
  std::string trouble;
  const bool bare = parse_quantity(text, Unit::count, value, trouble);
  if (!bare && (option.unit == Unit::count || !parse_quantity(text, option.unit, value, trouble)))
    return option.unit == Unit::count ? "expected a whole number, found '" + text + "'" : trouble;
  if (value < 0) return "expected a number that is not negative, found '" + text + "'";
  options.set(option.name, value);
  return "";
}

}  // namespace

std::int64_t KernelOptions::integer(const std::string& name) const { return listed(integers_, name); }
const std::string& KernelOptions::choice(const std::string& name) const { return listed(choices_, name); }

const std::vector<KernelGenerator>& kernel_generators() {
  static const std::vector<KernelGenerator> generators = {
      data_copy_generator(),
      gemm_int8_generator(),
      gm_stream_generator(),
      library_matmul_generator(),
      micro_mmad_generator(),
      micro_move_generator(),
      micro_vector_generator(),
  };
  return generators;
}

const KernelGenerator* find_generator(const std::string& name) {
  for (const KernelGenerator& generator : kernel_generators()) {
    if (generator.name == name) return &generator;
  }
  return nullptr;
}

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  for (const KernelGenerator& generator : kernel_generators()) names.push_back(generator.name);
  return names;
}

KernelOptions resolve_options(const KernelGenerator& generator, const std::map<std::string, std::string>& given,
                              std::vector<OptionProblem>& problems) {
  KernelOptions options;
  std::vector<std::string> names;
  for (const KernelOption& option : generator.options) {
    names.push_back(option.name);
    const auto found = given.find(option.name);
    const std::string& text = found == given.end() ? option.default_value : found->second;
    if (found == given.end() && text.empty()) {
      problems.push_back({option.name, "expected this key, found nothing"});
      continue;
    }
    const std::string trouble = take(option, text, options);
    if (!trouble.empty()) problems.push_back({option.name, trouble});
  }
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    problems.push_back({name, "expected an option of " + generator.name + " (" + joined(names) + "), found another" + nearest_hint(name, names)});
  }
  return options;
}

}  // namespace npulab::kernels
