// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace npulab {

/// The project's version, from CMake.
inline constexpr const char* kVersion = NPULAB_VERSION;

}  // namespace npulab
