// SPDX-License-Identifier: Apache-2.0
// How rows of single instructions are run: so many in a row, of so many repeats, against the clock of the chip they were measured on.
#pragma once

#include "app/validate/data_row.h"

namespace npulab::validate {

inline constexpr int kMicroCount = 500;    // enough for the start of the core to vanish
inline constexpr int kMicroRepeats = 128;  // of a vector instruction

/// Of the chip as the table's source ran it: tables give cycles and rates, a simulation gives times.
inline double micro_clock_mhz(const DataRow& row) { return row.chip == "910b1" ? 1850 : row.chip.rfind("950", 0) == 0 ? 1650 : 1800; }

}  // namespace npulab::validate
