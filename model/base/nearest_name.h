// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace npulab {

/// The candidate closest to `name` by edits, or "" when none is close enough to be a slip of the hand.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// ", did you mean 'x'?" or "".
std::string nearest_hint(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace npulab
