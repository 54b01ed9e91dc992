// SPDX-License-Identifier: Apache-2.0
// exp, ln, tanh and the roots of our own: evaluated in fp64 from exactly specified operations and rounded once to fp32, so the
// bits are the same with every compiler and C library. Results are within one unit in the last place of the correctly rounded
// ones (tests sweep this). Left out: the chip's own approximations, which are not public.
#pragma once

#include <cstdint>

#include "model/numerics/float16.h"

namespace npulab::numerics {

/// e^x; 0 below the smallest subnormal, infinity above the largest finite value, NaN for NaN.
float exp_fp32(float x);
/// Natural logarithm; minus infinity at 0, NaN below.
float ln_fp32(float x);
/// Hyperbolic tangent; keeps the sign of zero, +-1 from about 9 on.
float tanh_fp32(float x);
/// Square root, correctly rounded; NaN below zero, minus zero for minus zero.
float sqrt_fp32(float x);
/// 1 / sqrt(x); infinity with the sign of x at zero, NaN below.
float rsqrt_fp32(float x);
/// 1 / x, correctly rounded.
float reciprocal_fp32(float x);

/// `function` of an fp16 value: computed in fp32, then rounded to fp16 half to even.
template <typename Function>
std::uint16_t through_fp32(std::uint16_t x, Function function) {
  return fp32_to_fp16(function(fp16_to_fp32(x)));
}

/// The same functions on fp16 bit patterns.
inline std::uint16_t exp_fp16(std::uint16_t x) { return through_fp32(x, exp_fp32); }
inline std::uint16_t ln_fp16(std::uint16_t x) { return through_fp32(x, ln_fp32); }
inline std::uint16_t tanh_fp16(std::uint16_t x) { return through_fp32(x, tanh_fp32); }
inline std::uint16_t sqrt_fp16(std::uint16_t x) { return through_fp32(x, sqrt_fp32); }
inline std::uint16_t rsqrt_fp16(std::uint16_t x) { return through_fp32(x, rsqrt_fp32); }
inline std::uint16_t reciprocal_fp16(std::uint16_t x) { return through_fp32(x, reciprocal_fp32); }

}  // namespace npulab::numerics
