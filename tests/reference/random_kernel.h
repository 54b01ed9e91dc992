// SPDX-License-Identifier: Apache-2.0
// Random kernels that are legal by construction: flags alternate direction, so that a set is always ordered after the last
// wait; every wait comes after its set in program order; all cores take part in cross-core rounds in the same order.
#pragma once

#include <cstdint>

#include "model/isa/kernel.h"
#include "model/spec/soc_spec.h"

namespace npulab::test {

struct RandomKernelShape {
  int groups = 1;
  int instructions = 100;  // per core, about
  bool cross_flags = true;
};

/// Device memory the kernel reads (common, first half) and writes (a part of its own per block, second half).
inline constexpr std::int64_t kRandomKernelGmBytes = 1 << 20;

Kernel random_kernel(const SocSpec& soc, int group_kind, const RandomKernelShape& shape, std::uint32_t seed);

/// `soc` with queue depths, port rates and small numbers drawn anew.
SocSpec random_variation(SocSpec soc, std::uint32_t seed);

}  // namespace npulab::test
