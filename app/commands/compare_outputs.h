// SPDX-License-Identifier: Apache-2.0
// Outputs for people: what came out, and where it differs from what was expected.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/commands/load_model.h"

namespace npulab::commands {

/// A line an output: name, type, shape, first values; for a vector of scores the largest one's index.
std::string describe_outputs(const LoadedModel& model, const std::vector<std::vector<std::uint8_t>>& outputs);

/// False when an output differs from its expected tensor by more than `tolerance` steps (integers: units, floats: units in the last
/// place); prints the first differing elements with their indices.
bool compare_outputs(const LoadedModel& model, const std::vector<std::vector<std::uint8_t>>& outputs, int tolerance, std::ostream& out);

}  // namespace npulab::commands
