// SPDX-License-Identifier: Apache-2.0
// Two plain pictures as inline SVG: points on two logarithmic axes, and lines over named steps. Colours are classes of the page's
// style (s0, s1, ...), so that light and dark pages read alike; shapes differ as well, for those who tell colours apart badly.
#pragma once

#include <string>
#include <vector>

namespace npulab::validate {

struct PlotPoint {
  double x = 0, y = 0;
  std::string title;  // shown when pointed at
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

/// Points above zero on logarithmic axes of equal scale, with the diagonal and a band of 20 % about it.
std::string scatter_plot(const std::vector<PlotSeries>& series, const std::string& x_label, const std::string& y_label);

struct StepPlot {
  std::string title;
  std::vector<std::string> steps;
  std::vector<PlotSeries> series;  // x is the index of a step; a value of zero or below leaves a gap
};

/// One line a series over the steps, times on a logarithmic axis.
std::string step_plot(const StepPlot& plot);

std::string escape_html(const std::string& text);

inline constexpr int kSeriesStyles = 7;

}  // namespace npulab::validate
