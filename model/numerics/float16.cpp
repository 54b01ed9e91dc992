// SPDX-License-Identifier: Apache-2.0
// Why rounding twice is harmless here. With p bits in the narrow format and q in the wide one, q >= 2p + 2 makes round(wide)
// then round(narrow) equal to one rounding for add, sub, mul and div (Figueroa 1995): fp16 in fp32 has 24 >= 2 * 11 + 2. Below
// fp16's normal range sums are exact, products of 22 bits are exact in fp32, and a quotient that is no midpoint of the fp16
// grid is further than 2^-24 of its size away from one: a midpoint m has at most 11 bits there, and |x - m y| > 0 is at least
// one unit of the product of two 11-bit numbers. fp32's own subnormals are not reached (smallest product 2^-48, quotient 2^-40).
// bf16 shares the exponent range of fp32, whose subnormals would ask for one more argument; fp64 asks for none.
#include "model/numerics/float16.h"

namespace npulab::numerics {
namespace {

struct Format {
  int exponent_bits, mantissa_bits;
  constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Format kFp16{5, 10};
constexpr Format kBf16{8, 7};

constexpr std::uint64_t kInfinity64 = 0x7ff0000000000000u;
constexpr std::uint64_t kHidden64 = 0x0010000000000000u;

/// Whether a magnitude is rounded away from zero, given the lowest kept bit and what is cut off (`rest` of 2^`cut`).
bool rounds_away(std::uint64_t kept, std::uint64_t rest, int cut, bool negative, RoundMode mode) {
  const std::uint64_t half = std::uint64_t{1} << (cut - 1);
  switch (mode) {
    case RoundMode::floor: return negative && rest != 0;
    case RoundMode::ceil: return !negative && rest != 0;
    case RoundMode::trunc: return false;
    case RoundMode::round: return rest >= half;
    case RoundMode::odd: return rest != 0 && (kept & 1) == 0;
    case RoundMode::none:
    case RoundMode::rint: break;
  }
  return rest > half || (rest == half && (kept & 1) != 0);
}

bool overflows_to_infinity(bool negative, RoundMode mode) {
  switch (mode) {
    case RoundMode::trunc:
    case RoundMode::odd: return false;
    case RoundMode::floor: return negative;
    case RoundMode::ceil: return !negative;
    default: return true;
  }
}

/// Magnitude bits in `format` of a finite magnitude, not yet limited to the format's range.
std::uint32_t round_magnitude(std::uint64_t magnitude, bool negative, const Format& format, RoundMode mode) {
  const int stored = static_cast<int>(magnitude >> 52);
  // A subnormal has no hidden bit and the exponent of the smallest normal.
  const std::uint64_t mantissa = stored == 0 ? magnitude : (magnitude & (kHidden64 - 1)) | kHidden64;
  const int exponent = (stored == 0 ? 1 : stored) - 1023 + format.bias();
  int cut = 52 - format.mantissa_bits;
  if (exponent < 1) cut += 1 - exponent;  // the result is subnormal
  if (cut > 60) cut = 60;                 // already less than half of the smallest subnormal
  const std::uint64_t kept = mantissa >> cut;
  const std::uint64_t rest = mantissa & ((std::uint64_t{1} << cut) - 1);
  const std::uint64_t base = exponent < 1 ? 0 : static_cast<std::uint64_t>(exponent - 1) << format.mantissa_bits;
  // A carry out of the mantissa runs into the exponent, which is the right result.
  return static_cast<std::uint32_t>(base + kept + (rounds_away(kept, rest, cut, negative, mode) ? 1 : 0));
}

std::uint16_t narrow(double value, const Format& format, RoundMode mode, Overflow overflow) {
  const std::uint64_t magnitude = bits_of(value) & ~(std::uint64_t{1} << 63);
  const bool negative = (bits_of(value) >> 63) != 0;
  const std::uint32_t sign = negative ? 0x8000u : 0u, infinity = format.infinity();
  if (magnitude > kInfinity64) return static_cast<std::uint16_t>(sign | infinity | (1u << (format.mantissa_bits - 1)));
  std::uint32_t result = infinity;
  if (magnitude < kInfinity64) {
    result = round_magnitude(magnitude, negative, format, mode);
    if (result >= infinity) result = overflows_to_infinity(negative, mode) ? infinity : infinity - 1;
  }
  if (result == infinity && overflow == Overflow::saturate) result = infinity - 1;
  return static_cast<std::uint16_t>(sign | result);
}

bool half_to_even(RoundMode mode) { return mode == RoundMode::rint || mode == RoundMode::none; }

/// `magnitude` rounded half to even at bit `cut`; a carry runs into the exponent.
std::uint32_t round_bits(std::uint32_t magnitude, int cut) {
  return (magnitude + ((1u << (cut - 1)) - 1) + ((magnitude >> cut) & 1)) >> cut;
}

/// Magnitude of fp16 from that of a finite or infinite fp32, half to even.
std::uint32_t fast_fp16(std::uint32_t magnitude) {
  // Below 2^-14 the addition rounds for us: from 0.5 to 1 fp32 steps by 2^-24, the fp16 subnormal step.
  if (magnitude < 0x38800000u) return bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const std::uint32_t result = round_bits(magnitude, 13) - (112u << 10);
  return result < 0x7c00u ? result : 0x7c00u;
}

}  // namespace

std::uint16_t fp32_to_fp16(float value, RoundMode mode, Overflow overflow) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u || !half_to_even(mode)) return narrow(static_cast<double>(value), kFp16, mode, overflow);
  std::uint32_t result = fast_fp16(magnitude);
  if (result == 0x7c00u && overflow == Overflow::saturate) result = 0x7bffu;
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | result);
}

