// SPDX-License-Identifier: Apache-2.0
#include "app/validate/named_cases.h"

#include <algorithm>
#include <filesystem>

#include "app/validate/csv_table.h"

namespace npulab::validate {

const CaseResult* find_case(const std::vector<CaseResult>& results, const std::string& id) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const CaseResult& result) { return result.row.id == id; });
  return found == results.end() ? nullptr : &*found;
}

double time_named(const Timing& timing, const std::string& time) {
  if (time == "task") return timing.task;
  if (time == "core") return timing.core > 0 ? timing.core : timing.aiv;
  for (int p = 0; p < kPipeColumns; ++p) {
    if (time == name_of(static_cast<PipeColumn>(p))) return timing.pipe[p];
  }
  return -1;
}

bool is_time(const std::string& time) {
  Timing all;
  all.task = all.core = 1;
  std::fill(std::begin(all.pipe), std::end(all.pipe), 1.0);
  return time_named(all, time) > 0;
}

std::vector<NamedCase> read_named_cases(const std::string& path) {
  std::vector<NamedCase> cases;
  if (!std::filesystem::exists(path)) return cases;
  CsvTable table = read_csv(path);
  for (const char* column : {"mechanism", "parameter", "case", "time"}) {
    if (!table.has(column)) table.problems.push_back({path, 1, 1, column, "expected a column of this name, found none"});
  }
  if (!table.problems.empty()) throw UserError(table.problems);
  for (const CsvRow& row : table.rows) {
    const auto at = [&](const char* column) { return row.cells[static_cast<std::size_t>(table.column(column))]; };
    cases.push_back({at("mechanism"), at("parameter"), at("case"), at("time")});
    if (!is_time(cases.back().time)) table.problems.push_back({path, row.line, 1, "time", "expected task, core or the name of a pipe, found '" + cases.back().time + "'"});
  }
  if (!table.problems.empty()) throw UserError(table.problems);
  return cases;
}

void exclude_named(const std::vector<NamedCase>& cases, std::vector<CaseResult>& results) {
  for (CaseResult& result : results) {
    if (result.status != Status::scored && result.status != Status::shown) continue;
    for (const NamedCase& named : cases) {
      // The same simulation under another row's name is the same case.
      const CaseResult* owner = find_case(results, named.id);
      if (owner == nullptr || !owner->mapping.reason.empty() || owner->row.family != result.row.family) continue;
      if (owner->mapping.job.text() != result.mapping.job.text()) continue;
      result.status = Status::shown;
      result.remark = "calibrates: " + named.mechanism;
    }
  }
}

}  // namespace npulab::validate
