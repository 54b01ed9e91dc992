// SPDX-License-Identifier: Apache-2.0
#include "model/isa/operand_words.h"

#include "model/isa/operand_fields.h"

namespace npulab::isa {

std::vector<std::uint64_t> operand_words(const Operands& operands) {
  const std::vector<OperandField>& fields = operand_fields(operands.opcode);
  std::vector<std::uint64_t> words;
  words.reserve(fields.size() + 1);
  words.push_back(static_cast<std::uint64_t>(operands.opcode));
  for (const OperandField& field : fields) words.push_back(field.get(operands.block));
  return words;
}

}  // namespace npulab::isa
