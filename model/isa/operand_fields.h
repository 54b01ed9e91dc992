// SPDX-License-Identifier: Apache-2.0
// The fields of every operand block as a table: the one place that the text form, equality and interning go by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/isa/kernel.h"

namespace npulab::isa {

enum class FieldKind : std::uint8_t {
  number,   // an integer within [least, most]
  bits,     // a bit pattern, written in hexadecimal
  type,     // DataType
  flag,     // a bare word, there or not
  quant, vector_op, round, compare,  // the enumerations of operands.h
  space,    // said by the address brackets of an instruction, never as key=value
};

struct OperandField {
  const char* key = "";
  FieldKind kind = FieldKind::number;
  std::uint64_t (*get)(const OperandBlock&) = nullptr;   // signed fields sign-extended
  void (*set)(OperandBlock&, std::uint64_t) = nullptr;
  std::int64_t least = 0, most = 0;   // what the field can hold; bits: most is -1 for a full 64-bit word
  bool required = false;
  std::int64_t standard = 0;          // value when left out
  const char* standard_from = nullptr;  // or the key of an earlier field that gives it
};

/// Fields in the order they are written. Empty for opcodes without operands.
const std::vector<OperandField>& operand_fields(Opcode opcode);

/// Where one address of an instruction goes: head field, half of it, and the spaces it may name.
struct AddressSlot {
  HeadField field = HeadField::dst;
  bool high_half = false;       // added to the upper 32 bits of the head field
  std::uint32_t spaces = 0;     // bit set by Space
  const char* space_key = nullptr;  // the space field that the bracket's name fills
  bool optional = false;
};
const std::vector<AddressSlot>& address_slots(Opcode opcode);

/// Names of an enumerated field kind in value order; empty for numbers and flags.
const std::vector<std::string>& names_of(FieldKind kind);

}  // namespace npulab::isa
