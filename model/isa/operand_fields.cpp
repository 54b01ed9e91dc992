// SPDX-License-Identifier: Apache-2.0
#include "model/isa/operand_fields.h"

#include <limits>

namespace npulab::isa {
namespace {

template <auto Member>
struct Access;

/// Reads and writes one member of the block that is live in the union.
template <typename Struct, typename Value, Value Struct::*Member>
struct Access<Member> {
  static std::uint64_t get(const OperandBlock& block) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(reinterpret_cast<const Struct&>(block).*Member));
  }
  static void set(OperandBlock& block, std::uint64_t value) {
    reinterpret_cast<Struct&>(block).*Member = static_cast<Value>(value);
  }
  using Type = Value;
};

template <auto Member>
OperandField field(const char* key, FieldKind kind) {
  OperandField result;
  result.key = key;
  result.kind = kind;
  result.get = Access<Member>::get;
  result.set = Access<Member>::set;
  return result;
}

/// A number that must be given.
template <auto Member>
OperandField number(const char* key) {
  using Limits = std::numeric_limits<typename Access<Member>::Type>;
  OperandField result = field<Member>(key, FieldKind::number);
  result.least = static_cast<std::int64_t>(Limits::min());
  result.most = static_cast<std::int64_t>(Limits::max());
  result.required = true;
  return result;
}

template <auto Member>
OperandField number(const char* key, std::int64_t standard) {
  OperandField result = number<Member>(key);
  result.required = false;
  result.standard = standard;
  return result;
}

template <auto Member>
OperandField number_like(const char* key, const char* standard_from) {
  OperandField result = number<Member>(key, 0);
  result.standard_from = standard_from;
  return result;
}

template <auto Member>
OperandField bits(const char* key, std::int64_t standard = 0) {
  OperandField result = field<Member>(key, FieldKind::bits);
  result.most = sizeof(typename Access<Member>::Type) == 8 ? std::int64_t{-1} : std::int64_t{0xffffffff};
  result.standard = standard;
  return result;
}

template <auto Member>
OperandField named(const char* key, FieldKind kind, bool required = true) {
  OperandField result = field<Member>(key, kind);
  result.required = required;
  return result;
}

template <auto Member>
OperandField space(const char* key) { return field<Member>(key, FieldKind::space); }
template <auto Member>
OperandField flag(const char* key) { return field<Member>(key, FieldKind::flag); }

template <int Index>
OperandField mask_word(const char* key) {
  OperandField result;
  result.key = key;
  result.kind = FieldKind::bits;
  result.get = [](const OperandBlock& block) { return block.vector.mask[Index]; };
  result.set = [](OperandBlock& block, std::uint64_t value) { block.vector.mask[Index] = value; };
  result.most = -1;
  result.standard = -1;
  return result;
}

using Fields = std::vector<OperandField>;

Fields copy_fields() {
  return {space<&CopyOperands::dst>("dst"), space<&CopyOperands::src>("src"), number<&CopyOperands::rows>("rows", 1),
          number<&CopyOperands::row_bytes>("row_bytes"), number_like<&CopyOperands::src_pitch>("src_pitch", "row_bytes"),
          number_like<&CopyOperands::dst_pitch>("dst_pitch", "row_bytes")};
}

Fields nd2nz_fields() {
  return {named<&Nd2NzOperands::type>("type", FieldKind::type), number<&Nd2NzOperands::rows>("rows"),
          number<&Nd2NzOperands::columns>("columns"), number<&Nd2NzOperands::src_pitch>("src_pitch"),
          number<&Nd2NzOperands::dst_rows>("dst_rows")};
}

Fields fill_fields() {
  return {space<&FillOperands::dst>("dst"), number<&FillOperands::bytes>("bytes"), bits<&FillOperands::pattern>("pattern")};
}

Fields load_2d_fields() {
  return {space<&Load2dOperands::dst>("dst"), named<&Load2dOperands::type>("type", FieldKind::type),
          number<&Load2dOperands::repeats>("repeats"), number<&Load2dOperands::src_stride_fractals>("src_stride", 1),
          number<&Load2dOperands::dst_stride_fractals>("dst_stride", 1), flag<&Load2dOperands::transpose>("transpose")};
}

Fields load_3d_fields() {
  using O = Load3dOperands;
  return {space<&O::dst>("dst"), named<&O::type>("type", FieldKind::type), number<&O::m_extent>("m"), number<&O::k_extent>("k"),
          number<&O::in_h>("in_h"), number<&O::in_w>("in_w"), number<&O::channels>("channels"),
          number<&O::kernel_h>("kernel_h", 1), number<&O::kernel_w>("kernel_w", 1), number<&O::stride_h>("stride_h", 1),
          number<&O::stride_w>("stride_w", 1), number<&O::dilation_h>("dilation_h", 1), number<&O::dilation_w>("dilation_w", 1),
          number<&O::pad_left>("pad_left", 0), number<&O::pad_right>("pad_right", 0), number<&O::pad_top>("pad_top", 0),
          number<&O::pad_bottom>("pad_bottom", 0), number<&O::pad_value>("pad_value", 0), flag<&O::k_outer>("k_outer")};
}

