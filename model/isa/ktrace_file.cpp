// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "model/isa/ktrace.h"
#include "model/isa/program_checker.h"

namespace npulab::isa {
namespace {

std::string read_file(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw UserError({{path, 0, 0, "", "expected a readable file, found " + error.message()}});
  if (size > kMaxKtraceBytes) {
    throw UserError({{path, 0, 0, "", fmt::format("expected at most {} bytes, found {}", kMaxKtraceBytes, size)}});
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) throw UserError({{path, 0, 0, "", "expected a readable file, found none"}});
  return text;
}

}  // namespace

Kernel load_ktrace(const std::string& path, const KtraceParameters& parameters) {
  return parse_ktrace(read_file(path), path, parameters);
}

std::vector<Diagnostic> check_ktrace(const std::string& path, const KtraceParameters& parameters, const SocSpec* soc) {
  try {
    const Kernel kernel = load_ktrace(path, parameters);
    return soc == nullptr ? std::vector<Diagnostic>{} : ProgramChecker(*soc).check(kernel, path);
  } catch (const UserError& error) {
    return error.diagnostics();
  }
}

}  // namespace npulab::isa
