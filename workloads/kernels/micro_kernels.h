// SPDX-License-Identifier: Apache-2.0
// One instruction over and over on one core: what a micro-benchmark of a unit runs. `streamed` lets instructions follow each other as
// the pipe allows; `serial` puts a barrier between them, so that each shows its whole latency.
#pragma once

#include "workloads/kernels/kernel_registry.h"

namespace npulab::kernels {

/// Moves of `bytes` along one path.
KernelGenerator micro_move_generator();
/// Products of one shape.
KernelGenerator micro_mmad_generator();
/// Vector instructions of some repeats.
KernelGenerator micro_vector_generator();

}  // namespace npulab::kernels
