// SPDX-License-Identifier: Apache-2.0
// Laws found again in the points they made.
#include "app/validate/curve_fit.h"

#include <gtest/gtest.h>

namespace npulab::validate {
namespace {

std::vector<CurvePoint> points_of(const CurveLaw& law, int count, double noise = 0) {
  std::vector<CurvePoint> points;
  for (int i = 1; i <= count; ++i) points.push_back({i * 512.0, law.at(i * 512.0) * (1 + noise * (i % 2 == 0 ? 1 : -1))});
  return points;
}

TEST(CurveFit, a_line_is_found_again) {
  const CurveFit fit = fit_curve(points_of({0, 28, 256}, 40));
  EXPECT_NEAR(fit.law.start, 28, 1e-6);
  EXPECT_NEAR(fit.law.rate, 256, 1e-6);
  EXPECT_NEAR(fit.residual, 0, 1e-9);
  EXPECT_EQ(fit.fitted, 20);
  EXPECT_EQ(fit.held_out, 20);
}

TEST(CurveFit, a_floor_is_found_again) {
  const CurveFit fit = fit_curve(points_of({85, 10, 120}, 60));
  EXPECT_NEAR(fit.law.floor, 85, 1e-6);
  EXPECT_NEAR(fit.law.rate, 120, 1e-6);
  EXPECT_NEAR(fit.residual, 0, 1e-6);
}

TEST(CurveFit, what_is_no_floor_gets_none) {
  EXPECT_EQ(fit_curve(points_of({0, 200, 100}, 40)).law.floor, 0);
}

TEST(CurveFit, points_left_out_tell_the_error) {
  // Fitted points lie 5 % below the law, those left out 5 % above: the fit is 9.5 % off.
  const CurveFit fit = fit_curve(points_of({0, 28, 256}, 40, 0.05));
  EXPECT_NEAR(fit.residual, 1 - 0.95 / 1.05, 1e-6);
}

TEST(CurveFit, few_points_are_all_used) {
  const CurveFit fit = fit_curve({{100, 20}, {200, 30}});
  EXPECT_NEAR(fit.law.rate, 10, 1e-9);
  EXPECT_NEAR(fit.law.start, 10, 1e-9);
  EXPECT_EQ(fit.held_out, 0);
}

}  // namespace
}  // namespace npulab::validate
