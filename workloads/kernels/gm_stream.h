// SPDX-License-Identifier: Apache-2.0
// Nothing but loads: the sustained bandwidth of L2 and device memory as the cores see it.
#pragma once

#include <cstdint>

#include "model/spec/soc_spec.h"
#include "model/task/workload.h"
#include "workloads/kernels/kernel_registry.h"

namespace npulab::kernels {

/// Every cube core (or fused core) reads `bytes_per_core` of its own, rounded down to whole pieces, from GM into L1.
Workload gm_stream(const SocSpec& soc, std::int64_t bytes_per_core);

KernelGenerator gm_stream_generator();

}  // namespace npulab::kernels
