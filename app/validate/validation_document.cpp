// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validation_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "app/validate/csv_table.h"
#include "app/validate/validation_text.h"

namespace npulab::validate {
namespace {

constexpr double kLarge = 0.2;
constexpr std::size_t kListed = 8;  // cases of one family and cause, before they become one line

/// A bar would end the cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

std::string scores_table(const std::vector<Score>& scores) {
  std::string text = "| | mapped | MAPE | of the mapped | bias | worst | pipes | bounding pipe | worst case |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n";
  for (const Score& s : scores) {
    if (s.rows == 0) continue;
    const bool any = s.mapped > 0;
    text += fmt::format("| {} | {} / {} | {:.1f} % | {} | {} | {} | {} | {} | {} |\n", cell(s.name), s.mapped, s.rows, 100 * s.mape, any ? fmt::format("{:.1f} %", 100 * s.mape_mapped) : "",
                        any ? percent(s.bias) : "", any ? percent(s.worst) : "", s.pipes > 0 ? fmt::format("{:.1f} % of {}", 100 * s.pipe_mape, s.pipes) : "",
                        s.bounds > 0 ? fmt::format("{} / {}", s.bounds_right, s.bounds) : "", cell(s.worst_id));
  }
  return text;
}

std::string cause_of(const CaseResult& result, const std::vector<SuspectedCause>& causes) {
  const SuspectedCause* best = nullptr;
  for (const SuspectedCause& cause : causes) {
    if (cause.family != result.row.family || result.row.id.find(cause.part) == std::string::npos) continue;
    if (best == nullptr || cause.part.size() > best->part.size()) best = &cause;
  }
  return best == nullptr ? "not known yet" : best->cause;
}

/// Lines of cases with one cause, the worst first: each by itself, or all as one when they are many.
std::string deviations_of(const std::string& family, const std::string& cause, std::vector<const CaseResult*> cases) {
  std::stable_sort(cases.begin(), cases.end(), [](const CaseResult* a, const CaseResult* b) { return std::abs(a->error) > std::abs(b->error); });
  const auto line = [&](const std::string& name, const std::string& error) { return fmt::format("| {} | {} | {} | {} |\n", cell(family), cell(name), error, cell(cause)); };
  std::string text;
  if (cases.size() > kListed) {
    const auto [least, most] = std::minmax_element(cases.begin(), cases.end(), [](const CaseResult* a, const CaseResult* b) { return a->error < b->error; });
    return line(fmt::format("{} cases, worst {}", cases.size(), cases.front()->row.id), percent((*least)->error) + " to " + percent((*most)->error));
  }
  for (const CaseResult* result : cases) text += line(result->row.id, percent(result->error));
  return text;
}

/// By family and cause, in the order of the data.
std::string deviations(const std::vector<CaseResult>& results, const std::vector<SuspectedCause>& causes) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<const CaseResult*>> large;
  for (const CaseResult& r : results) {
    if (r.status != Status::scored || std::abs(r.error) <= kLarge) continue;
    const auto key = std::make_pair(r.row.family, cause_of(r, causes));
    if (large[key].empty()) order.push_back(key);
    large[key].push_back(&r);
  }
  std::string text = "| family | case | error | suspected cause |\n|---|---|---:|---|\n";
  for (const auto& key : order) text += deviations_of(key.first, key.second, large[key]);
  return text;
}

std::string wrong_steps(const std::vector<Step>& steps) {
  int run = 0, signs = 0, factors = 0;
  std::string rows;
  for (const Step& s : steps) {
    if (s.simulated <= 0) continue;
    ++run;
    signs += s.sign_right ? 1 : 0;
    factors += s.factor_right ? 1 : 0;
    if (!s.sign_right || !s.factor_right) rows += fmt::format("| {} | {} to {} | {:.2f} | {:.2f} |\n", cell(s.name), cell(s.before), cell(s.after), s.measured, s.simulated);
  }
  std::string text = fmt::format("{} of {} published steps were run; {} go the right way, {} by a factor within 25 % of the published one.\n", run, steps.size(), signs, factors);
  if (!rows.empty()) text += "\nThose that do not:\n\n| ladder | step | measured | simulated |\n|---|---|---:|---:|\n" + rows;
  return text;
}

std::string reasons(const std::vector<CaseResult>& results) {
  std::vector<std::string> order;
  std::map<std::string, int> counts;
  for (const CaseResult& r : results) {
    if (r.status != Status::unmapped && r.status != Status::failed) continue;
    const std::string key = fmt::format("| {} | {} ", cell(r.row.family), cell(r.remark));
    if (counts[key]++ == 0) order.push_back(key);
  }
  std::string text = "| family | reason | rows |\n|---|---|---:|\n";
  for (const std::string& key : order) text += fmt::format("{}| {} |\n", key, counts[key]);
  return text;
}

}  // namespace

std::vector<SuspectedCause> read_causes(const std::string& path) {
  std::vector<SuspectedCause> causes;
  if (!std::filesystem::exists(path)) return causes;
  CsvTable table = read_csv(path);
  for (const char* column : {"family", "case", "cause"}) {
    if (!table.has(column)) table.problems.push_back({path, 1, 1, column, "expected a column of this name, found none"});
  }
  if (!table.problems.empty()) throw UserError(table.problems);
  for (const CsvRow& row : table.rows) {
    const auto at = [&](const char* column) { return row.cells[static_cast<std::size_t>(table.column(column))]; };
    causes.push_back({at("family"), at("case"), at("cause")});
  }
  return causes;
}

std::string validation_document(const std::vector<CaseResult>& results, const std::vector<Step>& steps, const std::vector<SuspectedCause>& causes,
                                const std::string& command) {
  std::string text = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Validation\n\nGenerated by `" + command + "`; do not edit. Suspected causes are kept in `docs/validation_causes.csv`.\n\n";
  text += "Errors are simulated over measured, less one. MAPE is the mean of their sizes and counts a row that maps to no kernel as 100 %. Pipes: published pipe times of at least 5 % of the "
          "task (cube, MTE1, MTE2, FixPipe, vector). Bounding pipe: cases whose busiest pipe is the measured one, or one within 10 % of it. Sanity checks (simulators, vendors' tables) are run and "
          "not scored.\n\n## In all\n\n";
  text += scores_table(group_scores(results)) + "\n## By family\n\n" + scores_table(family_scores(results));
  text += "\n## Steps of optimisation\n\n" + wrong_steps(steps);
  text += "\n## Deviations above 20 %\n\n" + deviations(results, causes);
  return text + "\n## Rows without a simulation\n\n" + reasons(results);
}

}  // namespace npulab::validate
