// SPDX-License-Identifier: Apache-2.0
#include "app/validate/data_row.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/validate/table_readers.h"

namespace npulab::validate {

namespace fs = std::filesystem;

const char* name_of(PipeColumn pipe) {
  static const char* const names[] = {"cube", "scalar", "MTE1", "MTE2", "FixPipe", "vector", "AIV scalar", "AIV MTE2", "MTE3"};
  return names[static_cast<int>(pipe)];
}

std::string DataRow::cell(const std::string& column) const {
  const auto found = cells.find(column);
  return found == cells.end() ? "" : found->second;
}

double DataRow::number(const std::string& column) {
  const std::string text = cell(column);
  if (text.empty()) return -1;
  double value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && stop == text.data() + text.size()) return value;
  problem = column + ": expected a number, found '" + text.substr(0, 40) + "'";
  return -1;
}

long number_after(const std::string& text, const std::string& key) {
  for (std::size_t at = text.find(key + '='); at != std::string::npos; at = text.find(key + '=', at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]))) continue;
    long value = -1;
    const char* begin = text.data() + at + key.size() + 1;
    std::from_chars(begin, text.data() + text.size(), value);
    return value;
  }
  return -1;
}

DataSet read_data(const std::string& path) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_regular_file(path, error)) files.push_back(path);
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  if (files.empty()) throw UserError({{path, 0, 0, "--data", "expected a folder with CSV files, found none"}});
  std::sort(files.begin(), files.end());
  DataSet data;
  for (const fs::path& file : files) {
    const CsvTable table = read_csv(file.string());
    data.problems.insert(data.problems.end(), table.problems.begin(), table.problems.end());
    read_table(table, data.rows);
  }
  // An id names one row; what comes again says where it stands.
  std::map<std::string, int> times;
  for (const DataRow& row : data.rows) ++times[row.id];
  for (DataRow& row : data.rows) {
    if (times[row.id] > 1) row.id += '@' + row.file.substr(0, row.file.rfind('.')) + ':' + std::to_string(row.line);
  }
  return data;
}

}  // namespace npulab::validate
