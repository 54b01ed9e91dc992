// SPDX-License-Identifier: Apache-2.0
// The way into the SystemC kernel: elaboration wants its own entry point, and its messages have no place in our output.
#pragma once

#include <string>
#include <vector>

namespace npulab::machine {

/// Runs `body` on the words of the command line inside the kernel's entry and returns what it returns. Kernel warnings throw.
int enter_kernel(int argc, char** argv, int (*body)(const std::vector<std::string>& words));

}  // namespace npulab::machine
