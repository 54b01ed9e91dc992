// SPDX-License-Identifier: Apache-2.0
#include "app/validate/curve_fit.h"

#include <algorithm>
#include <cmath>

namespace npulab::validate {
namespace {

constexpr double kWorthAFloor = 0.9;  // a floor is one more parameter: it must take a tenth of the squares away

double squares(const CurveLaw& law, const std::vector<CurvePoint>& points) {
  double sum = 0;
  for (const CurvePoint& point : points) sum += std::pow(law.at(point.size) / point.cycles - 1, 2);
  return sum;
}

/// Least squares of relative errors over the points from `first`.
CurveLaw line_through(const std::vector<CurvePoint>& points, std::size_t first) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const double weight = 1 / (points[i].cycles * points[i].cycles), x = points[i].size, y = points[i].cycles;
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  CurveLaw law;
  const double spread = w * wxx - wx * wx;
  const double slope = spread > 0 ? (w * wxy - wx * wy) / spread : 0;
  if (slope <= 0) return law;
  law.rate = 1 / slope;
  law.start = (wy - slope * wx) / w;
  return law;
}

/// The best level for the first `count` points under relative errors.
double level_of(const std::vector<CurvePoint>& points, std::size_t count) {
  double one = 0, two = 0;
  for (std::size_t i = 0; i < count; ++i) {
    one += 1 / points[i].cycles;
    two += 1 / (points[i].cycles * points[i].cycles);
  }
  return one / two;
}

CurveLaw best_law(const std::vector<CurvePoint>& points) {
  CurveLaw best = line_through(points, 0);
  double least = squares(best, points) * kWorthAFloor;
  for (std::size_t level = 2; level + 2 <= points.size(); ++level) {
    CurveLaw law = line_through(points, level);
    law.floor = level_of(points, level);
    const double sum = squares(law, points);
    if (sum >= least) continue;
    least = sum;
    best = law;
  }
  return best;
}

}  // namespace

double CurveLaw::at(double size) const { return std::max(floor, start + size / rate); }

double residual_of(const CurveLaw& law, const std::vector<CurvePoint>& points) {
  double sum = 0;
  for (const CurvePoint& point : points) sum += std::abs(law.at(point.size) / point.cycles - 1);
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

CurveFit fit_curve(const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> fitted, held_out;
  for (std::size_t i = 0; i < points.size(); ++i) (i % 2 == 0 || points.size() < 4 ? fitted : held_out).push_back(points[i]);
  CurveFit fit;
  fit.law = best_law(fitted);
  fit.fitted = static_cast<int>(fitted.size());
  fit.held_out = static_cast<int>(held_out.size());
  fit.residual = residual_of(fit.law, held_out.empty() ? fitted : held_out);
  return fit;
}

}  // namespace npulab::validate
