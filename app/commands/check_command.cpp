// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>

#include "app/commands/command.h"
#include "app/commands/option_parser.h"
#include "model/base/errors.h"
#include "model/isa/ktrace.h"
#include "model/isa/program_checker.h"
#include "model/spec/board_spec.h"
#include "model/spec/config_check.h"
#include "workloads/graph/onnx_import.h"
#include "workloads/loader/workload_folder.h"

namespace npulab::commands {
namespace {

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// A YAML file says itself what it is, in its first lines.
bool names_workload(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  for (int i = 0; i < 50 && std::getline(in, line); ++i) {
    if (line.rfind("format:", 0) == 0) return line.find("npulab/workload/") != std::string::npos;
  }
  return false;
}

/// The file itself, and if that is right and a chip is given, every kernel on that chip.
std::vector<Diagnostic> check_workload(const std::string& file, const SocSpec* soc) {
  std::vector<Diagnostic> problems = loader::check_workload(file);
  if (!problems.empty() || soc == nullptr) return problems;
  const Workload workload = loader::load_workload(file, *soc, {});
  for (const std::shared_ptr<const Kernel>& kernel : workload.kernels) {
    for (Diagnostic problem : isa::ProgramChecker(*soc).check(*kernel)) {
      if (problem.file.empty()) problem.file = file;
      problems.push_back(problem);
    }
  }
  return problems;
}

std::vector<Diagnostic> check_file(const std::string& file, const SocSpec* soc) {
  try {
    if (ends_with(file, ".ktrace")) return isa::check_ktrace(file, {}, soc);
    if (ends_with(file, ".onnx")) {
      graph::import_onnx(file);
      return {};
    }
    if (std::ifstream(file + "/workload.yaml").good() || names_workload(file)) return check_workload(file, soc);
    return check_config_file(file);
  } catch (const UserError& error) {
    return error.diagnostics();
  }
}

}  // namespace

int check_command(const std::vector<std::string>& arguments) {
  OptionParser parser("check FILE... [--board BOARD]",
                      "Reads boards, SoCs, workloads, kernel traces and networks and prints every mistake with its place.\n"
                      "With --board, kernel traces and workloads are also proved to run on that board's chip.",
                      "npulab check configs/board/card_910b1.yaml workloads/library/gemm_int8_4096.yaml");
  parser.positional("FILE", -1);
  parser.add()("board", boost::program_options::value<std::string>(), "check kernel traces and workloads against this board's first chip");
  if (!parser.parse(arguments)) return 0;
  const std::vector<std::string> files = parser.all("FILE");
  if (files.empty()) throw UserError("npulab check: expected at least one file, found none");
  BoardSpec board;
  if (parser.has("board")) board = load_board(parser.get<std::string>("board"), {});
  std::vector<Diagnostic> problems;
  for (const std::string& file : files) {
    const std::vector<Diagnostic> found = check_file(file, parser.has("board") ? &board.socs[0] : nullptr);
    problems.insert(problems.end(), found.begin(), found.end());
    if (found.empty()) std::cout << file << ": ok\n";
  }
  if (!problems.empty()) throw UserError(problems);
  return 0;
}

}  // namespace npulab::commands
