// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>

#include "app/commands/command.h"
#include "app/commands/validation_options.h"
#include "app/report/text_file.h"
#include "app/validate/named_cases.h"
#include "app/validate/validation_document.h"
#include "app/validate/validation_page.h"
#include "app/validate/validation_text.h"
#include "model/base/errors.h"

namespace npulab::commands {
namespace {

namespace po = boost::program_options;
using namespace validate;

/// What a reader types to get the same: without folders of this machine.
std::string command_line(const ValidationRequest& request) {
  std::string text = "npulab validate";
  for (const std::string& family : request.families) text += " --family " + family;
  for (const std::string& assignment : request.runner.overrides) text += " --set " + assignment;
  return text;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError({{folder, 0, 0, "--out", "expected a folder that can be made, found: " + error.message()}});
}

}  // namespace

int validate_command(const std::vector<std::string>& arguments) {
  OptionParser parser("validate [--data DIR] [--family NAME] [--out DIR] [options]",
                      "Runs the kernels of published measurements and holds the simulated times against them: every case, which pipe\n"
                      "bounds, and by family and in all the mean absolute error, bias and worst. A row that maps to no kernel is listed\n"
                      "with the reason and counts as an error of 100 %.",
                      "npulab validate --data ../shared/validation --family add --out out/validation");
  add_validation_options(parser);
  parser.add()("family", po::value<std::vector<std::string>>()->composing(), "only rows of this family; may be given again")(
      "out", po::value<std::string>(), "folder for validation.csv, validation.html and validation.md")(
      "document", po::value<std::string>(), "file for validation.md alone, such as docs/validation.md")(
      "cases", po::value<std::string>()->default_value("docs/calibration_cases.csv"), "table of cases that parameters were taken from: not scored")(
      "causes", po::value<std::string>()->default_value("docs/validation_causes.csv"), "table of suspected causes by family");
  if (!parser.parse(arguments)) return 0;
  ValidationRequest request = validation_request(parser);
  request.families = parser.all("family");
  const std::string out = parser.has("out") ? parser.get<std::string>("out") : "";
  if (!out.empty()) make_folder(out);
  const std::vector<SuspectedCause> causes = read_causes(parser.get<std::string>("causes"));
  const std::vector<NamedCase> named = read_named_cases(parser.get<std::string>("cases"));
  ValidationRun run = run_validation(request);
  exclude_named(named, run.results);
  const std::vector<Step> steps = steps_of(run.results);
  std::cout << describe_cases(run.results) << describe_unmapped(run.results);
  std::cout << describe_steps(steps) << describe_scores(run.results);
  if (!out.empty()) {
    report::write_text_file(out + "/validation.csv", results_csv(run.results));
    report::write_text_file(out + "/validation.html", validation_page(run.results, steps));
    report::write_text_file(out + "/validation.md", validation_document(run.results, steps, causes, command_line(request)));
    std::cout << "\nFiles are in " << out << '\n';
  }
  if (parser.has("document")) report::write_text_file(parser.get<std::string>("document"), validation_document(run.results, steps, causes, command_line(request)));
  // What could be read was run; the rest is a mistake in the input as any other.
  if (!run.problems.empty()) throw UserError(run.problems);
  return 0;
}

}  // namespace npulab::commands
