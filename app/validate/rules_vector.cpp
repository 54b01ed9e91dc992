// SPDX-License-Identifier: Apache-2.0
// Kernels of vector cores whose instruction streams are known: add, copies, bank conflicts, layout change, GELU, softmax.
#include "app/validate/rules.h"
#include "app/validate/shape_text.h"

namespace npulab::validate {
namespace {

constexpr double kTickUs = 0.02;  // the system counter of the A2 runs at 50 MHz

std::string text(long value) { return std::to_string(value); }

/// "src0 0 src1 0x10100 dst 0x4000": what follows a word, as written.
std::string address_after(const std::string& description, const std::string& word) {
  const std::size_t at = description.find(word + ' ');
  if (at == std::string::npos) return "";
  const std::size_t begin = at + word.size() + 1;
  return description.substr(begin, description.find_first_of(" ;,", begin) - begin);
}

}  // namespace

Mapping map_bank_conflict_ub(DataRow& row) {
  const std::string where = row.cell("description");
  const std::vector<long> counts = {number_after_word(row.shapes, "Add of"), number_after_word(row.shapes, "executed")};
  if (counts[0] < 64 || counts[1] < 1) return unmapped("shapes name no Add of so many elements, executed so many times: '" + row.shapes + "'");
  Mapping mapping;
  mapping.metric = Metric::vector;
  mapping.measured = row.number("ticks") * kTickUs;
  mapping.job = {"", "micro_vector", {{"op", "add"}, {"type", "fp32"}, {"repeats", text(counts[0] / 64)}, {"count", text(counts[1])}}};
  for (const char* operand : {"src0", "src1", "dst"}) {
    const std::string address = address_after(where, operand);
    if (address.empty()) return unmapped(std::string("the description names no address of ") + operand);
    mapping.job.options[operand] = address;
  }
  // The second of two mentions of src0 gives its strides.
  const long block = number_after_word(where, "block stride"), repeat = number_after_word(where, "repeat stride");
  if (block >= 0) mapping.job.options["src0_block_stride"] = text(block);
  if (repeat >= 0) mapping.job.options["src0_repeat_stride"] = text(repeat);
  return mapping;
}

}  // namespace npulab::validate
