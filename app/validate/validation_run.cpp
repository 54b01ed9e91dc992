// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validation_run.h"

#include <algorithm>
#include <set>

#include "model/base/nearest_name.h"

namespace npulab::validate {
namespace {

/// Keeps the rows of the families asked for.
void select(const std::vector<std::string>& families, bool expected, std::vector<DataRow>& rows) {
  if (families.empty()) return;
  std::vector<std::string> names;
  for (const DataRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.family) == names.end()) names.push_back(row.family);
  }
  for (const std::string& family : families) {
    if (expected && std::find(names.begin(), names.end(), family) == names.end())
      throw UserError({{"", 0, 0, "--family", "expected a family of the data, found '" + family + "'" + nearest_hint(family, names)}});
  }
  const auto other = [&](const DataRow& row) { return std::find(families.begin(), families.end(), row.family) == families.end(); };
  rows.erase(std::remove_if(rows.begin(), rows.end(), other), rows.end());
}

std::vector<Job> jobs_of(const std::vector<Mapping>& mappings) {
  std::set<Job> seen;
  std::vector<Job> jobs;
  for (const Mapping& mapping : mappings) {
    if (mapping.reason.empty() && seen.insert(mapping.job).second) jobs.push_back(mapping.job);
  }
  return jobs;
}

}  // namespace

ValidationRun run_validation(const ValidationRequest& request) {
  DataSet data = read_data(request.data);
  select(request.families, request.families_expected, data.rows);
  std::vector<Mapping> mappings;
  for (DataRow& row : data.rows) mappings.push_back(map_row(row));
  const std::vector<Job> jobs = jobs_of(mappings);
  return {make_results(data.rows, mappings, jobs, run_jobs(jobs, request.runner)), data.problems};
}

}  // namespace npulab::validate
