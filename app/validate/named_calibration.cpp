// SPDX-License-Identifier: Apache-2.0
#include "app/validate/named_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/validate/validation_text.h"
#include "model/spec/board_spec.h"

namespace npulab::validate {
namespace {

constexpr int kSteps = 8;
constexpr double kNearEnough = 0.002;

/// "28.4 B/cycle" as a number and what follows it.
struct Value {
  double number = 0;
  std::string unit;

  std::string text() const {
    // Rates may have decimals, cycles and times are whole.
    const bool whole = unit.find('/') == std::string::npos;
    return fmt::format("{}{}", whole ? fmt::format("{:.0f}", number) : fmt::format("{:.1f}", number), unit);
  }
};

bool read_value(const std::string& text, Value& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value.number);
  value.unit = std::string(stop, text.data() + text.size());
  return error == std::errc() && value.number > 0;
}

/// As the chip of the case's board says it; "" when there is no such parameter.
std::string configured_value(const CaseResult& result, const std::string& parameter, const RunnerOptions& runner) {
  const BoardSpec board = load_board(runner.boards + '/' + result.mapping.job.board, runner.overrides);
  const std::string ending = '.' + parameter;
  for (const Parameter& p : board.parameters.parameters) {
    if (p.path.size() > ending.size() && p.path.compare(p.path.size() - ending.size(), ending.size(), ending) == 0) return p.value;
  }
  return "";
}

/// The case's time with the parameter at `value`.
double run_with(const CaseResult& result, const NamedCase& named, const Value& value, RunnerOptions runner) {
  runner.overrides.push_back("soc." + named.parameter + '=' + value.text());
  runner.progress = [](int, int) {};
  const SimulatedRun run = run_jobs({result.mapping.job}, runner).front();
  return run.error.empty() ? time_named(run.timing, named.time) : -1;
}

/// Secant steps on the logarithms of value and time.
void search(const CaseResult& result, const RunnerOptions& runner, Value value, NamedFit& fit) {
  Value last = value;
  double last_error = std::log(fit.before / fit.measured);
  fit.fitted = value.text();
  fit.after = fit.before;
  value.number *= 1.25;
  for (int step = 0; step < kSteps && std::abs(last_error) > kNearEnough; ++step) {
    const double time = run_with(result, fit.named, value, runner);
    if (time <= 0) break;
    const double error = std::log(time / fit.measured);
    if (std::abs(error) < std::abs(std::log(fit.after / fit.measured))) {
      fit.after = time;
      fit.fitted = value.text();
    }
    const double slope = (error - last_error) / (std::log(value.number) - std::log(last.number));
    if (std::abs(error) <= kNearEnough) break;
    if (!(std::abs(slope) > 1e-4)) {
      fit.problem = "the time does not depend on it here";
      break;
    }
    last = value;
    last_error = error;
    value.number *= std::exp(std::clamp(-error / slope, -1.5, 1.5));
    if (value.text() == last.text()) break;
  }
}

NamedFit fit_one(const NamedCase& named, const CaseResult* result, const RunnerOptions& runner) {
  NamedFit fit;
  fit.named = named;
  if (result == nullptr) {
    fit.problem = "no such case in the data";
    return fit;
  }
  fit.measured = time_named(result->row.measured, named.time);
  // A row of a rate has its time from the rule.
  if (fit.measured <= 0 && (named.time == "task" || named.time == "core")) fit.measured = result->mapping.measured;
  fit.before = time_named(result->run.timing, named.time);
  if (fit.measured <= 0 || fit.before <= 0) {
    fit.problem = fit.measured <= 0 ? "no such time was published" : "the case was not run" + (result->remark.empty() ? "" : ": " + result->remark);
    return fit;
  }
  Value value;
  fit.configured = configured_value(*result, named.parameter, runner);
  if (!read_value(fit.configured, value)) fit.problem = fit.configured.empty() ? "the chip has no such parameter" : "no number above zero: " + fit.configured;
  else search(*result, runner, value, fit);
  return fit;
}

}  // namespace

std::vector<NamedFit> fit_named(const std::vector<NamedCase>& cases, const std::vector<CaseResult>& results, const RunnerOptions& runner) {
  std::vector<NamedFit> fits;
  for (const NamedCase& named : cases) fits.push_back(fit_one(named, find_case(results, named.id), runner));
  return fits;
}

std::string describe_named(const std::vector<NamedFit>& fits) {
  if (fits.empty()) return "";
  std::string text = "\nMechanisms from one named case each (left out of the score)\n";
  for (const NamedFit& fit : fits) {
    text += fmt::format("  {}: {} from {} of {}: ", fit.named.mechanism, fit.named.parameter, fit.named.time, fit.named.id);
    if (!fit.configured.empty()) text += "configured " + fit.configured;
    if (!fit.fitted.empty()) text += fmt::format(" ({}), fitted {} ({})", percent(fit.before / fit.measured - 1), fit.fitted, percent(fit.after / fit.measured - 1));
    text += (fit.problem.empty() ? "" : (fit.configured.empty() ? "" : "; ") + fit.problem) + '\n';
  }
  return text;
}

}  // namespace npulab::validate
