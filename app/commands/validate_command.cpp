// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "app/commands/command.h"
#include "app/commands/option_parser.h"
#include "app/report/text_file.h"
#include "app/validate/case_runner.h"
#include "app/validate/scores.h"
#include "app/validate/validation_document.h"
#include "app/validate/validation_page.h"
#include "app/validate/validation_text.h"
#include "model/base/errors.h"
#include "model/base/nearest_name.h"

namespace npulab::commands {
namespace {

namespace po = boost::program_options;
using namespace validate;

struct ValidateOptions {
  std::string data, out, boards, causes;
  std::vector<std::string> families, overrides;
  int jobs = 1;
};

bool parse(const std::vector<std::string>& arguments, ValidateOptions& o) {
  OptionParser parser("validate [--data DIR] [--family NAME] [--out DIR] [options]",
                      "Runs the kernels of published measurements and holds the simulated times against them: every case, which pipe\n"
                      "bounds, and by family and in all the mean absolute error, bias and worst. A row that maps to no kernel is listed\n"
                      "with the reason and counts as an error of 100 %.",
                      "npulab validate --data ../shared/validation --family add --out out/validation");
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  parser.add()("data", po::value<std::string>()->default_value("../shared/validation"), "folder of CSV files with the measurements")(
      "family", po::value<std::vector<std::string>>()->composing(), "only rows of this family; may be given again")(
      "out", po::value<std::string>(), "folder for validation.csv, validation.html and validation.md")(
      "causes", po::value<std::string>()->default_value("docs/validation_causes.csv"), "table of suspected causes by family")(
      "boards", po::value<std::string>()->default_value("configs/board"), "folder of the boards")(
      "set", po::value<std::vector<std::string>>()->composing(), "PATH=VALUE overrides a configured value on every board")(
      "jobs", po::value<int>()->default_value(processors), "simulations at a time");
  if (!parser.parse(arguments)) return false;
  o.data = parser.get<std::string>("data");
  o.out = parser.has("out") ? parser.get<std::string>("out") : "";
  o.causes = parser.get<std::string>("causes");
  o.boards = parser.get<std::string>("boards");
  o.families = parser.all("family");
  o.overrides = parser.all("set");
  o.jobs = parser.get<int>("jobs");
  if (o.jobs < 1 || o.jobs > 1024) throw UserError({{"", 0, 0, "--jobs", "expected 1 to 1024, found " + std::to_string(o.jobs)}});
  return true;
}

/// Keeps the rows of the families asked for.
void select(const std::vector<std::string>& families, std::vector<DataRow>& rows) {
  if (families.empty()) return;
  std::vector<std::string> names;
  for (const DataRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.family) == names.end()) names.push_back(row.family);
  }
  for (const std::string& family : families) {
    if (std::find(names.begin(), names.end(), family) == names.end())
      throw UserError({{"", 0, 0, "--family", "expected a family of the data, found '" + family + "'" + nearest_hint(family, names)}});
  }
  const auto other = [&](const DataRow& row) { return std::find(families.begin(), families.end(), row.family) == families.end(); };
  rows.erase(std::remove_if(rows.begin(), rows.end(), other), rows.end());
}

std::vector<Job> jobs_of(const std::vector<Mapping>& mappings) {
  std::map<Job, bool> seen;
  std::vector<Job> jobs;
  for (const Mapping& mapping : mappings) {
    if (mapping.reason.empty() && !std::exchange(seen[mapping.job], true)) jobs.push_back(mapping.job);
  }
  return jobs;
}

RunnerOptions runner_options(const ValidateOptions& o) {
  RunnerOptions runner;
  runner.boards = o.boards;
  runner.parallel = o.jobs;
  runner.overrides = o.overrides;
  if (isatty(STDERR_FILENO) != 0)
    runner.progress = [](int done, int total) { std::cerr << "\r  " << done << " of " << total << " simulations " << (done == total ? "\n" : "") << std::flush; };
  return runner;
}

/// What a reader types to get the same: without folders of this machine.
std::string command_line(const ValidateOptions& o) {
  std::string text = "npulab validate";
  for (const std::string& family : o.families) text += " --family " + family;
  for (const std::string& assignment : o.overrides) text += " --set " + assignment;
  return text;
}

void write_files(const ValidateOptions& o, const std::vector<CaseResult>& results, const std::vector<Step>& steps) {
  if (o.out.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(o.out, error);
  if (error) throw UserError({{o.out, 0, 0, "--out", "expected a folder that can be made, found: " + error.message()}});
  report::write_text_file(o.out + "/validation.csv", results_csv(results));
  report::write_text_file(o.out + "/validation.html", validation_page(results, steps));
  report::write_text_file(o.out + "/validation.md", validation_document(results, steps, read_causes(o.causes), command_line(o)));
  std::cout << "\nFiles are in " << o.out << '\n';
}

}  // namespace

int validate_command(const std::vector<std::string>& arguments) {
  ValidateOptions o;
  if (!parse(arguments, o)) return 0;
  DataSet data = read_data(o.data);
  select(o.families, data.rows);
  std::vector<Mapping> mappings;
  for (DataRow& row : data.rows) mappings.push_back(map_row(row));
  const std::vector<Job> jobs = jobs_of(mappings);
  const std::vector<CaseResult> results = make_results(data.rows, mappings, jobs, run_jobs(jobs, runner_options(o)));
  std::cout << describe_cases(results) << describe_unmapped(results);
  for (const Diagnostic& problem : data.problems) std::cout << "  not read: " << to_string(problem) << '\n';
  const std::vector<Step> steps = steps_of(results);
  std::cout << describe_steps(steps) << describe_scores(results);
  write_files(o, results, steps);
  return data.problems.empty() ? 0 : 2;
}

}  // namespace npulab::commands
