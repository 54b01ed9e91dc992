// SPDX-License-Identifier: Apache-2.0
// Lane arithmetic of the vector unit: element-wise operations and casts on values already read from UB.
#pragma once

#include "cores/units/vector_lanes.h"

namespace npulab::cores {

/// The scalar operand as written in the instruction, for the given source type.
struct VectorScalar {
  float real = 0;
  std::int64_t integer = 0;
};
VectorScalar scalar_of(const isa::VectorOperands& operands, isa::DataType type);

/// dst (in: previous contents for madd and axpy) = op(a, b, scalar), lane by lane, in the arithmetic of `type`.
void compute_lanes(const isa::VectorOperands& operands, isa::DataType type, int count, const Lanes& a, const Lanes& b,
                   Lanes& dst);
/// Converts `count` lanes from src_type to dst_type by the instruction's round mode; saturating.
void cast_lanes(const isa::VectorOperands& operands, int count, Lanes& lanes);
/// The truth of `a compare b`.
bool compare_lane(isa::CompareMode mode, isa::DataType type, const Lanes& a, const Lanes& b, int lane);
/// Combines two lanes of a reduction.
void reduce_pair(isa::VectorOp op, isa::DataType type, Lanes& lanes, int into, int from);

}  // namespace npulab::cores
