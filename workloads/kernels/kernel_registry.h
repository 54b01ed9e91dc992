// SPDX-License-Identifier: Apache-2.0
// The kernel generators by name, with the options each takes: what `generate: {kernel: NAME, ...}` of a workload file, --set
// workload.OPTION and `npulab validate` choose from. Options are shapes and ways of writing a kernel, never costs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/base/quantity.h"
#include "model/spec/soc_spec.h"
#include "model/task/workload.h"

namespace npulab::kernels {

/// A whole number, or one of `choices` where there are any.
struct KernelOption {
  std::string name;
  std::string default_value;              // "": must be given
  std::string description;
  std::vector<std::string> choices = {};
  Unit unit = Unit::count;                // of a number written with a unit, e.g. "8 MiB"; a bare number always does
};

/// The options of one kernel with every default filled in.
class KernelOptions {
 public:
  /// InternalError for a name that the generator does not list.
  std::int64_t integer(const std::string& name) const;
  const std::string& choice(const std::string& name) const;

  void set(const std::string& name, std::int64_t value) { integers_[name] = value; }
  void set(const std::string& name, const std::string& value) { choices_[name] = value; }

 private:
  std::map<std::string, std::int64_t> integers_;
  std::map<std::string, std::string> choices_;
};

struct KernelGenerator {
  std::string name;
  std::string description;
  std::vector<KernelOption> options;
  /// UserError, without a place, when the shape is out of range or does not fit the chip.
  Workload (*make)(const SocSpec& soc, const KernelOptions& options);
};

/// All of them, by name in alphabetical order.
const std::vector<KernelGenerator>& kernel_generators();
/// Null when there is none of that name.
const KernelGenerator* find_generator(const std::string& name);
std::vector<std::string> generator_names();

/// What is wrong with one option.
struct OptionProblem {
  std::string option;
  std::string message;  // "expected ..., found ..." with a hint where there is one
};

/// `given` are values as written. Problems are added; the result is of use only when there are none.
KernelOptions resolve_options(const KernelGenerator& generator, const std::map<std::string, std::string>& given,
                              std::vector<OptionProblem>& problems);

}  // namespace npulab::kernels