std::uint16_t fp32_to_bf16(float value, RoundMode mode, Overflow overflow) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u || !half_to_even(mode)) return narrow(static_cast<double>(value), kBf16, mode, overflow);
  std::uint32_t result = round_bits(magnitude, 16);
  if (result == 0x7f80u && overflow == Overflow::saturate) result = 0x7f7fu;
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | result);
}

std::uint16_t fp64_to_fp16(double value, RoundMode mode, Overflow overflow) { return narrow(value, kFp16, mode, overflow); }

std::uint16_t fp64_to_bf16(double value, RoundMode mode, Overflow overflow) { return narrow(value, kBf16, mode, overflow); }

std::uint16_t fp16_add(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return fp32_to_fp16(fp16_to_fp32(a) + fp16_to_fp32(b), RoundMode::rint, overflow);
}

std::uint16_t fp16_sub(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return fp32_to_fp16(fp16_to_fp32(a) - fp16_to_fp32(b), RoundMode::rint, overflow);
}

std::uint16_t fp16_mul(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return fp32_to_fp16(fp16_to_fp32(a) * fp16_to_fp32(b), RoundMode::rint, overflow);
}

std::uint16_t fp16_div(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return fp32_to_fp16(fp16_to_fp32(a) / fp16_to_fp32(b), RoundMode::rint, overflow);
}

std::uint16_t bf16_add(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return narrow(static_cast<double>(bf16_to_fp32(a)) + static_cast<double>(bf16_to_fp32(b)), kBf16, RoundMode::rint, overflow);
}

std::uint16_t bf16_sub(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return narrow(static_cast<double>(bf16_to_fp32(a)) - static_cast<double>(bf16_to_fp32(b)), kBf16, RoundMode::rint, overflow);
}

std::uint16_t bf16_mul(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return narrow(static_cast<double>(bf16_to_fp32(a)) * static_cast<double>(bf16_to_fp32(b)), kBf16, RoundMode::rint, overflow);
}

std::uint16_t bf16_div(std::uint16_t a, std::uint16_t b, Overflow overflow) {
  return narrow(static_cast<double>(bf16_to_fp32(a)) / static_cast<double>(bf16_to_fp32(b)), kBf16, RoundMode::rint, overflow);
}

}  // namespace npulab::numerics
