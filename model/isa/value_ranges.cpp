// SPDX-License-Identifier: Apache-2.0
#include "model/isa/value_ranges.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "model/isa/head_parts.h"
#include "model/isa/kernel_equality.h"

namespace npulab::isa {
namespace {

__extension__ typedef __int128 Wide;  // sums of products of 64-bit numbers

constexpr std::int64_t kLongestPeriod = 1 << 16;

std::int64_t saturated(Wide value) {
  constexpr Wide least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(value < least ? least : value > most ? most : value);
}

struct Span {
  Wide least = 0, most = 0;
  bool aligned = true;
  Wide misaligned = 0;

  void include(Wide value, std::int64_t step) {
    least = std::min(least, value);
    most = std::max(most, value);
    if (aligned && value % step != 0) {
      aligned = false;
      misaligned = value;
    }
  }
};

template <typename Parts>
Wide value_at(const Parts& parts, std::int64_t variable) {
  Wide value = 0;
  for (const auto& part : parts) {
    value += static_cast<Wide>(part.coefficient) * (part.modulus > 0 ? variable % part.modulus : variable);
  }
  return value;
}

/// One term over 0..trips-1: monotonic, so its ends say all.
template <typename Part>
void include_term(const Part& part, std::int64_t trips, std::int64_t step, Span& span) {
  const std::int64_t values = part.modulus > 0 ? std::min(trips, part.modulus) : trips;
  if (values > 1) span.include(part.coefficient, step);
  span.include(static_cast<Wide>(part.coefficient) * (values - 1), step);
}

/// A sum of terms of one variable: linear plus periodic, so its extremes lie in the first or last period.
template <typename Parts>
void include_periods(const Parts& parts, std::int64_t period, std::int64_t trips, std::int64_t step, Span& span) {
  for (std::int64_t v = 0; v < std::min(trips, period + 1); ++v) span.include(value_at(parts, v), step);
  for (std::int64_t v = std::max<std::int64_t>(0, trips - period); v < trips; ++v) span.include(value_at(parts, v), step);
}

/// Bounds term by term, which may be wider than the truth; only for moduli with a very long common period.
template <typename Parts>
void include_separately(const Parts& parts, std::int64_t trips, std::int64_t step, Span& span) {
  for (const auto& part : parts) {
    Span one;
    include_term(part, trips, step, one);
    span.least += one.least;
    span.most += one.most;
    if (span.aligned && !one.aligned) {
      span.aligned = false;
      span.misaligned = one.misaligned;
    }
  }
}

}  // namespace

AffineRange::AffineRange(const Program& program, const ProgramOp& op, const AddressRule& rule) {
  using Half = AddressRule::Part;
  if (rule.part == Half::fixed) {
    constant_ = rule.fixed_value;
    return;
  }
  const auto part = [&](std::int64_t value) {
    return rule.part == Half::whole ? value : rule.part == Half::low_half ? low_half(value) : high_half(value);
  };
  constant_ = part(head_value(op.head, rule.field));
  for (const AffineTerm& term : canonical_terms(program, op)) {
    const std::int64_t coefficient = part(term.coefficient);
    if (term.field != rule.field || coefficient == 0) continue;
    if (groups_.empty() || groups_.back().variable != term.variable) groups_.push_back({term.variable, {}, 1});
    Group& group = groups_.back();
    group.parts.push_back({coefficient, term.modulus});
    if (term.modulus == 0 || group.period == 0) continue;
    const std::int64_t factor = term.modulus / std::gcd(term.modulus, group.period);
    group.period = factor > kLongestPeriod / group.period ? 0 : group.period * factor;
  }
}

ValueRange AffineRange::over(const BlockBinding& binding, const LoopTrips& trips, std::int64_t step) const {
  Wide base = constant_;
  Span total;
  for (const Group& group : groups_) {
    if (group.variable < kMaxBlockVariables) {
      base += value_at(group.parts, group.variable < binding.values.size() ? binding.values[group.variable] : 0);
      continue;
    }
    const std::int64_t count = trips[group.variable - kMaxBlockVariables];
    Span span;
    if (group.parts.size() == 1) include_term(group.parts[0], count, step, span);
    else if (group.period > 0) include_periods(group.parts, group.period, count, step, span);
    else include_separately(group.parts, count, step, span);
    total.least += span.least;
    total.most += span.most;
    if (total.aligned && !span.aligned) {
      total.aligned = false;
      total.misaligned = span.misaligned;
    }
  }
  // All counters start at zero, so the base is itself a value, and each counter moves alone from there.
  const bool base_aligned = base % step == 0;
  return {saturated(base + total.least), saturated(base + total.most), base_aligned && total.aligned,
          saturated(base_aligned ? base + total.misaligned : base)};
}

}  // namespace npulab::isa
