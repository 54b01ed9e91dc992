// SPDX-License-Identifier: Apache-2.0
#include "model/isa/operand_fields.h"

namespace npulab::isa {
namespace {

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (int type = 0; type <= static_cast<int>(DataType::fp32); ++type) names.push_back(name_of(static_cast<DataType>(type)));
  return names;
}

}  // namespace

const std::vector<std::string>& names_of(FieldKind kind) {
  static const std::vector<std::string> types = type_names(), nothing;
  static const std::vector<std::string> quants = {"none", "f16", "bf16", "req8", "vreq8", "deqf16", "vdeqf16", "qf8", "vqf8"};
  static const std::vector<std::string> vector_ops = {
      "add", "sub", "mul", "div", "max", "min", "and", "or", "adds", "muls", "maxs", "mins", "shift_left", "shift_right", "abs",
      "relu", "exp", "ln", "sqrt", "rsqrt", "reciprocal", "not", "cast", "duplicate", "copy", "madd", "axpy", "compare", "compares",
      "select", "reduce_sum", "reduce_max", "reduce_min", "block_sum", "block_max", "block_min", "transpose", "broadcast_block"};
  static const std::vector<std::string> rounds = {"none", "rint", "floor", "ceil", "round", "trunc", "odd"};
  static const std::vector<std::string> compares = {"lt", "gt", "ge", "le", "eq", "ne"};
  switch (kind) {
    case FieldKind::type: return types;
    case FieldKind::quant: return quants;
    case FieldKind::vector_op: return vector_ops;
    case FieldKind::round: return rounds;
    case FieldKind::compare: return compares;
    default: return nothing;
  }
}

}  // namespace npulab::isa
