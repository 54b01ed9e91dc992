// SPDX-License-Identifier: Apache-2.0
// One YAML file as our own tree, `extends` not yet resolved. Reads yaml-cpp's events, not its document, so that a hostile
// file costs no more than the limits below; yaml-cpp's marks are zero-based and its duplicate keys silent.
#pragma once

#include <string>

#include "model/base/config_node.h"

namespace npulab {

/// Entries that one configuration may have over all its files; aliases and `extends` can blow small files up.
inline constexpr std::size_t kMaxConfigNodes = 500'000;

/// The tree of `file`; what is wrong with the file or its YAML goes to `problems`, with its place. Takes what it read off
/// `nodes_left` and stops there.
ConfigNode read_yaml_file(const std::string& file, Problems& problems, std::size_t& nodes_left);

}  // namespace npulab
