// SPDX-License-Identifier: Apache-2.0
#include "app/validate/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace npulab::validate {
namespace {

/// A logarithmic axis from `least` to `most` over `length` points of the picture.
class LogAxis {
 public:
  LogAxis(double least, double most, double begin, double end) : low_(std::log10(least)), high_(std::log10(most)), begin_(begin), end_(end) {
    if (high_ - low_ < 0.1) {
      low_ -= 0.1;
      high_ += 0.1;
    }
  }

  double place(double value) const { return begin_ + (std::log10(value) - low_) / (high_ - low_) * (end_ - begin_); }

  /// Round values: powers of ten, or more of them where the axis is short.
  std::vector<double> ticks() const {
    static const std::vector<std::vector<double>> kinds = {{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}, {1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5}};
    std::vector<double> ticks;
    for (const std::vector<double>& factors : kinds) {
      ticks = ticks_of(factors);
      if (ticks.size() >= 3) break;
    }
    return ticks;
  }

 private:
  std::vector<double> ticks_of(const std::vector<double>& factors) const {
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(low_)) - 1; power <= high_; ++power) {
      for (double factor : factors) {
        const double value = factor * std::pow(10.0, power);
        if (std::log10(value) >= low_ - 1e-9 && std::log10(value) <= high_ + 1e-9) ticks.push_back(value);
      }
    }
    return ticks;
  }

  double low_, high_, begin_, end_;
};

/// "20", "0.5", "100 k": a time in microseconds on an axis.
std::string tick_text(double value) {
  if (value >= 1e6) return fmt::format("{:g} s", value / 1e6);
  return value >= 1e3 ? fmt::format("{:g} ms", value / 1e3) : fmt::format("{:g} µs", value);
}

/// One marker of a series, filled or hollow.
std::string marker(int style, double x, double y, bool hollow, const std::string& title) {
  const std::string cls = fmt::format("class=\"s{}{}\"", style % kSeriesStyles, hollow ? " hollow" : "");
  std::string shape;
  switch (style % kSeriesStyles) {
    case 0: shape = fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.2\">", cls, x, y); break;
    case 1: shape = fmt::format("<rect {} x=\"{:.1f}\" y=\"{:.1f}\" width=\"7.6\" height=\"7.6\">", cls, x - 3.8, y - 3.8); break;
    case 2: shape = fmt::format("<path {} d=\"M{:.1f} {:.1f}l5 8.6h-10z\">", cls, x, y - 5.6); break;
    case 3: shape = fmt::format("<path {} d=\"M{:.1f} {:.1f}l5.2 5.2l-5.2 5.2l-5.2 -5.2z\">", cls, x, y - 5.2); break;
    case 4: shape = fmt::format("<path {} d=\"M{:.1f} {:.1f}l-5 -8.6h10z\">", cls, x, y + 5.6); break;
    case 5: shape = fmt::format("<path {} d=\"M{:.1f} {:.1f}h3v3.2h3.2v3h-3.2v3.2h-3v-3.2h-3.2v-3h3.2z\">", cls, x - 1.5, y - 4.7); break;
    default: shape = fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.4\">", cls, x, y); break;
  }
  const std::string tag = shape.substr(1, shape.find(' ') - 1);
  return shape + "<title>" + escape_html(title) + "</title></" + tag + ">\n";
}

std::string text(double x, double y, const std::string& anchor, const std::string& words, const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, more, escape_html(words));
}

std::string line(const char* cls, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", cls, x1, y1, x2, y2);
}

std::string opening(double width, double height, const std::string& what) {
  return fmt::format("<svg viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" role=\"img\" aria-label=\"{2}\">\n", width, height, escape_html(what));
}

void widen(const std::vector<PlotSeries>& series, bool both, double& least, double& most) {
  for (const PlotSeries& one : series) {
    for (const PlotPoint& point : one.points) {
      for (double value : {both ? point.x : point.y, point.y}) {
        if (value <= 0) continue;
        least = std::min(least, value);
        most = std::max(most, value);
      }
    }
  }
}

