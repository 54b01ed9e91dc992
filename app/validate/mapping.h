// SPDX-License-Identifier: Apache-2.0
// From a row of the data to a simulation: which board, which kernel generator with which options, and which of its times to hold
// against which published one. Rules know shapes and ways of writing a kernel, never a cost.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/validate/data_row.h"

namespace npulab::validate {

/// A simulation; rows that ask for the same one share it.
struct Job {
  std::string board;   // file in the folder of boards
  std::string kernel;  // of the registry
  std::map<std::string, std::string> options;

  bool operator<(const Job& other) const;
  /// "card_910b1 gm_stream bytes_per_core=8MiB"
  std::string text() const;
};

/// Which time of a run is compared.
enum class Metric { task, core, core_max, aiv, cube, vector };
double value_of(const Timing& timing, Metric metric);
const char* name_of(Metric metric);

struct Mapping {
  std::string reason;        // why there is no job; "" when there is one
  Job job;
  Metric metric = Metric::task;
  double measured = -1;      // us, of that metric
  std::string ratio_group;   // of rows whose scale is not known: only ratios within the group are compared; "": the scale is known
  bool fixpipe_scored = true;  // false: reported only, as the source cannot say what its FixPipe column counts
};

/// Families are scored by group: kernels whose instruction stream is known, library products by shape, and so on.
struct Family {
  const char* name;
  const char* group;
  const char* picture;  // points of the scatter plot with the same one look alike
  Mapping (*map)(DataRow& row);
};
const std::vector<Family>& families();
/// Null for a family that no rule knows.
const Family* find_family(const std::string& name);

inline constexpr const char* kKnownStreams = "known streams";
inline constexpr const char* kLibraryProducts = "library products";
inline constexpr const char* kMicro = "micro-benchmarks";
inline constexpr const char* kMoreKernels = "more kernels";
inline constexpr const char* kOperators = "operators";
inline constexpr const char* kNotKernels = "not kernels";

/// Maps one row; checks that the generator exists and takes the options.
Mapping map_row(DataRow& row);

/// The file of a chip's board, "" for a chip without one. A2-class rows that name no part are taken as 910B1.
std::string board_of(const DataRow& row);
Mapping unmapped(const std::string& reason);

}  // namespace npulab::validate
