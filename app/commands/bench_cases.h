// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace npulab::commands {

/// Registers what `npulab bench` measures: instructions a second without and with a full trace, GM moves a second, INT8 kernel rate.
void register_bench_cases();

}  // namespace npulab::commands
