// SPDX-License-Identifier: Apache-2.0
// What --set paths mean on a board: shorthands for the chips, and a chip of its own for a device that is to differ.
#pragma once

#include <string>
#include <vector>

#include "model/base/config_node.h"

namespace npulab {

/// Applies PATH=VALUE texts in order. `soc.X` is X of every chip, `DEVICE.soc.X` of the chip of one device only (copied when
/// devices share it), `DEVICE.X` a key of the device; a leading `board.` is dropped. Mistakes become problems placed at "--set".
void apply_board_overrides(ConfigNode& root, const std::vector<std::string>& assignments, Problems& problems);

}  // namespace npulab
