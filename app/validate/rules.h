// SPDX-License-Identifier: Apache-2.0
// The mapping rule of each family, by file: rules_micro.cpp and so on; mapping.cpp lists them.
#pragma once

#include "app/validate/mapping.h"

namespace npulab::validate {

/// Families that are known and have nothing to run.
Mapping no_operator(DataRow& row);
Mapping no_kernel(DataRow& row);

Mapping map_matmul_ladder(DataRow& row);
Mapping map_matmul_basic(DataRow& row);
Mapping map_matmul_gelu(DataRow& row);
Mapping map_quant_group_matmul(DataRow& row);

Mapping map_docs_matmul(DataRow& row);
Mapping map_tuning_pair(DataRow& row);

Mapping map_add(DataRow& row);
Mapping map_data_copy(DataRow& row);
Mapping map_bank_conflict_ub(DataRow& row);
Mapping map_bank_conflict_3510(DataRow& row);
Mapping map_nd2nz_vector(DataRow& row);
Mapping map_gelu(DataRow& row);
Mapping map_softmax(DataRow& row);
Mapping map_l2_cache_mode(DataRow& row);

Mapping map_int8_library(DataRow& row);
Mapping map_fp16_library(DataRow& row);
Mapping map_square_gemm(DataRow& row);
Mapping map_catlass(DataRow& row);

Mapping map_micro_move(DataRow& row);
Mapping map_micro_fractals(DataRow& row);
Mapping map_micro_mmad(DataRow& row);
Mapping map_micro_vector(DataRow& row);

}  // namespace npulab::validate
