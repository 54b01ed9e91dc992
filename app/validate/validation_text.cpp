// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/report/text_file.h"

namespace npulab::validate {
namespace {

std::string bound_name(int pipe) { return pipe < 0 ? "" : name_of(static_cast<PipeColumn>(pipe)); }

std::string us(double value) { return value < 0 ? "-" : value < 100 ? fmt::format("{:.3f}", value) : fmt::format("{:.1f}", value); }

std::string case_line(const CaseResult& r) {
  const std::string bounds = r.bound_measured < 0 ? bound_name(r.bound_simulated)
                                                  : bound_name(r.bound_measured) + (r.bound_right ? " = " : " / ") + bound_name(r.bound_simulated);
  return fmt::format("  {:<44.44} {:>9} {:>12} {:>12} {:>9}  {:<20} {}\n", r.row.id, name_of(r.mapping.metric), us(r.mapping.measured), us(r.simulated),
                     percent(r.error), bounds, r.status == Status::shown ? "not scored: " + r.remark : "");
}

std::string score_line(const Score& s) {
  const std::string pipes = s.pipes == 0 ? "-" : fmt::format("{:.1f} % of {}", 100 * s.pipe_mape, s.pipes);
  const std::string bounds = s.bounds == 0 ? "-" : fmt::format("{}/{}", s.bounds_right, s.bounds);
  const std::string worst = s.worst_id.empty() ? "" : percent(s.worst) + ' ' + s.worst_id;
  return fmt::format("  {:<24.24} {:>5}/{:<5} {:>8.1f} {:>8} {:>9}  {:>14} {:>7}  {}\n", s.name, s.mapped, s.rows, 100 * s.mape,
                     s.mapped == 0 ? "-" : fmt::format("{:.1f}", 100 * s.mape_mapped), s.mapped == 0 ? "-" : percent(s.bias), pipes, bounds, worst);
}

/// "2-5, 9": lines in order.
std::string line_ranges(const std::vector<int>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] <= lines[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lines[i]);
    if (lines[last] > lines[i]) text += '-' + std::to_string(lines[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

const char* name_of(Status status) {
  static const char* const names[] = {"scored", "shown", "unmapped", "failed", "excluded"};
  return names[static_cast<int>(status)];
}

std::string percent(double ratio) { return fmt::format("{:+.1f} %", 100 * ratio); }

std::string describe_cases(const std::vector<CaseResult>& results) {
  std::string text, family;
  for (const Score& score : family_scores(results)) {
    bool begun = false;
    for (const CaseResult& result : results) {
      if (result.row.family != score.name || !result.known()) continue;
      if (!begun) text += fmt::format("\n{}\n  {:<44} {:>9} {:>12} {:>12} {:>9}  {}\n", score.name, "case", "time", "measured us", "simulated", "error", "bounding pipe (measured, simulated)");
      begun = true;
      text += case_line(result);
    }
  }
  return text;
}

std::string describe_unmapped(const std::vector<CaseResult>& results) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<int>> lines;
  for (const CaseResult& result : results) {
    if (result.status != Status::unmapped && result.status != Status::failed && result.status != Status::excluded) continue;
    const std::string key = fmt::format("{} ({}): {}: ", result.row.file, result.row.family, result.status == Status::unmapped ? "not mapped" : name_of(result.status)) + result.remark;
    if (lines.count(key) == 0) order.push_back(key);
    lines[key].push_back(result.row.line);
  }
  std::string text = order.empty() ? "" : "\nNot run, or run in vain\n";
  for (const std::string& key : order) text += fmt::format("  {}; {} row{}, line {}\n", key, lines[key].size(), lines[key].size() == 1 ? "" : "s", line_ranges(lines[key]));
  return text;
}

std::string describe_scores(const std::vector<CaseResult>& results) {
  const std::string head = fmt::format("  {:<24} {:>11} {:>8} {:>8} {:>9}  {:>14} {:>7}  {}\n", "", "mapped/rows", "MAPE %", "mapped", "bias", "pipe MAPE", "bound", "worst");
  std::string text = "\nBy family (MAPE counts an unmapped row as 100 %; mapped: of the mapped alone; bound: busiest pipe as measured)\n" + head;
  for (const Score& score : family_scores(results)) {
    if (score.rows > 0) text += score_line(score);
  }
  text += "\nIn all\n" + head;
  for (const Score& score : group_scores(results)) {
    if (score.rows > 0) text += score_line(score);
  }
  return text;
}

std::string describe_steps(const std::vector<Step>& steps) {
  if (steps.empty()) return "";
  std::string text = "\nSteps of optimisation (time before / time after)\n";
  int known = 0, signs = 0, factors = 0;
  for (const Step& step : steps) {
    const bool run = step.simulated > 0;
    known += run ? 1 : 0;
    signs += step.sign_right ? 1 : 0;
    factors += step.factor_right ? 1 : 0;
    text += fmt::format("  {:<44.44} {:>8.3f} {:>8}  {:<12} {} -> {}\n", step.name, step.measured, run ? fmt::format("{:.3f}", step.simulated) : "-",
                        !run ? "not run" : !step.sign_right ? "wrong way" : step.factor_right ? "right" : "wrong size", step.before, step.after);
  }
  return text + fmt::format("  {} of {} steps run; sign right in {}, factor within 25 % in {}\n", known, steps.size(), signs, factors);
}

std::string results_csv(const std::vector<CaseResult>& results) {
  std::string text = "file,line,id,family,chip,status,simulation,metric,measured(us),simulated(us),error,bound measured,bound simulated";
  for (int p = 0; p < kPipeColumns; ++p) text += fmt::format(",{0} measured(us),{0} simulated(us)", name_of(static_cast<PipeColumn>(p)));
  text += ",core measured(us),core simulated(us),AIV core measured(us),AIV core simulated(us),remark\n";
  const auto number = [](double value) { return value < 0 ? std::string() : fmt::format("{:.6g}", value); };
  for (const CaseResult& r : results) {
    const bool run = r.known();
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", report::csv_field(r.row.file), r.row.line, report::csv_field(r.row.id), report::csv_field(r.row.family),
                        report::csv_field(r.row.chip), name_of(r.status), report::csv_field(r.mapping.reason.empty() ? r.mapping.job.text() : ""), name_of(r.mapping.metric),
                        number(r.mapping.measured), number(r.simulated), run ? fmt::format("{:.4f}", r.error) : "", bound_name(r.bound_measured), bound_name(r.bound_simulated));
    for (int p = 0; p < kPipeColumns; ++p) text += ',' + number(r.row.measured.pipe[p]) + ',' + number(r.run.timing.pipe[p]);
    text += ',' + number(r.row.measured.core) + ',' + number(r.run.timing.core) + ',' + number(r.row.measured.aiv) + ',' + number(r.run.timing.aiv) + ',' + report::csv_field(r.remark) + '\n';
  }
  return text;
}

}  // namespace npulab::validate
