// SPDX-License-Identifier: Apache-2.0
#include "app/validate/csv_table.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace npulab::validate {
namespace {

/// Walks over the text field by field.
class FieldReader {
 public:
  FieldReader(const std::string& text, CsvTable& table) : text_(text), table_(table) {
    if (text_.compare(0, 3, "\xEF\xBB\xBF") == 0) at_ = 3;
  }

  bool more() const { return at_ < text_.size(); }

  /// The next line of fields; empty lines give one empty field.
  CsvRow row() {
    CsvRow row;
    row.line = line_;
    do {
      row.columns.push_back(column_);
      row.cells.push_back(more() && text_[at_] == '"' ? quoted() : plain());
    } while (take(','));
    take('\r');
    take('\n');
    return row;
  }

 private:
  bool take(char expected) {
    if (!more() || text_[at_] != expected) return false;
    step();
    return true;
  }

  char step() {
    const char c = text_[at_++];
    ++column_;
    if (c == '\n') {
      ++line_;
      column_ = 1;
    }
    return c;
  }

  bool at_end_of_field() const {
    if (!more() || text_[at_] == ',' || text_[at_] == '\n') return true;
    return text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n');
  }

  std::string plain() {
    std::string field;
    while (!at_end_of_field()) field += step();
    return field;
  }

  std::string quoted() {
    const Diagnostic begin{table_.file, line_, column_, "", "expected a closing quote, found the end of the file"};
    std::string field;
    step();
    while (true) {
      if (!more()) {
        table_.problems.push_back(begin);
        return field;
      }
      if (const char c = step(); c != '"') field += c;
      else if (more() && text_[at_] == '"') field += step();
      else break;
    }
    if (!at_end_of_field()) {
      table_.problems.push_back({table_.file, line_, column_, "", std::string("expected a comma or the end of the line after a closing quote, found '") + text_[at_] + "'"});
      field += plain();
    }
    return field;
  }

  const std::string& text_;
  CsvTable& table_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
};

/// Names that come twice stay apart.
void number_repeats(std::vector<std::string>& header) {
  std::vector<std::string> seen;
  for (std::string& name : header) {
    const auto times = std::count(seen.begin(), seen.end(), name);
    seen.push_back(name);
    if (times > 0) name += '#' + std::to_string(times + 1);
  }
}

}  // namespace

int CsvTable::column(const std::string& name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

CsvTable parse_csv(const std::string& text, const std::string& file) {
  CsvTable table;
  table.file = file;
  FieldReader reader(text, table);
  if (!reader.more()) {
    table.problems.push_back({file, 1, 1, "", "expected a line of column names, found an empty file"});
    return table;
  }
  table.header = reader.row().cells;
  number_repeats(table.header);
  while (reader.more()) {
    CsvRow row = reader.row();
    if (row.cells.size() == 1 && row.cells[0].empty()) continue;
    if (row.cells.size() == table.header.size()) {
      table.rows.push_back(std::move(row));
      continue;
    }
    const std::size_t odd = std::min(row.columns.size(), table.header.size() + 1) - 1;
    table.problems.push_back({file, row.line, row.columns[odd], "",
                              "expected " + std::to_string(table.header.size()) + " fields, found " + std::to_string(row.cells.size())});
  }
  return table;
}

CsvTable read_csv(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw UserError({{path, 0, 0, "", "expected a file that can be read, found none"}});
  return parse_csv(text.str(), path);
}

}  // namespace npulab::validate
