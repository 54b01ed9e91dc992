// SPDX-License-Identifier: Apache-2.0
#include "model/base/clock_domain.h"

namespace npulab {
namespace {

constexpr std::int64_t kPicosecondsTimesKilohertz = 1'000'000'000;  // one second in ps, divided by 1 kHz
// Below this many cycles (or ps scaled by kHz) the products fit 64 bits.
constexpr std::int64_t kSmallCycles = std::numeric_limits<std::int64_t>::max() / kPicosecondsTimesKilohertz - 1;

}  // namespace

ClockDomain::ClockDomain(std::int64_t frequency_khz, Picoseconds anchor_time, Cycles anchor_cycle)
    : frequency_khz_(frequency_khz), anchor_time_(anchor_time), anchor_cycle_(anchor_cycle) {}

Picoseconds ClockDomain::edge(Cycles cycle) const {
  const Cycles elapsed = cycle - anchor_cycle_;
  if (elapsed < kSmallCycles) {
    return anchor_time_ + ceil_div(elapsed * kPicosecondsTimesKilohertz, frequency_khz_);
  }
  const __int128 scaled = static_cast<__int128>(elapsed) * kPicosecondsTimesKilohertz + frequency_khz_ - 1;
  return anchor_time_ + static_cast<Picoseconds>(scaled / frequency_khz_);
}

Cycles ClockDomain::cycle_at_or_after(Picoseconds time) const {
  const Picoseconds elapsed = time - anchor_time_;
  if (elapsed <= 0) return anchor_cycle_;
  // The edge of cycle n is ceil(n * 1e9 / f), so the first edge at or after t is the smallest n with n * 1e9 / f > t - 1.
  const __int128 scaled = static_cast<__int128>(elapsed - 1) * frequency_khz_;
  return anchor_cycle_ + static_cast<Cycles>(scaled / kPicosecondsTimesKilohertz) + 1;
}

void ClockDomain::change_frequency(std::int64_t frequency_khz, Picoseconds time) {
  const Cycles cycle = cycle_at_or_after(time);
  anchor_time_ = edge(cycle);
  anchor_cycle_ = cycle;
  frequency_khz_ = frequency_khz;
}

}  // namespace npulab
