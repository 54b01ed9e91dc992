// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/link_rate.h"

#include <numeric>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

/// Transfers per second and lane, the part of the bits that are TLP bytes, and the bytes added to each TLP.
struct Generation {
  std::int64_t transfers_per_s;
  std::int64_t useful, coded;
  Bytes framing;
};

// 8b/10b, 128b/130b, and flits of 256 bytes with 236 of TLPs and no framing of single TLPs.
constexpr Generation kGenerations[] = {
    {2'500'000'000, 8, 10, 8},    {5'000'000'000, 8, 10, 8},    {8'000'000'000, 128, 130, 8},
    {16'000'000'000, 128, 130, 8}, {32'000'000'000, 128, 130, 8}, {64'000'000'000, 236, 256, 0},
};
constexpr std::int64_t kBitsPerByte = 8;

}  // namespace

LinkRate::LinkRate(const LinkSpec& link) {
  if (link.generation < 1 || link.generation > 6) throw InternalError("link generation " + std::to_string(link.generation));
  const Generation& generation = kGenerations[link.generation - 1];
  framing_ = generation.framing;
  raw_ = generation.transfers_per_s / kBitsPerByte * link.width * generation.useful / generation.coded;
  // bytes per second = transfers * width * useful * (1000 - overhead) / (8 * coded * 1000)
  const std::int64_t left = 1000 - link.dllp_overhead_permille;
  // 1000 transfers take a whole number of picoseconds in every generation; the other 1000 is that of the overhead.
  picoseconds_ = kPicosecondsPerSecond / (generation.transfers_per_s / 1000) * kBitsPerByte * generation.coded;
  bytes_ = link.width * generation.useful * left;
  const std::int64_t common = std::gcd(picoseconds_, bytes_);
  picoseconds_ /= common;
  bytes_ /= common;
}

}  // namespace npulab::pcie