Fields mmad_fields() {
  using O = MmadOperands;
  return {number<&O::m>("m"), number<&O::k>("k"), number<&O::n>("n"), named<&O::a>("a_type", FieldKind::type),
          named<&O::b>("b_type", FieldKind::type), flag<&O::a_k_outer>("a_k_outer"), flag<&O::accumulate>("accumulate"),
          flag<&O::bias>("bias"), number<&O::unit_flag>("unit_flag", 0)};
}

Fields fixpipe_fields() {
  using O = FixpipeOperands;
  return {space<&O::dst>("dst"), named<&O::quant>("quant", FieldKind::quant), named<&O::src_type>("src_type", FieldKind::type),
          number<&O::m>("m"), number<&O::n>("n"), number<&O::src_rows>("src_rows"), number<&O::dst_pitch>("dst_pitch"),
          flag<&O::relu>("relu"), flag<&O::nz2nd>("nz2nd"), flag<&O::output_signed>("signed"),
          number<&O::unit_flag>("unit_flag", 0), bits<&O::quant_word>("word")};
}

Fields vector_fields() {
  using O = VectorOperands;
  return {named<&O::op>("op", FieldKind::vector_op), named<&O::dst_type>("dst_type", FieldKind::type),
          named<&O::src_type>("src_type", FieldKind::type), named<&O::round>("round", FieldKind::round, false),
          named<&O::compare>("compare", FieldKind::compare, false), number<&O::repeats>("repeats", 0),
          number<&O::count>("count", 0), number<&O::dst_block_stride>("dst_block", 1),
          number<&O::src0_block_stride>("src0_block", 1), number<&O::src1_block_stride>("src1_block", 1),
          number<&O::dst_repeat_stride>("dst_repeat", 8), number<&O::src0_repeat_stride>("src0_repeat", 8),
          number<&O::src1_repeat_stride>("src1_repeat", 8), bits<&O::scalar_bits>("scalar"), mask_word<0>("mask0"),
          mask_word<1>("mask1")};
}

Fields broadcast_fields() { return {number<&BroadcastOperands::m>("m"), number<&BroadcastOperands::n>("n")}; }

constexpr std::uint32_t in(Space space) { return 1u << static_cast<int>(space); }
constexpr std::uint32_t kAnySpace = (1u << kSpaceCount) - 1;

using Slots = std::vector<AddressSlot>;

std::vector<Slots> all_slots() {
  using H = HeadField;
  using S = Space;
  std::vector<Slots> slots(kOpcodeCount);
  const auto at = [&](Opcode opcode) -> Slots& { return slots[static_cast<std::size_t>(opcode)]; };
  const std::uint32_t l0 = in(S::l0a) | in(S::l0b), moved = in(S::gm) | in(S::l1) | in(S::ub);
  at(Opcode::copy) = {{H::dst, false, kAnySpace, "dst"}, {H::src0, false, kAnySpace, "src"}};
  at(Opcode::copy_nd2nz) = {{H::dst, false, in(S::l1)}, {H::src0, false, in(S::gm)}};
  at(Opcode::fill) = {{H::dst, false, in(S::l1) | in(S::ub), "dst"}};
  at(Opcode::load_2d) = {{H::dst, false, l0, "dst"}, {H::src0, false, in(S::l1)}};
  at(Opcode::load_3d) = {{H::dst, false, l0, "dst"}, {H::src0, false, in(S::l1)}};
  at(Opcode::broadcast_bias) = {{H::dst, false, in(S::l0c)}, {H::src0, false, in(S::ub)}};
  at(Opcode::mmad) = {{H::dst, false, in(S::l0c)}, {H::src0, false, in(S::l0a)}, {H::src1, false, in(S::l0b)},
                      {H::src1, true, in(S::bt), nullptr, true}};
  at(Opcode::fixpipe) = {{H::dst, false, moved, "dst"}, {H::src0, false, in(S::l0c)},
                         {H::src1, false, in(S::fb) | in(S::ub), nullptr, true}};
  at(Opcode::vector) = {{H::dst, false, in(S::ub)}, {H::src0, false, in(S::ub)}, {H::src1, false, in(S::ub), nullptr, true}};
  return slots;
}

std::vector<Fields> all_fields() {
  std::vector<Fields> fields(kOpcodeCount);
  const auto at = [&](Opcode opcode) -> Fields& { return fields[static_cast<std::size_t>(opcode)]; };
  at(Opcode::copy) = copy_fields();
  at(Opcode::copy_nd2nz) = nd2nz_fields();
  at(Opcode::fill) = fill_fields();
  at(Opcode::load_2d) = load_2d_fields();
  at(Opcode::load_3d) = load_3d_fields();
  at(Opcode::broadcast_bias) = broadcast_fields();
  at(Opcode::mmad) = mmad_fields();
  at(Opcode::fixpipe) = fixpipe_fields();
  at(Opcode::vector) = vector_fields();
  return fields;
}

}  // namespace

const std::vector<OperandField>& operand_fields(Opcode opcode) {
  static const std::vector<Fields> fields = all_fields();
  return fields[static_cast<std::size_t>(opcode)];
}

const std::vector<AddressSlot>& address_slots(Opcode opcode) {
  static const std::vector<Slots> slots = all_slots();
  return slots[static_cast<std::size_t>(opcode)];
}

}  // namespace npulab::isa
