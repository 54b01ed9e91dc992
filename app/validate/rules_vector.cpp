// SPDX-License-Identifier: Apache-2.0
// Kernels of vector cores whose instruction streams are known: add, copies, bank conflicts, layout change, GELU, softmax.
#include <cctype>

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

bool is_950(const DataRow& row) { return row.chip.rfind("950", 0) == 0; }

using Options = std::map<std::string, std::string>;

Mapping task_of(const DataRow& row, const std::string& kernel, Options options) {
  Mapping mapping;
  mapping.measured = row.measured.task;
  mapping.job = {"", kernel, std::move(options)};
  return mapping;
}

/// The case an add step is, from its number or from the words of a ladder.
long add_case(const DataRow& row) {
  const std::string& name = row.case_name;
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0 && name.size() <= 2) return first_number(name);
  if (contains(name, "scalar")) return 0;
  if (contains(name, "conflict")) return 6;
  if (contains(name, "bypass")) return 5;
  if (contains(name, "double buffer")) return 4;
  if (contains(name, "8 KB")) return 2;
  return contains(name, "copies") ? 3 : contains(name, "vector") ? 1 : -1;
}

}  // namespace

Mapping map_add(DataRow& row) {
  const long number = row.case_name.empty() ? -1 : add_case(row);
  if (number < 0 || number > 6) return unmapped("no such case of the add kernel: '" + row.case_name + "'");
  const bool new_chip = is_950(row);
  const long usual = number < 3 ? 4096 : new_chip ? 21760 : number == 6 ? 16256 : 16384;
  const long given = number_after_word(row.shapes, "copies of");
  Options options{{"rows", "8192"}, {"columns", "8192"}, {"cores", number < 2 ? "1" : new_chip ? "64" : "48"}};
  options["copy_elements"] = text(given > 0 ? given : usual);
  options["unit"] = number == 0 ? "scalar" : "vector";
  options["buffers"] = number >= 4 ? "2" : "1";
  options["inputs_in_l2"] = number >= 5 ? "no" : "yes";
  options["placement"] = number == 6 ? "apart" : "together";
  return task_of(row, "add", options);
}

Mapping map_data_copy(DataRow& row) {
  const std::string name = row.case_name.size() <= 2 ? row.cell("description") : row.case_name;
  const bool to_l1 = contains(row.family, "l1"), new_chip = is_950(row);
  const bool everyone = contains(name, "every core") || contains(name, "order") || contains(name, "stagger");
  const bool again = contains(name, "4 times") || name.rfind("4x ", 0) == 0;
  std::vector<long> matrix = extents_after(row.shapes, "tensor"), tile = extents_after(name, "tile");
  if (matrix.size() < 2) matrix = everyone ? std::vector<long>{new_chip ? 8192 : 6144, 512} : std::vector<long>{12288, contains(name, "12287") || contains(name, "unaligned") ? 12287 : 12288};
  if (tile.size() < 2) tile = everyone ? (to_l1 ? std::vector<long>{256, 64} : std::vector<long>{128, 64}) : again || !to_l1 ? std::vector<long>{64, 1024} : std::vector<long>{64, 256};
  Options options{{"rows", text(matrix[0])}, {"columns", text(matrix[1])}, {"tile_rows", text(tile[0])}, {"tile_columns", text(tile[1])}, {"to", to_l1 ? "l1" : "ub"}};
  options["cores"] = text((to_l1 ? 1 : 2) * (new_chip ? 32 : 24));
  options["share"] = !everyone ? "own" : contains(name, "rotated") || contains(name, "stagger") ? "all_rotated" : "all_same";
  options["passes"] = again ? "4" : "1";
  options["slices"] = contains(name, "slice") ? "4" : "1";
  options["in_l2"] = everyone ? "no" : "yes";
  return task_of(row, "data_copy", options);
}

Mapping map_nd2nz_vector(DataRow& row) {
  const long stride = number_after_word(row.cell("description"), "column stride");
  const std::vector<long> tile = extents_after(row.shapes, "tile");
  if (stride < 0 || tile.size() < 2) return unmapped("the row names no tile and column stride");
  Options options{{"rows", text(number_after(row.shapes, "M"))}, {"columns", text(number_after(row.shapes, "N"))}, {"tile_rows", text(tile[0])}, {"tile_columns", text(tile[1])}, {"column_stride", text(stride)}};
  return task_of(row, "nd2nz_vector", options);
}

Mapping map_gelu(DataRow& row) {
  const long number = row.case_name == "gelu-alone" ? 1 : first_number(row.case_name);
  const std::string ops = contains(row.family, "eltwise") ? "13" : "8";
  if (number < 0 || number > 3) return unmapped("no such case of the GELU kernel: " + row.case_name);
  return task_of(row, "gelu", {{"rows", "8192"}, {"columns", "8192"}, {"operations", ops}, {"variant", text(number)}});
}

Mapping map_bank_conflict_3510(DataRow& row) {
  Mapping mapping;
  mapping.metric = Metric::vector;
  mapping.measured = row.number("ticks");
  mapping.ratio_group = "bank-conflict-3510";
  mapping.job = {"", "bank_conflict_3510", {{"case", text(first_number(row.case_name))}}};
  return mapping;
}

Mapping map_softmax(DataRow& row) {
  Mapping mapping;
  mapping.metric = Metric::vector;
  const double cycles = row.number("ticks");
  mapping.measured = cycles > 0 ? cycles / 1650 : -1;
  mapping.job = {"", "softmax_rows", {{"variant", text(first_number(row.case_name))}}};
  return mapping;
}

Mapping map_l2_cache_mode(DataRow& row) {
  const long number = first_number(row.case_name);
  if (number < 1 || number > 4) return unmapped("no such case of the L2 modes: " + row.case_name);
  if (number <= 2) return task_of(row, "data_copy", {{"rows", "12288"}, {"columns", "12288"}, {"tile_rows", "64"}, {"tile_columns", "1024"}, {"to", "ub"}, {"cores", "64"}, {"passes", "4"}, {"slices", number == 2 ? "4" : "1"}});
  return task_of(row, "add", {{"rows", "8192"}, {"columns", "8192"}, {"cores", "64"}, {"copy_elements", "20992"}, {"buffers", "2"}, {"inputs_in_l2", number == 4 ? "no" : "yes"}});
}

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