std::string legend(const std::vector<PlotSeries>& series, double x, double y) {
  std::string svg;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double at = y + 18 * static_cast<double>(i);
    svg += marker(static_cast<int>(i), x, at, false, series[i].name) + text(x + 11, at + 4, "start", series[i].name);
  }
  return svg;
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string safe;
  for (char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string scatter_plot(const std::vector<PlotSeries>& series, const std::string& x_label, const std::string& y_label) {
  constexpr double left = 74, top = 16, side = 520, width = 830, height = 596;
  double least = 1e300, most = 0;
  widen(series, true, least, most);
  if (most <= 0) return "";
  const LogAxis x(least / 1.3, most * 1.3, left, left + side), y(least / 1.3, most * 1.3, top + side, top);
  std::string svg = opening(width, height, y_label + " against " + x_label);
  svg += fmt::format("<clipPath id=\"frame\"><rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\"/></clipPath>\n", left, top, side);
  for (double tick : x.ticks()) {
    svg += line("grid", x.place(tick), top, x.place(tick), top + side) + text(x.place(tick), top + side + 18, "middle", tick_text(tick));
    svg += line("grid", left, y.place(tick), left + side, y.place(tick)) + text(left - 8, y.place(tick) + 4, "end", tick_text(tick));
  }
  const double a = least / 4, b = most * 4;
  svg += "<g clip-path=\"url(#frame)\">\n";
  svg += fmt::format("<path class=\"band\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\"/>\n", x.place(a), y.place(a * 1.2), x.place(b), y.place(b * 1.2),
                     x.place(b), y.place(b * 0.8), x.place(a), y.place(a * 0.8));
  svg += line("diagonal", x.place(a), y.place(a), x.place(b), y.place(b)) + "</g>\n";
  svg += fmt::format("<rect class=\"frame\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\"/>\n", left, top, side);
  // The first series is named first and drawn last, on top.
  for (std::size_t i = series.size(); i-- > 0;) {
    for (const PlotPoint& point : series[i].points) {
      if (point.x > 0 && point.y > 0) svg += marker(static_cast<int>(i), x.place(point.x), y.place(point.y), false, point.title);
    }
  }
  svg += text(left + side / 2, top + side + 44, "middle", x_label);
  svg += text(18, top + side / 2, "middle", y_label, fmt::format("transform=\"rotate(-90 18 {:.1f})\"", top + side / 2));
  return svg + legend(series, left + side + 24, top + 12) + "</svg>\n";
}

std::string step_plot(const StepPlot& plot) {
  constexpr double left = 92, top = 34, tall = 190, foot = 100;
  const double wide = std::max(250.0, 58.0 * static_cast<double>(plot.steps.size()));
  double least = 1e300, most = 0;
  widen(plot.series, false, least, most);
  if (most <= 0 || plot.steps.empty()) return "";
  const LogAxis y(least / 1.15, most * 1.15, top + tall, top);
  const auto x = [&](double index) { return left + wide * (index + 0.5) / static_cast<double>(plot.steps.size()); };
  std::string svg = opening(left + wide + 16, top + tall + foot, plot.title);
  for (double tick : y.ticks()) svg += line("grid", left, y.place(tick), left + wide, y.place(tick)) + text(left - 8, y.place(tick) + 4, "end", tick_text(tick));
  svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, top, wide, tall);
  for (std::size_t i = 0; i < plot.steps.size(); ++i) {
    const double at = x(static_cast<double>(i)), below = top + tall + 14;
    const std::string words = plot.steps[i].size() > 20 ? plot.steps[i].substr(0, 19) + "…" : plot.steps[i];
    svg += text(at, below, "end", words, fmt::format("transform=\"rotate(-38 {:.1f} {:.1f})\"", at, below));
  }
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    std::string path, marks;
    bool pen_down = false;
    for (const PlotPoint& point : plot.series[s].points) {
      if (point.y > 0) {
        path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x(point.x), y.place(point.y));
        marks += marker(static_cast<int>(s), x(point.x), y.place(point.y), s > 0, point.title);
      }
      pen_down = point.y > 0;
    }
    svg += fmt::format("<path class=\"trace s{}\" d=\"{}\"/>\n", s, path.empty() ? "M0 0" : path) + marks;
    svg += marker(static_cast<int>(s), left + 6 + 96 * static_cast<double>(s), 18, s > 0, plot.series[s].name) + text(left + 16 + 96 * static_cast<double>(s), 22, "start", plot.series[s].name);
  }
  return svg + "</svg>\n";
}

}  // namespace npulab::validate
