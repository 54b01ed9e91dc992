// SPDX-License-Identifier: Apache-2.0
// Two words for two things: a UserError is something the person can mend (exit code 2), an InternalError is a bug of ours
// (exit code 70). Only main exits.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace npulab {

/// One thing wrong in one place of one input. Line and column are one-based; zero means the whole file.
struct Diagnostic {
  std::string file;
  int line = 0;
  int column = 0;
  std::string key;      // dotted path, node name or instruction; may be empty
  std::string message;  // "expected ..., found ...", with a hint where there is one
};

/// "file:line:column: key: message", leaving out the parts that are not known.
std::string to_string(const Diagnostic& diagnostic);

/// All the mistakes found in the person's input, never just the first.
class UserError : public std::runtime_error {
 public:
  explicit UserError(std::vector<Diagnostic> diagnostics);
  explicit UserError(std::string message);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A simulated machine that ended in failure (deadlock, device error, time-out): the input was legal, exit code 1.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A promise of the program itself was broken.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace npulab
