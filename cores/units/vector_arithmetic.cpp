// SPDX-License-Identifier: Apache-2.0
#include "cores/units/vector_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "model/base/errors.h"
#include "model/numerics/float16.h"
#include "model/numerics/rounding.h"
#include "model/numerics/transcendental.h"

namespace npulab::cores {
namespace {

using Op = isa::VectorOp;

/// Maximum and minimum as IEEE 754 compares; a NaN operand gives NaN.
float real_max(float a, float b) { return std::isnan(a) || std::isnan(b) ? a + b : a > b ? a : b; }
float real_min(float a, float b) { return std::isnan(a) || std::isnan(b) ? a + b : a < b ? a : b; }

/// Rounds a single-precision result to the type it will be stored in, where two operations round twice.
float round_to(isa::DataType type, float value) {
  if (type == isa::DataType::fp16) return numerics::fp16_to_fp32(numerics::fp32_to_fp16(value));
  if (type == isa::DataType::bf16) return numerics::bf16_to_fp32(numerics::fp32_to_bf16(value));
  return value;
}

template <typename Function>
void for_real(int count, const Lanes& a, const Lanes& b, Lanes& dst, Function function) {
  for (int lane = 0; lane < count; ++lane) dst.real[lane] = function(a.real[lane], b.real[lane]);
}

template <typename Function>
void for_integer(int count, const Lanes& a, const Lanes& b, Lanes& dst, Function function) {
  for (int lane = 0; lane < count; ++lane) dst.integer[lane] = function(a.integer[lane], b.integer[lane]);
}

void compute_real_unary(Op op, int count, const Lanes& a, Lanes& dst) {
  switch (op) {
    case Op::abs: for_real(count, a, a, dst, [](float x, float) { return std::fabs(x); }); break;
    case Op::relu: for_real(count, a, a, dst, [](float x, float) { return real_max(x, 0.0f); }); break;
    case Op::exp: for_real(count, a, a, dst, [](float x, float) { return numerics::exp_fp32(x); }); break;
    case Op::ln: for_real(count, a, a, dst, [](float x, float) { return numerics::ln_fp32(x); }); break;
    case Op::sqrt: for_real(count, a, a, dst, [](float x, float) { return std::sqrt(x); }); break;
    case Op::rsqrt: for_real(count, a, a, dst, [](float x, float) { return 1.0f / std::sqrt(x); }); break;
    case Op::reciprocal: for_real(count, a, a, dst, [](float x, float) { return 1.0f / x; }); break;
    default: throw InternalError("vector operation has no floating-point form");
  }
}

void compute_real(const isa::VectorOperands& o, isa::DataType type, int count, const Lanes& a, const Lanes& b, Lanes& dst) {
  const float s = scalar_of(o, type).real;
  switch (o.op) {
    case Op::add: for_real(count, a, b, dst, [](float x, float y) { return x + y; }); break;
    case Op::sub: for_real(count, a, b, dst, [](float x, float y) { return x - y; }); break;
    case Op::mul: for_real(count, a, b, dst, [](float x, float y) { return x * y; }); break;
    case Op::div: for_real(count, a, b, dst, [](float x, float y) { return x / y; }); break;
    case Op::max: for_real(count, a, b, dst, real_max); break;
    case Op::min: for_real(count, a, b, dst, real_min); break;
    case Op::adds: for_real(count, a, a, dst, [s](float x, float) { return x + s; }); break;
    case Op::muls: for_real(count, a, a, dst, [s](float x, float) { return x * s; }); break;
    case Op::maxs: for_real(count, a, a, dst, [s](float x, float) { return real_max(x, s); }); break;
    case Op::mins: for_real(count, a, a, dst, [s](float x, float) { return real_min(x, s); }); break;
    case Op::duplicate: for_real(count, a, a, dst, [s](float, float) { return s; }); break;
    case Op::copy: for_real(count, a, a, dst, [](float x, float) { return x; }); break;
    case Op::madd:
      for (int lane = 0; lane < count; ++lane) dst.real[lane] += round_to(type, a.real[lane] * b.real[lane]);
      break;
    case Op::axpy:
      for (int lane = 0; lane < count; ++lane) dst.real[lane] += round_to(type, a.real[lane] * s);
      break;
    default: compute_real_unary(o.op, count, a, dst); break;
  }
}

void compute_integer(const isa::VectorOperands& o, isa::DataType type, int count, const Lanes& a, const Lanes& b, Lanes& dst) {
  using I = std::int64_t;
  const I s = scalar_of(o, type).integer;
  switch (o.op) {
    case Op::add: for_integer(count, a, b, dst, [](I x, I y) { return x + y; }); break;
    case Op::sub: for_integer(count, a, b, dst, [](I x, I y) { return x - y; }); break;
    case Op::mul: for_integer(count, a, b, dst, [](I x, I y) { return x * y; }); break;
    case Op::max: for_integer(count, a, b, dst, [](I x, I y) { return std::max(x, y); }); break;
    case Op::min: for_integer(count, a, b, dst, [](I x, I y) { return std::min(x, y); }); break;
    case Op::and_: for_integer(count, a, b, dst, [](I x, I y) { return x & y; }); break;
    case Op::or_: for_integer(count, a, b, dst, [](I x, I y) { return x | y; }); break;
    case Op::not_: for_integer(count, a, a, dst, [](I x, I) { return ~x; }); break;
    case Op::adds: for_integer(count, a, a, dst, [s](I x, I) { return x + s; }); break;
    case Op::muls: for_integer(count, a, a, dst, [s](I x, I) { return x * s; }); break;
    case Op::maxs: for_integer(count, a, a, dst, [s](I x, I) { return std::max(x, s); }); break;
    case Op::mins: for_integer(count, a, a, dst, [s](I x, I) { return std::min(x, s); }); break;
    case Op::shift_left: for_integer(count, a, a, dst, [s](I x, I) { return static_cast<I>(static_cast<std::uint64_t>(x) << s); }); break;
    case Op::shift_right: for_integer(count, a, a, dst, [s](I x, I) { return x >> s; }); break;
    case Op::abs: for_integer(count, a, a, dst, [](I x, I) { return x < 0 ? -x : x; }); break;
    case Op::relu: for_integer(count, a, a, dst, [](I x, I) { return std::max<I>(x, 0); }); break;
    case Op::duplicate: for_integer(count, a, a, dst, [s](I, I) { return s; }); break;
    case Op::copy: for_integer(count, a, a, dst, [](I x, I) { return x; }); break;
    case Op::madd: for (int i = 0; i < count; ++i) dst.integer[i] += a.integer[i] * b.integer[i]; break;
    case Op::axpy: for (int i = 0; i < count; ++i) dst.integer[i] += a.integer[i] * s; break;
    default: throw InternalError("vector operation has no integer form");
  }
}

struct IntegerRange { std::int64_t low, high; };

IntegerRange range_of(isa::DataType type) {
  switch (type) {
    case isa::DataType::int8: return {-128, 127};
    case isa::DataType::uint8: return {0, 255};
    case isa::DataType::int16: return {-32768, 32767};
    case isa::DataType::uint16: return {0, 65535};
    case isa::DataType::uint32: return {0, 4294967295};
    default: return {-2147483648LL, 2147483647};
  }
}

numerics::RoundMode to_numerics(isa::RoundMode mode) {
  switch (mode) {
    case isa::RoundMode::floor: return numerics::RoundMode::floor;
    case isa::RoundMode::ceil: return numerics::RoundMode::ceil;
    case isa::RoundMode::round: return numerics::RoundMode::round;
    case isa::RoundMode::trunc: return numerics::RoundMode::trunc;
    case isa::RoundMode::odd: return numerics::RoundMode::odd;
    default: return numerics::RoundMode::rint;  // "none" rounds half to even wherever it must round
  }
}

}  // namespace

VectorScalar scalar_of(const isa::VectorOperands& operands, isa::DataType type) {
  VectorScalar scalar;
  if (is_real(type)) {
    std::memcpy(&scalar.real, &operands.scalar_bits, 4);
    scalar.real = round_to(type, scalar.real);
  } else {
    scalar.integer = static_cast<std::int32_t>(operands.scalar_bits);
  }
  return scalar;
}

void compute_lanes(const isa::VectorOperands& operands, isa::DataType type, int count, const Lanes& a, const Lanes& b,
                   Lanes& dst) {
  if (is_real(type)) {
    compute_real(operands, type, count, a, b, dst);
  } else {
    compute_integer(operands, type, count, a, b, dst);
  }
}

void cast_lanes(const isa::VectorOperands& operands, int count, Lanes& lanes) {
  const bool from_real = is_real(operands.src_type), to_real = is_real(operands.dst_type);
  const numerics::RoundMode mode = to_numerics(operands.round);
  const IntegerRange range = range_of(operands.dst_type);
  for (int lane = 0; lane < count; ++lane) {
    if (from_real && !to_real) {
      lanes.integer[lane] = std::clamp(numerics::round_to_int(lanes.real[lane], mode), range.low, range.high);
    } else if (!from_real && !to_real) {
      lanes.integer[lane] = std::clamp(lanes.integer[lane], range.low, range.high);
    } else {
      if (!from_real) lanes.real[lane] = static_cast<float>(lanes.integer[lane]);
      // A narrower float by the instruction's mode; widening and equal widths are exact.
      if (operands.dst_type == isa::DataType::fp16) {
        lanes.real[lane] = numerics::fp16_to_fp32(numerics::fp32_to_fp16(lanes.real[lane], mode));
      } else if (operands.dst_type == isa::DataType::bf16) {
        lanes.real[lane] = numerics::bf16_to_fp32(numerics::fp32_to_bf16(lanes.real[lane], mode));
      } else if (from_real) {
        // fp32 -> fp32 with a mode rounds to an integer value, as the public Cast page says.
        if (operands.src_type == isa::DataType::fp32 && operands.round != isa::RoundMode::none) {
          lanes.real[lane] = numerics::round_to_integral(lanes.real[lane], mode);
        }
      }
    }
  }
}

bool compare_lane(isa::CompareMode mode, isa::DataType type, const Lanes& a, const Lanes& b, int lane) {
  const auto holds = [mode](auto x, auto y) {
    switch (mode) {
      case isa::CompareMode::lt: return x < y;
      case isa::CompareMode::gt: return x > y;
      case isa::CompareMode::ge: return x >= y;
      case isa::CompareMode::le: return x <= y;
      case isa::CompareMode::eq: return x == y;
      default: return x != y;
    }
  };
  return is_real(type) ? holds(a.real[lane], b.real[lane]) : holds(a.integer[lane], b.integer[lane]);
}

void reduce_pair(isa::VectorOp op, isa::DataType type, Lanes& lanes, int into, int from) {
  const bool sum = op == Op::reduce_sum || op == Op::block_sum;
  const bool max = op == Op::reduce_max || op == Op::block_max;
  if (is_real(type)) {
    const float a = lanes.real[into], b = lanes.real[from];
    lanes.real[into] = sum ? round_to(type, a + b) : max ? real_max(a, b) : real_min(a, b);
  } else {
    const std::int64_t a = lanes.integer[into], b = lanes.integer[from];
    lanes.integer[into] = sum ? a + b : max ? std::max(a, b) : std::min(a, b);
  }
}

}  // namespace npulab::cores
