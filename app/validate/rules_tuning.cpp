// SPDX-License-Identifier: Apache-2.0
// Pairs of before and after from tuning guides: one table of what each pair is, read by the rows of two tables that tell of them.
#include <algorithm>

#include "app/validate/rules.h"
#include "app/validate/shape_text.h"

namespace npulab::validate {
namespace {

using Options = std::map<std::string, std::string>;

struct Pair {
  const char* tag;    // of "docs-TAG-off"
  const char* words;  // of the table of pairs
  Options common, before, after;
};

const std::vector<Pair>& pairs() {
  static const Options base{{"base_m", "128"}, {"base_n", "256"}, {"base_k", "64"}, {"step_ka", "4"}, {"step_kb", "4"}, {"cores", "24"}};
  static const auto with = [](Options options, const Options& more) {
    for (const auto& [name, value] : more) options[name] = value;
    return options;
  };
  static const Options one_step = with(base, {{"m", "128"}, {"n", "30720"}, {"k", "64"}, {"single_m", "128"}, {"single_n", "1280"}, {"step_ka", "1"}, {"step_kb", "1"}, {"template", "mdl"}});
  static const std::vector<Pair> all = {
      {"mdl", "MDL large copies", with(base, {{"m", "128"}, {"n", "30720"}, {"k", "1024"}, {"single_m", "128"}, {"single_n", "1280"}}), {{"template", "norm"}}, {{"template", "mdl"}}},
      {"consttiling", "constant tiling", one_step, {{"constant_tiling", "no"}}, {{"constant_tiling", "yes"}}},
      {"unitflag", "unit flag", with(one_step, {{"single_n", "1536"}, {"cores", "20"}}), {{"unit_flag", "off"}}, {{"unit_flag", "on"}}},
      {"kreorder", "stagger K start per core", with(base, {{"m", "768"}, {"n", "2048"}, {"k", "6144"}, {"single_m", "128"}, {"single_n", "512"}, {"template", "mdl"}}), {{"k_start", "same"}}, {{"k_start", "staggered"}}},
      {"preload", "MTE2 preload", with(base, {{"m", "128"}, {"n", "24576"}, {"k", "512"}, {"single_m", "128"}, {"single_n", "1024"}, {"base_n", "128"}, {"step_ka", "8"}, {"step_kb", "8"}, {"template", "mdl"}}), {{"preload", "no"}}, {{"preload", "yes"}}},
  };
  return all;
}

Mapping side_of(const DataRow& row, const Pair& pair, bool after, double measured) {
  Mapping mapping;
  mapping.job = {"", "matmul", pair.common};
  for (const auto& [name, value] : after ? pair.after : pair.before) mapping.job.options[name] = value;
  // The guides give the time of the slowest core where they give no task time.
  mapping.metric = row.family == "docs-matmul-tuning" && row.measured.task > 0 ? Metric::task : Metric::core_max;
  mapping.measured = measured;
  return mapping;
}

}  // namespace

Mapping map_docs_matmul(DataRow& row) {
  for (const Pair& pair : pairs()) {
    for (const char* side : {"off", "on"}) {
      if (row.id.rfind("docs-" + std::string(pair.tag) + '-' + side, 0) != 0) continue;
      return side_of(row, pair, side == std::string("on"), row.measured.task > 0 ? row.measured.task : row.measured.core);
    }
  }
  return unmapped("the source does not say enough to rebuild this kernel");
}

Mapping map_tuning_pair(DataRow& row) {
  const std::size_t slash = row.case_name.rfind(" / ");
  for (const Pair& pair : pairs()) {
    if (row.case_name.rfind(pair.words, 0) == 0) return side_of(row, pair, row.case_name.substr(slash + 3) == "after", row.measured.task);
  }
  return unmapped("the source does not say enough to rebuild this kernel");
}

}  // namespace npulab::validate
