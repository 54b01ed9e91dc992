// SPDX-License-Identifier: Apache-2.0
// One window of one transfer as the bandwidth calendar sees it. Near bytes take the client's port and one side of the L2;
// far bytes take HBM as well, and the HBM bytes may be more (victims, whole sectors) or fewer than the far bytes.
#pragma once

#include <vector>

#include "memory/shared/bucket_ring.h"
#include "model/contract/memory_system.h"

namespace npulab::memory {

/// The resources on a path, and what a claim can have lost time to.
enum class Limit : std::uint8_t { port, l2, hbm, own };
inline constexpr int kSharedLimits = 3;

/// The same amounts in each of `count` buckets, kept so that they can be given back.
struct BookedRun {
  std::int64_t bucket = 0;
  std::int64_t count = 0;
  Picoseconds begin = 0;  // within the first bucket
  MicroBytes data = 0;
  MicroBytes hbm = 0;
};

struct Claim {
  // Asked.
  MemoryClientId client = 0;
  MemoryAccess access = MemoryAccess::read;
  std::int64_t rate = 0;  // milli bytes per ns: smallest of port, cap and L2 side
  Picoseconds start = 0;
  MicroBytes near = 0;
  MicroBytes far = 0;
  MicroBytes hbm = 0;
  std::vector<BookedRun>* runs = nullptr;  // filled when not null

  // Answered.
  Picoseconds finish = 0;      // last byte has passed
  Picoseconds far_finish = 0;  // last far byte has passed; start if there are none
  MicroBytes lost[kSharedLimits] = {};  // what it could have moved alone but did not, by cause

  // While it is booked: near, far and hbm count down; HBM bytes per far byte in 1/65536, rounded up.
  std::int64_t weight = 0;
  std::int64_t first_bucket = 0;
};

inline constexpr std::int64_t kUnitWeight = 65536;

/// Far bytes that `hbm` HBM bytes can carry at `weight`.
constexpr MicroBytes far_of(MicroBytes hbm, std::int64_t weight) {
  if (weight == kUnitWeight) return hbm;
  return hbm <= 0 ? 0 : (hbm - 1) * kUnitWeight / weight;  // one less: hbm_of rounds up
}
/// HBM bytes that `far` far bytes take at `weight`.
constexpr MicroBytes hbm_of(MicroBytes far, std::int64_t weight) {
  return weight == kUnitWeight ? far : (far * weight + kUnitWeight - 1) / kUnitWeight;
}

}  // namespace npulab::memory
