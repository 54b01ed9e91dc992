// SPDX-License-Identifier: Apache-2.0
// Tables of single instructions. Moves are given as a rate by size; a move through GM shows its whole latency there, so its
// instructions are taken to have a barrier between them, moves on chip none.
#include <map>

#include "app/validate/micro_tables.h"
#include "app/validate/rules.h"

namespace npulab::validate {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

struct MovePath {
  const char* path;
  bool serial;
  bool vector_side;
};

const MovePath* path_of(const std::string& table) {
  static const std::map<std::string, MovePath> paths = {
      {"GM_TO_L1", {"gm_l1", true, false}},         {"GM_TO_L1_TRANS", {"gm_l1_nd2nz", true, false}},
      {"GM_TO_UB", {"gm_ub", true, true}},          {"UB_TO_GM", {"ub_gm", true, true}},
      {"UB_TO_UB", {"ub_ub", false, true}},         {"L1_TO_L0A", {"l1_l0a", false, false}},
      {"L1_TO_L0B", {"l1_l0b", false, false}},      {"L1_TO_BT", {"l1_bt", false, false}},
      {"L1_TO_FB", {"l1_fb", false, false}},        {"L0C_TO_GM", {"l0c_gm", false, false}},
      {"L0C_TO_GM_TRANS", {"l0c_gm_nd", false, false}},
  };
  const auto found = paths.find(table);
  return found == paths.end() ? nullptr : &found->second;
}

Mapping move_of(DataRow& row, double bytes) {
  const MovePath* path = path_of(row.case_name);
  if (path == nullptr) return unmapped("no such move in the instruction set: " + row.case_name);
  const double rate = row.number("rate");
  Mapping mapping;
  mapping.metric = path->vector_side ? Metric::aiv : Metric::core;
  mapping.measured = rate > 0 ? kMicroCount * bytes / (rate * kGiB) * 1e6 : -1;
  mapping.job = {"", "micro_move", {{"path", path->path}, {"bytes", std::to_string(static_cast<long>(bytes))}, {"count", std::to_string(kMicroCount)}, {"order", path->serial ? "serial" : "streamed"}}};
  return mapping;
}

/// VADD_FP32_FP32_FP32 and so on; "" for what the instruction set does not have.
std::string operation_of(const std::string& name) {
  static const std::map<std::string, std::string> operations = {
      {"VADD", "add"},     {"VSUB", "sub"},     {"VMUL", "mul"},           {"VDIV", "div"},           {"VMAX", "max"},
      {"VMIN", "min"},     {"VAND", "and"},     {"VOR", "or"},             {"VADDS", "adds"},         {"VMULS", "muls"},
      {"VMAXS", "maxs"},   {"VMINS", "mins"},   {"VSHL", "shift_left"},    {"VSHR", "shift_right"},   {"VABS", "abs"},
      {"VRELU", "relu"},   {"VEXP", "exp"},     {"VLN", "ln"},             {"VSQRT", "sqrt"},         {"VRSQRT", "rsqrt"},
      {"VREC", "reciprocal"}, {"VNOT", "not"},  {"VCONV", "cast"},         {"VECTORDUP", "duplicate"}, {"VCOPY", "copy"},
      {"VMLA", "madd"},    {"VMADD", "madd"},   {"VAXPY", "axpy"},         {"VCMPV", "compare"},      {"VCMPVS", "compares"},
      {"VSEL", "select"},  {"VCADD", "reduce_sum"}, {"VCMAX", "reduce_max"}, {"VCMIN", "reduce_min"}, {"VCGADD", "block_sum"},
      {"VCGMAX", "block_max"}, {"VBRCB", "broadcast_block"},
  };
  const auto found = operations.find(name);
  return found == operations.end() ? "" : found->second;
}

std::string type_of(const std::string& name) {
  static const std::map<std::string, std::string> types = {{"FP16", "fp16"},   {"FP32", "fp32"},     {"BF16", "bf16"},   {"INT32", "int32"}, {"UINT32", "uint32"},
                                                           {"INT16", "int16"}, {"UINT16", "uint16"}, {"INT8", "int8"},   {"UINT8", "uint8"}};
  const auto found = types.find(name);
  return found == types.end() ? "" : found->second;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> parts{""};
  for (char c : text) {
    if (c == '_') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

}  // namespace

Mapping map_micro_move(DataRow& row) { return move_of(row, row.number("x") * 1024); }

Mapping map_micro_fractals(DataRow& row) { return move_of(row, row.number("x") * 512); }

Mapping map_micro_mmad(DataRow& row) {
  if (row.case_name.find("FP16_FP16") == std::string::npos) return unmapped("no such product in the instruction set: " + row.case_name);
  Mapping mapping;
  mapping.metric = Metric::core;
  const double cycles = row.number("cycles");
  mapping.measured = cycles > 0 ? kMicroCount * cycles / micro_clock_mhz(row) : -1;
  // The 910B3 table was measured one by one, the 910B1 table back to back.
  mapping.job = {"", "micro_mmad", {{"m", row.cell("m")}, {"k", row.cell("k")}, {"n", row.cell("n")}, {"type", "fp16"}, {"count", std::to_string(kMicroCount)}, {"order", row.chip == "910b3" ? "serial" : "streamed"}}};
  return mapping;
}

Mapping map_micro_vector(DataRow& row) {
  const std::vector<std::string> name = words(row.case_name);
  const std::string operation = operation_of(name[0]);
  const std::string source = type_of(name.size() > 1 ? name[1] : ""), result = type_of(name.size() > 2 ? name[2] : "");
  if (operation.empty()) return unmapped("no such operation in the instruction set: " + name[0]);
  if (source.empty() || result.empty()) return unmapped("no such type in the instruction set: " + row.case_name);
  const double slope = row.number("rate"), intercept = row.number("cycles");
  // A line through points that lie on none.
  if (slope < 0 || slope > 100 || intercept < 0) return unmapped("the fit has no meaning: slope " + row.cell("rate") + ", intercept " + row.cell("cycles"));
  Mapping mapping;
  mapping.metric = Metric::vector;
  mapping.measured = kMicroCount * kMicroRepeats * slope / micro_clock_mhz(row);
  mapping.job = {"", "micro_vector", {{"op", operation}, {"type", source}, {"result", operation == "cast" ? result : "same"}, {"repeats", std::to_string(kMicroRepeats)}, {"count", std::to_string(kMicroCount)}}};
  return mapping;
}

}  // namespace npulab::validate
