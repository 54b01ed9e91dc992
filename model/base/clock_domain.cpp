// SPDX-License-Identifier: Apache-2.0
#include "model/base/clock_domain.h"

namespace npulab {
namespace {

constexpr std::int64_t kPicosecondsTimesKilohertz = 1'000'000'000;  // one second in ps, divided by 1 kHz

}  // namespace

ClockDomain::ClockDomain(std::int64_t frequency_khz, Picoseconds anchor_time, Cycles anchor_cycle)
    : frequency_khz_(frequency_khz), anchor_time_(anchor_time), anchor_cycle_(anchor_cycle) {}

Picoseconds ClockDomain::edge(Cycles cycle) const {
  const Cycles elapsed = cycle - anchor_cycle_;
  return anchor_time_ + multiply_divide_up(elapsed, kPicosecondsTimesKilohertz, frequency_khz_);
}

Cycles ClockDomain::cycle_at_or_after(Picoseconds time) const {
  const Picoseconds elapsed = time - anchor_time_;
  if (elapsed <= 0) return anchor_cycle_;
  // The edge of cycle n is ceil(n * 1e9 / f), so the first edge at or after t is the smallest n with n * 1e9 / f > t - 1.
  return anchor_cycle_ + multiply_divide(elapsed - 1, frequency_khz_, kPicosecondsTimesKilohertz) + 1;
}

void ClockDomain::change_frequency(std::int64_t frequency_khz, Picoseconds time) {
  const Cycles cycle = cycle_at_or_after(time);
  anchor_time_ = edge(cycle);
  anchor_cycle_ = cycle;
  frequency_khz_ = frequency_khz;
}

}  // namespace npulab
