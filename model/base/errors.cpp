// SPDX-License-Identifier: Apache-2.0
#include "model/base/errors.h"

namespace npulab {
namespace {

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.line > 0) text += ':' + std::to_string(diagnostic.line);
  if (diagnostic.column > 0) text += ':' + std::to_string(diagnostic.column);
  if (!text.empty()) text += ": ";
  if (!diagnostic.key.empty()) text += diagnostic.key + ": ";
  return text + diagnostic.message;
}

UserError::UserError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

UserError::UserError(std::string message) : UserError(std::vector<Diagnostic>{{"", 0, 0, "", std::move(message)}}) {}

}  // namespace npulab
