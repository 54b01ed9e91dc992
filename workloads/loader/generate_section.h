// SPDX-License-Identifier: Apache-2.0
// `generate: {kernel: NAME, option: value, ...}` of a workload file: a kernel generator and its options.
#pragma once

#include <map>
#include <string>

#include "model/base/config_reader.h"
#include "workloads/kernels/kernel_registry.h"

namespace npulab::loader {

class GenerateSection {
 public:
  /// Checks everything that can be told without a chip; `overrides` win over what is written.
  void read(ConfigReader reader, const std::map<std::string, std::string>& overrides, Problems& problems);
  /// Whether there is such a section with a known kernel.
  bool found() const { return generator_ != nullptr; }
  /// UserError with the section's place when the chip cannot run it.
  Workload generate(const SocSpec& soc) const;

 private:
  const kernels::KernelGenerator* generator_ = nullptr;
  kernels::KernelOptions options_;
  Diagnostic place_;
};

}  // namespace npulab::loader
