// SPDX-License-Identifier: Apache-2.0
#include "app/validate/table_readers.h"

#include <algorithm>
#include <filesystem>

namespace npulab::validate {
namespace {

using P = PipeColumn;

struct PipeCell {
  const char* column;
  PipeColumn pipe;
};

struct TableKind {
  std::vector<const char*> columns;  // that such a table has
  void (*read)(const DataRow& raw, std::vector<DataRow>& rows);
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// "910B1 CANN 9.0.0" and "950PR 64 AIV" begin with the chip.
std::string first_word(const std::string& text) { return lower(text.substr(0, text.find(' '))); }

void take_pipes(DataRow& row, const std::vector<PipeCell>& cells) {
  for (const PipeCell& cell : cells) row.measured.pipe[static_cast<int>(cell.pipe)] = row.number(cell.column);
}

/// Shares of the time a core was at work, where only those were published.
void take_ratios(DataRow& row, const std::vector<PipeCell>& cells, double of_us) {
  for (const PipeCell& cell : cells) {
    const double ratio = row.number(cell.column);
    double& pipe = row.measured.pipe[static_cast<int>(cell.pipe)];
    if (pipe < 0 && ratio >= 0 && of_us >= 0) pipe = ratio * of_us;
  }
}

void read_case(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.id = row.cell("id");
  row.family = row.cell("family");
  row.chip = lower(row.cell("chip"));
  row.case_name = row.cell("case");
  row.shapes = row.cell("shapes");
  row.sanity = !row.cell("evidence").empty() && !starts(row.cell("evidence"), "silicon");
  row.measured.task = row.number("task_us");
  row.measured.core = row.number("core_us");
  row.measured.aiv = row.number("aiv_us");
  take_pipes(row, {{"cube_us", P::cube}, {"scalar_us", P::scalar}, {"mte1_us", P::mte1}, {"mte2_us", P::mte2}, {"fixpipe_us", P::fixpipe},
                   {"vec_us", P::vec}, {"aiv_scalar_us", P::aiv_scalar}, {"aiv_mte2_us", P::aiv_mte2}, {"mte3_us", P::mte3}});
  take_ratios(row, {{"vec_ratio", P::vec}, {"aiv_scalar_ratio", P::aiv_scalar}, {"aiv_mte2_ratio", P::aiv_mte2}, {"mte3_ratio", P::mte3}},
              row.measured.aiv >= 0 ? row.measured.aiv : row.measured.task);
  rows.push_back(row);
}

void read_matmul_ladder(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.case_name = row.cell("case");
  row.chip = first_word(row.cell("device"));
  const bool basic = starts(row.case_name, "basic");
  row.family = basic ? "matmul-basic-api" : "matmul-ladder";
  row.ladder = row.family + ' ' + row.chip;
  row.id = row.family + '/' + row.chip + '/' + row.case_name;
  row.measured.task = row.number("task");
  row.measured.core = row.number("aicore");
  take_pipes(row, {{"mac", P::cube}, {"scalar", P::scalar}, {"mte1", P::mte1}, {"mte2", P::mte2}, {"fixpipe", P::fixpipe}});
  rows.push_back(row);
}

void read_group_ladder(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.case_name = row.cell("case");
  row.chip = first_word(row.cell("device"));
  row.family = "quant-group-matmul";
  row.ladder = row.family + ' ' + row.chip;
  row.id = row.family + '/' + row.chip + '/' + row.case_name;
  row.measured.task = row.number("task_us");
  take_pipes(row, {{"mac", P::cube}, {"scalar", P::scalar}, {"mte1", P::mte1}, {"mte2", P::mte2}, {"fixpipe", P::fixpipe},
                   {"aiv_vec", P::vec}, {"aiv_mte2", P::aiv_mte2}, {"aiv_mte3", P::mte3}});
  rows.push_back(row);
}

void read_square_gemm(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.chip = "a2";
  row.family = "square-gemm";
  row.case_name = row.cell("M=N=K");
  row.shapes = "M=" + row.case_name + ";N=" + row.case_name + ";K=" + row.case_name;
  row.id = row.family + '/' + row.case_name;
  row.measured.task = row.number("task_us");
  take_ratios(row, {{"cube", P::cube}, {"textract(L1>L0)", P::mte1}, {"tload(GM>L1)", P::mte2}, {"tstore", P::fixpipe}}, row.measured.task);
  rows.push_back(row);
}

/// One row holds both times of a step.
void read_pair(const DataRow& raw, std::vector<DataRow>& rows) {
  for (const char* side : {"before", "after"}) {
    DataRow row = raw;
    row.chip = "a2";
    row.family = "tuning-pairs";
    row.case_name = row.cell("what") + " / " + side;
    row.shapes = row.cell("shape/conditions");
    row.ladder = row.family + ' ' + row.cell("what");
    row.id = row.family + '/' + row.cell("what") + '/' + side;
    row.measured.task = row.number(std::string(side) + "_us");
    rows.push_back(row);
  }
}

void read_add_ladder(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.chip = first_word(row.cell("device"));
  row.family = "add";
  row.case_name = row.cell("step");
  row.ladder = row.family + ' ' + row.chip;
  row.id = row.family + '/' + row.chip + '/' + row.case_name;
  row.measured.task = row.number("task_us");
  take_pipes(row, {{"vec_us", P::vec}, {"mte2_us", P::aiv_mte2}, {"mte3_us", P::mte3}});
  rows.push_back(row);
}

/// What is read again and again in slices of L2, and what all cores read from one or from different places.
std::string data_copy_ladder(const DataRow& row) {
  const bool again = holds(row.case_name, " 4 times") || starts(row.case_name, "4x ");
  const bool same = holds(row.case_name, "same order") || holds(row.case_name, "stagger");
  return again ? "slices in L2, " + row.family + ' ' + row.chip : same ? "staggered start, " + row.family + ' ' + row.chip : "";
}

/// "741.58 / 354.95" with the case "4x whole / 4x sliced" is two rows.
void read_data_copy(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.chip = first_word(row.cell("device"));
  const bool to_l1 = holds(row.cell("path"), "L1");
  row.family = to_l1 ? "data-copy-gm-l1" : "data-copy-gm-ub";
  const std::string cases = row.cell("case"), times = row.cell("task_us");
  const std::size_t slash = times.find(" / "), between = cases.find(" / ");
  const bool two = slash != std::string::npos && between != std::string::npos;
  for (int i = 0; i < (two ? 2 : 1); ++i) {
    row.case_name = !two ? cases : i == 0 ? cases.substr(0, between) : cases.substr(between + 3);
    row.cells["task_us"] = !two ? times : i == 0 ? times.substr(0, slash) : times.substr(slash + 3);
    row.id = row.family + '/' + row.chip + '/' + row.case_name;
    row.ladder = data_copy_ladder(row);
    row.measured.task = row.number("task_us");
    row.measured.pipe[static_cast<int>(to_l1 ? P::mte2 : P::aiv_mte2)] = row.number("mte2_us");
    rows.push_back(row);
  }
}

void read_micro(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.chip = lower(row.cell("chip"));
  row.case_name = row.cell("table");
  row.family = "micro-" + row.cell("kind");
  row.id = row.chip + '/' + row.case_name + '/' + row.cell("x") + (row.cell("m").empty() ? "" : '/' + row.cell("m") + 'x' + row.cell("k") + 'x' + row.cell("n"));
  // The curves of the 950 look modelled.
  row.sanity = starts(row.chip, "950");
  rows.push_back(row);
}

/// One row of an operator holds a time for each of two chips.
void read_library(const DataRow& raw, const std::string& family, std::vector<DataRow>& rows) {
  const struct { const char* time; const char* flag; const char* chip; } chips[] = {{"us_910B2", "flag", "910b2"}, {"us_950PR", "flag#2", "950pr"}};
  for (const auto& chip : chips) {
    if (raw.cell(chip.time).empty()) continue;
    DataRow row = raw;
    row.family = family;
    row.chip = chip.chip;
    // A table with one flag has it for the later of its chips.
    const bool one_flag = row.cells.count("flag#2") == 0 && row.cells.count("us_950PR") > 0;
    const std::string flag = !one_flag ? row.cell(chip.flag) : chip.chip == std::string("950pr") ? row.cell("flag") : "";
    row.case_name = row.cell("op") + (row.cells.count("op") > 0 ? "#" : "") + row.cell("id");
    row.id = family + '/' + row.case_name + '/' + row.chip;
    row.measured.task = row.number(chip.time);
    if (flag == "CAP") row.excluded = "flag CAP: ten times the roofline, no measurement";
    rows.push_back(row);
  }
}

void read_int8_library(const DataRow& raw, std::vector<DataRow>& rows) { read_library(raw, "int8-matmul-library", rows); }
void read_fp16_library(const DataRow& raw, std::vector<DataRow>& rows) { read_library(raw, "fp16-matmul-library", rows); }
/// Operators without a generator yet: the family is the file.
void read_other_library(const DataRow& raw, std::vector<DataRow>& rows) { read_library(raw, raw.family, rows); }

void read_catlass(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.chip = first_word(row.cell("device"));
  row.family = "catlass-quant-matmul";
  row.case_name = row.cell("kernel");
  row.shapes = "M,N,K=" + row.cell("M") + ',' + row.cell("N") + ',' + row.cell("K");
  row.id = row.family + '/' + row.chip + '/' + row.case_name + '/' + row.shapes;
  row.measured.task = row.number("us");
  rows.push_back(row);
}

void read_operators(const DataRow& raw, std::vector<DataRow>& rows) {
  DataRow row = raw;
  row.family = "library-ops";
  row.chip = lower(row.cell("chip"));
  row.case_name = row.cell("op");
  row.shapes = row.cell("shapes");
  row.id = row.family + '/' + row.case_name + '/' + std::to_string(row.line);
  row.sanity = !starts(row.cell("evidence"), "silicon");
  row.measured.task = row.number("duration_us");
  rows.push_back(row);
}

/// The first kind all of whose columns are there.
const std::vector<TableKind>& kinds() {
  static const std::vector<TableKind> all = {
      {{"id", "chip", "family", "case", "shapes", "task_us"}, read_case},
      {{"chip", "table", "kind", "x", "rate"}, read_micro},
      {{"device", "case", "blocks", "task", "aicore", "mac"}, read_matmul_ladder},
      {{"device", "case", "task_us", "mac", "aiv_vec"}, read_group_ladder},
      {{"M=N=K", "task_us"}, read_square_gemm},
      {{"what", "shape/conditions", "before_us", "after_us"}, read_pair},
      {{"device", "step", "cores", "task_us"}, read_add_ladder},
      {{"device", "path", "case", "task_us"}, read_data_copy},
      {{"id", "batch", "M", "N", "K", "out", "us_910B2"}, read_int8_library},
      {{"id", "dtype", "M", "N", "K", "trans", "us_910B2"}, read_fp16_library},
      {{"device", "kernel", "M", "N", "K", "us"}, read_catlass},
      {{"op", "variant", "shapes", "duration_us"}, read_operators},
      {{"id", "us_910B2"}, read_other_library},
  };
  return all;
}

}  // namespace

void read_table(const CsvTable& table, std::vector<DataRow>& rows) {
  const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const TableKind& k) {
    return std::all_of(k.columns.begin(), k.columns.end(), [&](const char* column) { return table.has(column); });
  });
  const std::filesystem::path path(table.file);
  for (const CsvRow& line : table.rows) {
    DataRow raw;
    raw.file = path.filename().string();
    raw.line = line.line;
    raw.family = path.stem().string();
    raw.id = raw.family + ':' + std::to_string(raw.line);
    for (std::size_t i = 0; i < table.header.size(); ++i) raw.cells[table.header[i]] = line.cells[i];
    if (kind != kinds().end()) kind->read(raw, rows);
    else rows.push_back(raw);
  }
}

}  // namespace npulab::validate
