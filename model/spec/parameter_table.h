// SPDX-License-Identifier: Apache-2.0
// Where every configured number came from: path, value as written with its unit, evidence and source, in file order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace npulab {

enum class Evidence : std::uint8_t { measured, documented, derived, assumed, overridden };
const char* name_of(Evidence evidence);

struct Parameter {
  std::string path;    // socs.ascend910b1.cores.cube.cube.head_pipelined (a path that --set takes)
  std::string value;   // as written, unit included
  Evidence evidence = Evidence::assumed;
  std::string source;
  std::string file;
  int line = 0;
};

struct ParameterTable {
  std::vector<Parameter> parameters;
};

}  // namespace npulab
