// SPDX-License-Identifier: Apache-2.0
#include "app/validate/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/validate/micro_tables.h"

namespace npulab::validate {
namespace {

constexpr double kAsymptoteMargin = 0.05, kLeastMargin = 0.15;

struct Parameters {
  const char* rate;
  const char* start;
};

/// The numbers of a chip that a curve speaks of.
Parameters parameters_of(const std::string& table) {
  static const std::map<std::string, Parameters> known = {
      {"L1_TO_L0A", {"cores.cube.mte1.l0a_rate", ""}},      {"L1_TO_L0B", {"cores.cube.mte1.l0b_rate", ""}},
      {"L1_TO_BT", {"cores.cube.mte1.table_rate", ""}},     {"L1_TO_FB", {"cores.cube.fixpipe.table_rate", ""}},
      {"GM_TO_L1", {"cores.cube.mte2_l1.rate", "cores.cube.mte2_l1.latency"}},
      {"GM_TO_UB", {"cores.vector.mte2_ub.rate", "cores.vector.mte2_ub.latency"}},
      {"UB_TO_GM", {"cores.vector.mte3.rate", "cores.vector.mte3.latency"}},
      {"UB_TO_UB", {"cores.vector.vector.copy_rate", ""}},  {"L0C_TO_GM", {"cores.cube.fix_gm.rate", "cores.cube.fix_gm.issue_min"}},
      {"MMAD_FP16_FP16_FP32_1_core", {"", "cores.cube.cube.head_pipelined"}},
  };
  const auto found = known.find(table);
  return found == known.end() ? Parameters{"", ""} : found->second;
}

double size_of(const CaseResult& result) {
  const auto& options = result.mapping.job.options;
  const auto number = [&](const char* name) { return std::stod(options.at(name)); };
  if (result.mapping.job.kernel == "micro_move") return number("bytes");
  return std::ceil(number("m") / 16) * std::ceil(number("k") / 16) * std::ceil(number("n") / 16);
}

struct Sample {
  double size, measured, simulated;  // cycles
};

CalibratedCurve curve_of(const std::string& chip, const std::string& table, std::vector<Sample> samples) {
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.size < b.size; });
  CalibratedCurve curve;
  curve.chip = chip;
  curve.table = table;
  std::vector<CurvePoint> points;
  double errors = 0;
  int left_out = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.push_back({samples[i].size, samples[i].measured});
    if (i % 2 == 0) continue;
    errors += std::abs(samples[i].simulated / samples[i].measured - 1);
    ++left_out;
  }
  curve.fit = fit_curve(points);
  curve.simulated_residual = left_out > 0 ? errors / left_out : 0;
  const Sample &first = samples.front(), &last = samples.back();
  curve.asymptote = last.size / last.measured;
  curve.simulated_asymptote = last.size / last.simulated;
  curve.least = first.measured;
  curve.simulated_least = first.simulated;
  curve.rate_parameter = parameters_of(table).rate;
  curve.start_parameter = parameters_of(table).start;
  return curve;
}

bool near(double a, double b, double margin) { return b > 0 && std::abs(a / b - 1) <= margin; }

std::string configured_value(const std::string& chip, const std::string& path, const std::vector<std::pair<std::string, ParameterTable>>& configured) {
  for (const auto& [name, table] : configured) {
    if (name != chip) continue;
    for (const Parameter& p : table.parameters) {
      if (p.path.size() > path.size() && p.path.compare(p.path.size() - path.size(), path.size(), path) == 0) return p.value + " (" + name_of(p.evidence) + ")";
    }
  }
  return "not there";
}

std::string error_text(double simulated, double measured, bool right) { return fmt::format("{:+.1f} % {}", 100 * (simulated / measured - 1), right ? "ok" : "off"); }

std::string ratio_line(const std::vector<CalibratedCurve>& curves) {
  std::string text;
  for (const CalibratedCurve& a : curves) {
    for (const CalibratedCurve& b : curves) {
      if (a.chip != b.chip || a.table != "L1_TO_L0A" || b.table != "L1_TO_L0B") continue;
      text += fmt::format("  {}: L1 to L0A over L1 to L0B: {:.3f} measured, {:.3f} simulated\n", a.chip, a.asymptote / b.asymptote, a.simulated_asymptote / b.simulated_asymptote);
    }
  }
  return text;
}

}  // namespace

