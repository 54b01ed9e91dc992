// SPDX-License-Identifier: Apache-2.0
// Which core groups the blocks of a kernel can run on, and whether they must run at the same time.
#pragma once

#include <vector>

#include "model/contract/compute_core.h"
#include "model/isa/kernel.h"

namespace npulab::firmware::device {

/// What one block asks of its group.
struct BlockNeeds {
  bool cube = false;        // runs a cube program (on a fused core: any program)
  int vector_programs = 0;  // ... and so many vector programs
};

struct KernelNeeds {
  std::vector<BlockNeeds> blocks;
  bool together = false;    // blocks wait for each other through cross-core flags between groups (mode 0)
};

/// Looks through the programs that the kernel's blocks use.
KernelNeeds needs_of(const Kernel& kernel);

/// A cube program needs a cube or fused core. Vector programs need vector cores of their own; a fused core runs vector
/// instructions within its one program instead.
bool fits(const BlockNeeds& needs, const CoreGroupInfo& group);

}  // namespace npulab::firmware::device
