// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/base/errors.h"

namespace npulab {

/// Everything wrong with a SoC or board file; empty when it can be used.
std::vector<Diagnostic> check_config_file(const std::string& file);

}  // namespace npulab
