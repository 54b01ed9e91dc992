// SPDX-License-Identifier: Apache-2.0
// exp, ln and tanh of our own in double precision, rounded once to fp32: the same bits with every compiler and C library.
// Against the correctly rounded result they err by at most one unit in the last place (tests sweep this).
#pragma once

namespace npulab::numerics {

/// e^x; 0 below the smallest subnormal, infinity above the largest finite value.
float exp_fp32(float x);
/// Natural logarithm; minus infinity at 0, NaN below.
float ln_fp32(float x);
float tanh_fp32(float x);

}  // namespace npulab::numerics
