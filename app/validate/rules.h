// SPDX-License-Identifier: Apache-2.0
// The mapping rule of each family, by file: rules_micro.cpp and so on; mapping.cpp lists them.
#pragma once

#include "app/validate/mapping.h"

namespace npulab::validate {

/// Families that are known and have nothing to run.
Mapping no_operator(DataRow& row);
Mapping no_kernel(DataRow& row);

Mapping map_bank_conflict_ub(DataRow& row);
Mapping map_micro_move(DataRow& row);
Mapping map_micro_fractals(DataRow& row);
Mapping map_micro_mmad(DataRow& row);
Mapping map_micro_vector(DataRow& row);

}  // namespace npulab::validate
