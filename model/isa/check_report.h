// SPDX-License-Identifier: Apache-2.0
// Collects what a check finds: each rule once an instruction, whatever the number of blocks, up to a limit.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/base/errors.h"
#include "model/isa/kernel.h"

namespace npulab::isa {

/// One core of one block.
struct CheckedCore {
  std::size_t block = 0;
  const char* name = "";  // cube, vector0, vector1
  int program = -1;
};

class CheckReport {
 public:
  CheckReport(const Kernel& kernel, std::string file, std::size_t limit) : kernel_(kernel), file_(std::move(file)), limit_(limit) {}

  /// Something wrong with one instruction; `rule` tells apart what is reported once.
  void instruction(const CheckedCore& core, std::size_t op, const std::string& rule, const std::string& message);
  /// Something wrong with the kernel, a buffer or a block.
  void kernel(const std::string& key, const std::string& message);
  bool full() const { return diagnostics_.size() >= limit_; }
  std::size_t count() const { return diagnostics_.size(); }
  std::vector<Diagnostic> take() { return std::move(diagnostics_); }
  /// "instruction 12 (line 34)": how messages point at another instruction.
  std::string place(int program, std::size_t op) const;

 private:
  const Kernel& kernel_;
  std::string file_;
  std::size_t limit_;
  std::set<std::tuple<int, std::size_t, std::string>> seen_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace npulab::isa
