// SPDX-License-Identifier: Apache-2.0
// Parameters of a chip from tables of single instructions: each curve fitted on every other size, its law beside the configured
// number, and what the simulator as configured makes of the sizes left out.
#pragma once

#include <string>
#include <vector>

#include "app/validate/curve_fit.h"
#include "app/validate/scores.h"
#include "model/spec/parameter_table.h"

namespace npulab::validate {

struct CalibratedCurve {
  std::string chip, table;
  CurveFit fit;                  // cycles of one instruction over bytes (moves) or 16x16x16 products (mmad)
  double simulated_residual = 0; // of the simulator, over the sizes left out
  double asymptote = 0, simulated_asymptote = 0;  // size per cycle at the largest
  double least = 0, simulated_least = 0;          // cycles at the smallest
  std::string rate_parameter, start_parameter;    // below the chip; "" when no single number stands for it
  bool asymptote_right() const;  // within 5 %
  bool least_right() const;      // within 15 %
};

/// Curves of the results whose family is a micro-benchmark of moves or products, in the order of the data.
std::vector<CalibratedCurve> calibrate_curves(const std::vector<CaseResult>& results);

struct CalibratedVector {
  std::string chip, table;
  double slope = 0, simulated_slope = 0;  // cycles a repeat
};
std::vector<CalibratedVector> calibrate_vectors(const std::vector<CaseResult>& results);

/// What `npulab calibrate` prints. `configured` are the chip's parameters, to show what stands there now.
std::string describe_calibration(const std::vector<CalibratedCurve>& curves, const std::vector<CalibratedVector>& vectors,
                                 const std::vector<std::pair<std::string, ParameterTable>>& configured);

}  // namespace npulab::validate
