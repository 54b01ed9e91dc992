// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/validate/svg_plot.h"
#include "app/validate/validation_text.h"

namespace npulab::validate {
namespace {

// The series colours are told apart with every common kind of colour blindness; both themes have their own, equally far from the ground.
constexpr const char* kStyle = R"(<style>
:root{color-scheme:light dark;--ground:#fff;--ink:#1c1f23;--soft:#5b636d;--rule:#d9dde2;--band:#eef1f4;--bad:#b3261e;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#8a6d00;--c5:#5d3a9b;--c6:#6b7280}
@media(prefers-color-scheme:dark){:root{--ground:#14171a;--ink:#e6e9ec;--soft:#9aa3ad;--rule:#31373e;--band:#1e2328;--bad:#ff8a80;
--c0:#56b4e9;--c1:#ff9e4a;--c2:#3fd0a4;--c3:#e9a6cb;--c4:#e6c84a;--c5:#b49cf0;--c6:#9aa3ad}}
body{margin:0 auto;max-width:1120px;padding:24px 20px 64px;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:40px 0 8px}p{max-width:76ch;color:var(--soft);margin:4px 0 12px}
table{border-collapse:collapse;font-size:13.5px;width:100%}
th,td{padding:4px 10px 4px 0;text-align:left;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td.bad{color:var(--bad)}
.scroll{overflow-x:auto}.ladders{display:flex;flex-wrap:wrap;gap:20px 28px}figure{margin:0;max-width:100%;overflow-x:auto}figcaption{font-weight:600;font-size:14px}
details{margin:10px 0}summary{cursor:pointer;font-weight:600}svg{max-width:100%;height:auto;font:12px system-ui,sans-serif}
svg text{fill:var(--ink)}.grid{stroke:var(--rule)}.frame{fill:none;stroke:var(--soft)}.band{fill:var(--band)}.diagonal{stroke:var(--soft);stroke-dasharray:5 4}
.s0{fill:var(--c0);stroke:var(--c0)}.s1{fill:var(--c1);stroke:var(--c1)}.s2{fill:var(--c2);stroke:var(--c2)}.s3{fill:var(--c3);stroke:var(--c3)}
.s4{fill:var(--c4);stroke:var(--c4)}.s5{fill:var(--c5);stroke:var(--c5)}.s6{fill:var(--c6);stroke:var(--c6)}
svg circle,svg rect[class^=s],svg path[class^=s]{fill-opacity:.82}.hollow{fill:var(--ground);stroke-width:1.8}.trace{fill:none;stroke-width:1.8}path.trace.s1{stroke-dasharray:6 4}
</style>
)";

constexpr double kLarge = 0.2;  // errors above are marked

std::string cell(const std::string& text, bool number = false, bool bad = false) {
  const char* cls = number && bad ? " class=\"n bad\"" : number ? " class=\"n\"" : "";
  return fmt::format("<td{}>{}</td>", cls, escape_html(text));
}

std::string head(const std::vector<std::pair<const char*, bool>>& names) {
  std::string row = "<tr>";
  for (const auto& [name, number] : names) row += fmt::format("<th{}>{}</th>", number ? " class=\"n\"" : "", name);
  return row + "</tr>\n";
}

std::string us(double value) { return value < 0 ? "" : fmt::format("{:.4g}", value); }

std::string scores_table(const std::vector<Score>& scores) {
  std::string html = "<div class=\"scroll\"><table>\n" + head({{"", false}, {"mapped", true}, {"MAPE", true}, {"of mapped", true}, {"bias", true}, {"worst", true}, {"pipes", true}, {"bounding pipe", true}, {"worst case", false}});
  for (const Score& s : scores) {
    if (s.rows == 0) continue;
    const bool any = s.mapped > 0;
    html += "<tr>" + cell(s.name) + cell(fmt::format("{} / {}", s.mapped, s.rows), true) + cell(fmt::format("{:.1f} %", 100 * s.mape), true, s.mape > kLarge) +
            cell(any ? fmt::format("{:.1f} %", 100 * s.mape_mapped) : "", true) + cell(any ? percent(s.bias) : "", true) + cell(any ? percent(s.worst) : "", true, std::abs(s.worst) > kLarge) +
            cell(s.pipes > 0 ? fmt::format("{:.1f} % of {}", 100 * s.pipe_mape, s.pipes) : "", true) + cell(s.bounds > 0 ? fmt::format("{} / {}", s.bounds_right, s.bounds) : "", true) +
            cell(s.worst_id) + "</tr>\n";
  }
  return html + "</table></div>\n";
}

/// The first kinds have a marker of their own, the rest share the last.
std::string scatter(const std::vector<CaseResult>& results) {
  std::map<std::string, PlotSeries> by_kind;
  for (const CaseResult& r : results) {
    // Where only ratios are known there is no time to show.
    if (!r.known() || r.status != Status::scored || !r.mapping.ratio_group.empty()) continue;
    const Family* family = find_family(r.row.family);
    const std::string kind = family == nullptr ? r.row.family : family->picture;
    PlotSeries& series = by_kind[kind];
    series.name = kind;
    series.points.push_back({r.mapping.measured, r.simulated, fmt::format("{}: measured {} us, simulated {} us, {}", r.row.id, us(r.mapping.measured), us(r.simulated), percent(r.error))});
  }
  std::vector<PlotSeries> series;
  for (auto& [name, one] : by_kind) series.push_back(std::move(one));
  // Micro-benchmarks are many and small: behind the others.
  std::stable_sort(series.begin(), series.end(), [](const PlotSeries& a, const PlotSeries& b) { return (a.name.rfind("micro", 0) == 0) < (b.name.rfind("micro", 0) == 0); });
  while (static_cast<int>(series.size()) > kSeriesStyles) {
    PlotSeries last = std::move(series.back());
    series.pop_back();
    series.back().points.insert(series.back().points.end(), last.points.begin(), last.points.end());
    series.back().name = "others";
  }
  return scatter_plot(series, "measured", "simulated");
}

std::string ladders(const std::vector<CaseResult>& results) {
  std::vector<std::string> order;
  std::map<std::string, StepPlot> plots;
  std::map<std::string, int> run;
  for (const CaseResult& r : results) {
    if (r.row.ladder.empty() || r.row.measured.task <= 0) continue;
    StepPlot& plot = plots[r.row.ladder];
    if (plot.steps.empty()) {
      order.push_back(r.row.ladder);
      plot.title = r.row.ladder;
      plot.series = {{"measured", {}}, {"simulated", {}}};
    }
    const auto index = static_cast<double>(plot.steps.size());
    const double simulated = r.simulated;
    plot.steps.push_back(r.row.case_name);
    plot.series[0].points.push_back({index, r.row.measured.task, fmt::format("{}: measured {} us", r.row.case_name, us(r.row.measured.task))});
    plot.series[1].points.push_back({index, simulated, fmt::format("{}: simulated {} us", r.row.case_name, us(simulated))});
    run[r.row.ladder] += simulated > 0 ? 1 : 0;
  }
  std::string html;
  for (const std::string& name : order) {
    if (run[name] > 0 && plots[name].steps.size() > 1) html += "<figure><figcaption>" + escape_html(name) + "</figcaption>" + step_plot(plots[name]) + "</figure>\n";
  }
  return html;
}

std::string bound(int pipe) { return pipe < 0 ? "" : name_of(static_cast<PipeColumn>(pipe)); }

std::string cases_of(const std::vector<CaseResult>& results, const std::string& family) {
  std::string html;
  int count = 0;
  for (const CaseResult& r : results) {
    if (r.row.family != family || !r.known()) continue;
    ++count;
    html += "<tr>" + cell(r.row.id) + cell(name_of(r.mapping.metric)) + cell(us(r.mapping.measured), true) + cell(us(r.simulated), true) + cell(percent(r.error), true, std::abs(r.error) > kLarge) +
            cell(bound(r.bound_measured)) + cell(bound(r.bound_simulated)) + cell(r.remark) + "</tr>\n";
  }
  if (count == 0) return "";
  return fmt::format("<details><summary>{}, {} cases</summary><div class=\"scroll\"><table>\n", escape_html(family), count) +
         head({{"case", false}, {"time", false}, {"measured µs", true}, {"simulated µs", true}, {"error", true}, {"busiest, measured", false}, {"simulated", false}, {"remark", false}}) + html +
         "</table></div></details>\n";
}

std::string steps_table(const std::vector<Step>& steps) {
  std::string html;
  for (const Step& s : steps) {
    if (s.simulated <= 0) continue;
    html += "<tr>" + cell(s.name) + cell(s.before + " → " + s.after) + cell(fmt::format("{:.3f}", s.measured), true) + cell(fmt::format("{:.3f}", s.simulated), true, !s.sign_right || !s.factor_right) +
            cell(!s.sign_right ? "wrong way" : s.factor_right ? "right" : "wrong size") + "</tr>\n";
  }
  if (html.empty()) return "";
  return "<h2>Steps of optimisation</h2>\n<p>Time before over time after, as published and as simulated; right within 25 %.</p>\n<div class=\"scroll\"><table>\n" +
         head({{"ladder", false}, {"step", false}, {"measured", true}, {"simulated", true}, {"", false}}) + html + "</table></div>\n";
}

}  // namespace

std::string validation_page(const std::vector<CaseResult>& results, const std::vector<Step>& steps) {
  std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>npulab validation</title>\n";
  html += kStyle;
  html += "</head><body>\n<h1>npulab against silicon</h1>\n<p>Published measurements and what the simulator says of the same kernels. MAPE counts a row that maps to no kernel as 100 %; "
          "pipes: mean error of published pipe times of at least 5 % of the task; bounding pipe: cases whose busiest pipe is the measured one.</p>\n";
  html += "<h2>In all</h2>\n" + scores_table(group_scores(results)) + "<h2>Simulated against measured</h2>\n<p>The band is 20 % to either side.</p>\n<figure>" + scatter(results) + "</figure>\n";
  const std::string plots = ladders(results);
  if (!plots.empty()) html += "<h2>Ladders</h2>\n<div class=\"ladders\">\n" + plots + "</div>\n";
  html += steps_table(steps) + "<h2>By family</h2>\n" + scores_table(family_scores(results)) + "<h2>Cases</h2>\n";
  for (const Score& score : family_scores(results)) html += cases_of(results, score.name);
  std::string unmapped = describe_unmapped(results);
  if (!unmapped.empty()) html += "<h2>Not run</h2>\n<details><summary>Rows and reasons</summary><pre>" + escape_html(unmapped) + "</pre></details>\n";
  return html + "</body></html>\n";
}

}  // namespace npulab::validate
