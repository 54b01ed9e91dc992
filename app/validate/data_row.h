// SPDX-License-Identifier: Apache-2.0
// One measurement of the data, whatever table it came from: who measured what, and the times that were published.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/base/errors.h"

namespace npulab::validate {

/// The pipes for which times are published; the first five on cube cores, the rest on vector cores.
enum class PipeColumn { cube, scalar, mte1, mte2, fixpipe, vec, aiv_scalar, aiv_mte2, mte3 };
inline constexpr int kPipeColumns = 9;
const char* name_of(PipeColumn pipe);

/// Microseconds; below zero: not known.
struct Timing {
  double task = -1;      // from hand-over to the device to the completion being seen
  double core = -1;      // mean over the cube cores that took part
  double core_max = -1;  // of any core that took part
  double aiv = -1;       // mean over the vector cores that took part
  double pipe[kPipeColumns] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};

  double of(PipeColumn p) const { return pipe[static_cast<int>(p)]; }
};

struct DataRow {
  std::string file;        // without its folder
  int line = 0;
  std::string id;          // unlike any other of the data
  std::string family;      // which rule maps it
  std::string chip;        // 910b1, a2, 950pr, ... as the data names it, in small letters
  std::string case_name;
  std::string shapes;
  std::string ladder;      // rows in sequence with the same one are steps of an optimisation; "": of none
  std::map<std::string, std::string> cells;  // by column name
  Timing measured;
  bool sanity = false;     // of a simulator or a vendor's table: shown, never scored
  std::string excluded;    // why it is no measurement; "" when it is one
  std::string problem;     // a cell that could not be read

  /// The text of a column, "" when there is none.
  std::string cell(const std::string& column) const;
  /// A number in a column; below zero when it is empty, in which case nothing is noted, or no number, which is a problem.
  double number(const std::string& column);
};

struct DataSet {
  std::vector<DataRow> rows;         // by file name, then line
  std::vector<Diagnostic> problems;  // lines that could not be read at all
};

/// Reads every *.csv of a folder, or one file. UserError when there is none.
DataSet read_data(const std::string& path);

/// "k" of "M=8192;K=64; single 128x1280": the number behind `key` and an equals sign, -1 when there is none.
long number_after(const std::string& text, const std::string& key);

}  // namespace npulab::validate
