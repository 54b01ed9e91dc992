// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <set>

#include "app/commands/command.h"
#include "app/commands/validation_options.h"
#include "app/validate/calibration.h"
#include "app/validate/named_calibration.h"
#include "model/base/errors.h"
#include "model/base/nearest_name.h"
#include "model/spec/board_spec.h"

namespace npulab::commands {
namespace {

namespace po = boost::program_options;
using namespace validate;

/// Only what the chip asked for says.
void keep_chip(const std::string& chip, std::vector<CaseResult>& results) {
  std::set<std::string> chips;
  for (const CaseResult& result : results) chips.insert(result.row.chip);
  if (chips.count(chip) == 0)
    throw UserError({{"", 0, 0, "--chip", "expected a chip of the data, found '" + chip + "'" + nearest_hint(chip, {chips.begin(), chips.end()})}});
  results.erase(std::remove_if(results.begin(), results.end(), [&](const CaseResult& result) { return result.row.chip != chip; }), results.end());
}

std::vector<std::pair<std::string, ParameterTable>> configured_of(const std::vector<CaseResult>& results, const RunnerOptions& runner) {
  std::map<std::string, std::string> boards;
  for (const CaseResult& result : results) {
    if (result.mapping.reason.empty()) boards[result.row.chip] = result.mapping.job.board;
  }
  std::vector<std::pair<std::string, ParameterTable>> configured;
  for (const auto& [chip, board] : boards) configured.emplace_back(chip, load_board(runner.boards + '/' + board, runner.overrides).parameters);
  return configured;
}

}  // namespace

int calibrate_command(const std::vector<std::string>& arguments) {
  OptionParser parser("calibrate [--data DIR] [--chip NAME] [options]",
                      "Fits the laws of single units to tables of single instructions, on every other size, and shows for each curve the\n"
                      "fitted numbers beside the configured ones, the residual on the sizes left out, and what the simulator as configured\n"
                      "makes of the same curve. Parameters that show only in kernels are searched for on one named case each. Changes\n"
                      "nothing.",
                      "npulab calibrate --data ../shared/validation --chip 910b1");
  add_validation_options(parser);
  parser.add()("chip", po::value<std::string>(), "only this chip, as the data names it")(
      "cases", po::value<std::string>()->default_value("docs/calibration_cases.csv"), "table of parameters that are taken from one named case each");
  if (!parser.parse(arguments)) return 0;
  ValidationRequest request = validation_request(parser);
  const std::vector<NamedCase> named = read_named_cases(parser.get<std::string>("cases"));
  // Named cases may be of any family; without them only the tables of single instructions are run.
  if (named.empty()) request.families = {"micro-move", "micro-mmad", "micro-vector-fit"};
  request.families_expected = false;
  std::vector<CaseResult> results = run_validation(request).results;
  if (parser.has("chip")) keep_chip(parser.get<std::string>("chip"), results);
  std::cout << describe_calibration(calibrate_curves(results), calibrate_vectors(results), configured_of(results, request.runner))
            << describe_named(fit_named(named, results, request.runner));
  return 0;
}

}  // namespace npulab::commands
