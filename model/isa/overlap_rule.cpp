// SPDX-License-Identifier: Apache-2.0
#include "model/isa/overlap_rule.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "model/isa/head_parts.h"
#include "model/isa/isa_limits.h"
#include "model/isa/kernel_equality.h"

namespace npulab::isa {
namespace {

bool is_element_wise(VectorOp op) {
  return op < VectorOp::cast || op == VectorOp::copy || op == VectorOp::madd || op == VectorOp::axpy || op == VectorOp::select;
}

/// Bytes from the start of a repeat to the end of its last active element.
std::int64_t repeat_extent(const VectorOperands& o) {
  const std::int64_t element = size_of(o.dst_type), lanes = limits::kRepeatBytes / element;
  if (o.count > 0) return std::min<std::int64_t>(o.count, lanes) * element;
  for (std::int64_t lane = std::min<std::int64_t>(lanes, 128); lane-- > 0;) {
    if ((o.mask[lane / 64] >> (lane % 64) & 1) != 0) return (lane + 1) * element;
  }
  return 0;
}

/// What varies in one field, comparable between fields.
std::vector<std::tuple<int, std::int64_t, std::int64_t>> varying(const std::vector<AffineTerm>& terms, HeadField field) {
  std::vector<std::tuple<int, std::int64_t, std::int64_t>> parts;
  for (const AffineTerm& term : terms) {
    if (term.field == field) parts.push_back({term.variable, term.modulus, term.coefficient});
  }
  return parts;
}

}  // namespace

std::string overlap_problem(const Kernel& kernel, const Program& program, const ProgramOp& op) {
  if (op.head.opcode != Opcode::vector) return "";
  const VectorOperands& o = kernel.operands[op.head.operands].block.vector;
  if (!is_element_wise(o.op) || o.dst_type != o.src_type || (o.count == 0 && o.repeats == 0)) return "";
  const std::vector<AffineTerm> terms = canonical_terms(program, op);
  const std::int64_t extent = repeat_extent(o);
  const auto check = [&](HeadField source, int block_stride) -> std::string {
    const bool contiguous = o.count > 0 || (o.dst_block_stride == 1 && block_stride == 1);
    if (!contiguous || varying(terms, source) != varying(terms, HeadField::dst)) return "";
    const std::int64_t distance = head_value(op.head, HeadField::dst) - head_value(op.head, source);
    if (distance == 0 || distance >= extent || distance <= -extent) return "";
    return fmt::format("expected source and destination of a repeat to overlap fully or not at all, found them {} bytes apart", distance);
  };
  std::string problem = check(HeadField::src0, o.src0_block_stride);
  if (problem.empty() && reads_second_source(o.op)) problem = check(HeadField::src1, o.src1_block_stride);
  return problem;
}

}  // namespace npulab::isa
