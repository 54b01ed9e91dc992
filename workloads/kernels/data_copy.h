// SPDX-License-Identifier: Apache-2.0
// Nothing but copies in, tile after tile to one local address: the rate of MTE2.
#pragma once

#include "workloads/kernels/kernel_registry.h"

namespace npulab::kernels {

KernelGenerator data_copy_generator();

}  // namespace npulab::kernels