bool CalibratedCurve::asymptote_right() const { return near(simulated_asymptote, asymptote, kAsymptoteMargin); }
bool CalibratedCurve::least_right() const { return near(simulated_least, least, kLeastMargin); }

std::vector<CalibratedCurve> calibrate_curves(const std::vector<CaseResult>& results) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> samples;
  for (const CaseResult& r : results) {
    if (!r.known() || (r.row.family != "micro-move" && r.row.family != "micro-mmad")) continue;
    const auto key = std::make_pair(r.row.chip, r.row.case_name);
    if (samples.count(key) == 0) order.push_back(key);
    const double cycles = micro_clock_mhz(r.row) / kMicroCount;
    samples[key].push_back({size_of(r), r.mapping.measured * cycles, r.simulated * cycles});
  }
  std::vector<CalibratedCurve> curves;
  for (const auto& key : order) {
    if (samples[key].size() > 1) curves.push_back(curve_of(key.first, key.second, samples[key]));
  }
  return curves;
}

std::vector<CalibratedVector> calibrate_vectors(const std::vector<CaseResult>& results) {
  std::vector<CalibratedVector> vectors;
  for (const CaseResult& r : results) {
    if (!r.known() || r.row.family != "micro-vector-fit") continue;
    const double cycles = micro_clock_mhz(r.row) / kMicroCount / kMicroRepeats;
    vectors.push_back({r.row.chip, r.row.case_name, r.mapping.measured * cycles, r.simulated * cycles});
  }
  return vectors;
}

std::string describe_calibration(const std::vector<CalibratedCurve>& curves, const std::vector<CalibratedVector>& vectors,
                                 const std::vector<std::pair<std::string, ParameterTable>>& configured) {
  std::string text = "Curves: cycles of one instruction = max(floor, start + size / rate), fitted on every other size\n";
  text += fmt::format("  {:<7}{:<28}{:>7}{:>8}{:>8}{:>9}  {:>10} {:>11}  {:>14} {:>14}\n", "chip", "table", "points", "floor", "start", "rate", "left out", "simulator", "asymptote", "smallest");
  int right = 0;
  for (const CalibratedCurve& c : curves) {
    text += fmt::format("  {:<7}{:<28}{:>7}{:>8.1f}{:>8.1f}{:>9.2f}  {:>8.1f} % {:>9.1f} %  {:>14} {:>14}\n", c.chip, c.table, c.fit.fitted + c.fit.held_out, c.fit.law.floor, c.fit.law.start, c.fit.law.rate,
                        100 * c.fit.residual, 100 * c.simulated_residual, error_text(c.simulated_asymptote, c.asymptote, c.asymptote_right()), error_text(c.simulated_least, c.least, c.least_right()));
    right += c.asymptote_right() && c.least_right() ? 1 : 0;
  }
  text += fmt::format("  left out: residual of the law on the other sizes; simulator: of the chip as configured; {} of {} curves with asymptote within 5 % and smallest size within 15 %\n", right, curves.size());
  text += ratio_line(curves) + "\nParameters that the curves speak of\n";
  for (const CalibratedCurve& c : curves) {
    if (!c.rate_parameter.empty()) text += fmt::format("  {:<7}{:<34} fitted {:>8.2f} B/cycle, configured {}\n", c.chip, c.rate_parameter, c.fit.law.rate, configured_value(c.chip, c.rate_parameter, configured));
    if (!c.start_parameter.empty()) text += fmt::format("  {:<7}{:<34} fitted {:>8.2f} cycle,   configured {}\n", c.chip, c.start_parameter, std::max(c.fit.law.floor, c.fit.law.start), configured_value(c.chip, c.start_parameter, configured));
  }
  if (vectors.empty()) return text;
  text += "\nVector operations: cycles a repeat\n";
  double sum = 0;
  for (const CalibratedVector& v : vectors) {
    const double error = v.simulated_slope / v.slope - 1;
    sum += std::abs(error);
    text += fmt::format("  {:<7}{:<40}{:>9.3f} measured{:>9.3f} simulated  {:+.1f} %\n", v.chip, v.table, v.slope, v.simulated_slope, 100 * error);
  }
  return text + fmt::format("  mean error {:.1f} % over {} operations\n", 100 * sum / static_cast<double>(vectors.size()), vectors.size());
}

}  // namespace npulab::validate
