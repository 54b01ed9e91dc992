// SPDX-License-Identifier: Apache-2.0
// Matrix products whose instruction streams are known. The ladder tables name only the case, so what a case of that family is (tile
// split, packets, template) stands here as the source describes it; silicon cases say it in their shapes, and that wins.
#include <algorithm>

#include "app/validate/rules.h"
#include "app/validate/shape_text.h"

namespace npulab::validate {
namespace {

bool is_950(const DataRow& row) { return row.chip.rfind("950", 0) == 0; }
std::string text(long value) { return std::to_string(value); }
using Options = std::map<std::string, std::string>;

void set_extents(Options& options, const std::vector<const char*>& names, const std::vector<long>& values) {
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) options[names[i]] = text(values[i]);
}

/// M, N and K of "M=8192;K=8192;N=8192", where they are given.
void set_problem(Options& options, const std::string& shapes) {
  for (const auto& [option, letter] : {std::pair{"m", "M"}, {"n", "N"}, {"k", "K"}}) {
    const long value = number_after(shapes, letter);
    if (value > 0) options[option] = text(value);
  }
}

/// The 8192-cubed product of the ladder and the explicit kernels, all cores, large packets.
Options ladder_problem(const DataRow& row) {
  const bool new_chip = is_950(row);
  Options options{{"m", "8192"}, {"n", "8192"}, {"k", "8192"}, {"base_m", new_chip ? "256" : "128"}, {"base_n", "256"}, {"base_k", "64"}};
  options["single_m"] = "2048";
  options["single_n"] = new_chip ? "1024" : "1536";
  options["step_ka"] = new_chip ? "4" : "8";
  options["step_kb"] = "4";
  options["cores"] = new_chip ? "32" : "24";
  return options;
}

/// What the shapes of a row say.
void set_shapes(Options& options, const DataRow& row) {
  set_problem(options, row.shapes);
  set_extents(options, {"single_m", "single_n"}, extents_after(row.shapes, "single"));
  set_extents(options, {"base_m", "base_n", "base_k"}, extents_after(row.shapes, "base"));
  for (const auto& [option, word] : {std::pair{"step_ka", "stepKa"}, {"step_kb", "stepKb"}}) {
    const long value = number_after_word(row.shapes, word);
    if (value > 0) options[option] = text(value);
  }
  const long cores = first_number(row.cell("cores").empty() ? row.cell("blocks") : row.cell("cores"));
  if (cores > 0) options["cores"] = text(cores);
}

void set_case(Options& options, long number, bool new_chip) {
  options["template"] = number < 4 ? "norm" : "mdl";
  options["constant_tiling"] = number >= 7 ? "yes" : "no";
  options["unit_flag"] = number >= 8 ? "on" : "off";
  if (number < 4) options["step_ka"] = options["step_kb"] = "1";
  if (number < 2) {
    options["single_m"] = options["single_n"] = "8192";
    options["cores"] = "1";
  }
  if (number == 0) options["base_m"] = options["base_n"] = "64";
  if (number == 2) {
    options["single_m"] = "4096";
    options["single_n"] = new_chip ? "512" : "683";
  }
  // Automatic depths: what the library chose on the A2; for the 950 the source does not say, and the same is taken.
  if (number == 4) {
    options["step_ka"] = "2";
    options["step_kb"] = "4";
  }
  if (number >= 6) options["single_m"] = "1024";
}

Mapping product(const DataRow& row, Options options) {
  Mapping mapping;
  mapping.measured = row.measured.task;
  mapping.job = {"", "matmul", std::move(options)};
  return mapping;
}

}  // namespace

Mapping map_matmul_ladder(DataRow& row) {
  const long number = first_number(row.case_name);
  if (number < 0 || number > 8) return unmapped("no such case of the ladder: " + row.case_name);
  Options options = ladder_problem(row);
  set_case(options, number, is_950(row));
  set_shapes(options, row);
  Mapping mapping = product(row, options);
  // What the FixPipe column counts in this template the source does not say.
  mapping.fixpipe_scored = number >= 4;
  return mapping;
}

Mapping map_matmul_basic(DataRow& row) {
  Options options = ladder_problem(row);
  options["template"] = "basic";
  const bool split = row.case_name == "2" || contains(row.case_name, "API L2 split");
  if (split) options["single_m"] = "1024";
  set_shapes(options, row);
  return product(row, options);
}

Mapping map_matmul_gelu(DataRow& row) {
  if (contains(row.case_name, "gelu-alone")) return map_gelu(row);
  Options options = ladder_problem(row);
  set_shapes(options, row);
  options["template"] = "basic";
  options["result"] = "fp32";
  if (contains(row.case_name, "matmul-alone")) return product(row, options);
  options.erase("template");
  options.erase("result");
  options["through"] = first_number(row.case_name) == 2 ? "ub" : "gm";
  Mapping mapping = product(row, options);
  mapping.job.kernel = "matmul_gelu";
  return mapping;
}

Mapping map_quant_group_matmul(DataRow& row) {
  const std::string name = row.case_name;
  // Ladder rows describe the scenario in words.
  const long number = name.size() == 1 ? first_number(name) : contains(name, "4-deep") ? 2 : contains(name, "2") ? 1 : 0;
  if (number < 0 || number > 2) return unmapped("no such case of the grouped product: " + name);
  Mapping mapping;
  mapping.measured = row.measured.task;
  mapping.job = {"", "quant_group_matmul", {{"vector_cores", number == 0 ? "1" : "2"}, {"depth", number == 2 ? "4" : "1"}, {"block_m", is_950(row) ? "256" : "128"}}};
  set_extents(mapping.job.options, {"block_m", "block_n"}, extents_after(row.shapes, "block"));
  const long cores = first_number(row.cell("cores"));
  if (cores > 0) mapping.job.options["cores"] = text(cores);
  return mapping;
}

}  // namespace npulab::validate
