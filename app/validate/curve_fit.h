// SPDX-License-Identifier: Apache-2.0
// A unit's law from a curve of single instructions: cycles = max(floor, start + size / rate), fitted to relative errors, on every
// other point; the points left out tell how good it is.
#pragma once

#include <vector>

namespace npulab::validate {

struct CurvePoint {
  double size = 0;    // bytes, tiles or repeats
  double cycles = 0;  // of one instruction
};

struct CurveLaw {
  double floor = 0, start = 0, rate = 1;
  double at(double size) const;
};

struct CurveFit {
  CurveLaw law;
  double residual = 0;  // mean absolute relative error over the points left out (over all when there are less than four)
  int fitted = 0, held_out = 0;
};

/// `points` by size; at least two.
CurveFit fit_curve(const std::vector<CurvePoint>& points);

/// Mean absolute relative error of a law over points.
double residual_of(const CurveLaw& law, const std::vector<CurvePoint>& points);

}  // namespace npulab::validate
