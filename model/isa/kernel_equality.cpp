// SPDX-License-Identifier: Apache-2.0
#include "model/isa/kernel_equality.h"

#include <algorithm>
#include <tuple>

#include "model/isa/operand_words.h"

namespace npulab::isa {
namespace {

auto place_of(const AffineTerm& term) { return std::make_tuple(term.field, term.variable, term.modulus); }

bool same_terms(const std::vector<AffineTerm>& left, const std::vector<AffineTerm>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const AffineTerm& a, const AffineTerm& b) {
    return place_of(a) == place_of(b) && a.coefficient == b.coefficient;
  });
}

bool has_operands(Opcode opcode) { return opcode >= Opcode::copy; }

bool same_instruction(const Kernel& left, const Program& lp, const ProgramOp& l, const Kernel& right, const Program& rp,
                      const ProgramOp& r) {
  const Instruction &a = l.head, &b = r.head;
  if (a.opcode != b.opcode || a.pipe != b.pipe || a.peer != b.peer || a.event != b.event) return false;
  if (a.dst != b.dst || a.src0 != b.src0 || a.src1 != b.src1) return false;
  if (has_operands(a.opcode) &&
      operand_words(left.operands[a.operands]) != operand_words(right.operands[b.operands])) return false;
  return same_terms(canonical_terms(lp, l), canonical_terms(rp, r));
}

bool same_loop(const ProgramOp& a, const ProgramOp& b) {
  if (a.depth != b.depth || a.partner != b.partner) return false;
  if (a.kind == ProgramOp::Kind::loop_end) return true;
  return a.count_variable == b.count_variable && (a.count_variable >= 0 || a.trip_count == b.trip_count);
}

bool same_program(const Kernel& left, const Program& a, const Kernel& right, const Program& b) {
  if (a.name != b.name || a.ops.size() != b.ops.size()) return false;
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    const ProgramOp &l = a.ops[i], &r = b.ops[i];
    if (l.kind != r.kind) return false;
    const bool same = l.kind == ProgramOp::Kind::instruction ? same_instruction(left, a, l, right, b, r) : same_loop(l, r);
    if (!same) return false;
  }
  return true;
}

/// Block variables that a binding leaves out are zero.
bool same_block(const BlockBinding& a, const BlockBinding& b) {
  if (a.cube != b.cube || a.vector[0] != b.vector[0] || a.vector[1] != b.vector[1]) return false;
  for (std::size_t i = 0; i < std::max(a.values.size(), b.values.size()); ++i) {
    if ((i < a.values.size() ? a.values[i] : 0) != (i < b.values.size() ? b.values[i] : 0)) return false;
  }
  return true;
}

bool same_buffer(const KernelBuffer& a, const KernelBuffer& b) {
  return a.name == b.name && a.space == b.space && a.address == b.address && a.bytes == b.bytes;
}

}  // namespace

std::vector<AffineTerm> canonical_terms(const Program& program, const ProgramOp& op) {
  const auto first = program.terms.begin() + op.first_term;
  std::vector<AffineTerm> terms(first, first + op.term_count);
  for (AffineTerm& term : terms) term.modulus = std::max<std::int64_t>(term.modulus, 0);
  std::stable_sort(terms.begin(), terms.end(),
                   [](const AffineTerm& a, const AffineTerm& b) { return place_of(a) < place_of(b); });
  std::vector<AffineTerm> merged;
  for (const AffineTerm& term : terms) {
    if (!merged.empty() && place_of(merged.back()) == place_of(term)) {
      merged.back().coefficient = static_cast<std::int64_t>(static_cast<std::uint64_t>(merged.back().coefficient) +
                                                            static_cast<std::uint64_t>(term.coefficient));
    } else {
      merged.push_back(term);
    }
  }
  // Anything modulo one is zero.
  merged.erase(std::remove_if(merged.begin(), merged.end(),
                              [](const AffineTerm& term) { return term.coefficient == 0 || term.modulus == 1; }), merged.end());
  return merged;
}

bool equal(const Kernel& left, const Kernel& right) {
  if (left.name != right.name || left.op_type != right.op_type || left.variables != right.variables) return false;
  if (left.programs.size() != right.programs.size()) return false;
  for (std::size_t i = 0; i < left.programs.size(); ++i) {
    if (!same_program(left, left.programs[i], right, right.programs[i])) return false;
  }
  return std::equal(left.buffers.begin(), left.buffers.end(), right.buffers.begin(), right.buffers.end(), same_buffer) &&
         std::equal(left.blocks.begin(), left.blocks.end(), right.blocks.begin(), right.blocks.end(), same_block);
}

}  // namespace npulab::isa
