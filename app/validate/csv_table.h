// SPDX-License-Identifier: Apache-2.0
// Comma-separated tables as programs write them: quoted fields with commas, doubled quotes and line breaks, a byte order mark, CRLF.
// A line with the wrong number of fields is a problem of that line alone; the others are read.
#pragma once

#include <string>
#include <vector>

#include "model/base/errors.h"

namespace npulab::validate {

struct CsvRow {
  int line = 0;                     // of its first character
  std::vector<std::string> cells;   // as many as the header has
  std::vector<int> columns;         // where each begins
};

struct CsvTable {
  std::string file;
  std::vector<std::string> header;  // a name that comes again is NAME#2, NAME#3
  std::vector<CsvRow> rows;
  std::vector<Diagnostic> problems;  // of lines that could not be read

  /// Index of a column, -1 when there is none.
  int column(const std::string& name) const;
  bool has(const std::string& name) const { return column(name) >= 0; }
};

CsvTable parse_csv(const std::string& text, const std::string& file);
/// UserError when the file cannot be read.
CsvTable read_csv(const std::string& path);

}  // namespace npulab::validate
