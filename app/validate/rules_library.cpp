// SPDX-License-Identifier: Apache-2.0
// Library products by shape: the tiling is the auto-tiler's, as that of the library is not known.
#include <algorithm>
#include <cstdlib>

#include "app/validate/rules.h"
#include "app/validate/shape_text.h"

namespace npulab::validate {
namespace {

using Options = std::map<std::string, std::string>;

constexpr long kMostTiled = 65535;  // of one dimension, library_matmul's limit

Mapping library_product(const DataRow& row, Options options) {
  const std::string result = options.count("result") > 0 ? options["result"] : "";
  if (options["type"] == "int8" && (result == "bf16" || result == "fp32")) {
    return unmapped("FixPipe makes no " + result + " from int8, and no generator has the vector stage that does");
  }
  for (const char* size : {"m", "n", "k"}) {
    if (std::strtol(options[size].c_str(), nullptr, 10) > kMostTiled) return unmapped(std::string(size) + " above 65535, which library_matmul cannot tile");
  }
  Mapping mapping;
  mapping.measured = row.measured.task;
  mapping.job = {"", "library_matmul", std::move(options)};
  return mapping;
}

}  // namespace

Mapping map_int8_library(DataRow& row) {
  Options options{{"m", row.cell("M")}, {"n", row.cell("N")}, {"k", row.cell("K")}, {"type", "int8"}, {"batch", row.cell("batch").empty() ? "1" : row.cell("batch")}};
  const std::string result = row.cell("out"), extra = row.cell("extra");
  if (!result.empty()) options["result"] = result;
  if (!extra.empty()) options["extra"] = extra;
  return library_product(row, options);
}

Mapping map_fp16_library(DataRow& row) {
  Options options{{"m", row.cell("M")}, {"n", row.cell("N")}, {"k", row.cell("K")}, {"type", row.cell("dtype").empty() ? "fp16" : row.cell("dtype")}};
  const std::string order = row.cell("trans");
  if (order.size() == 2) options["transposed"] = order == "NN" ? "none" : order == "NT" ? "b" : order == "TN" ? "a" : "both";
  return library_product(row, options);
}

Mapping map_square_gemm(DataRow& row) { return library_product(row, {{"m", row.case_name}, {"n", row.case_name}, {"k", row.case_name}, {"type", "fp16"}}); }

Mapping map_catlass(DataRow& row) {
  const std::vector<long> shape = listed_after(row.shapes, "M,N,K");
  if (shape.empty()) return unmapped("the shapes name no M,N,K: '" + row.shapes + "'");
  const bool fp16 = contains(row.cell("dtype"), "fp16") || contains(row.case_name, "fp16");
  Options options{{"m", std::to_string(shape[0])}, {"n", std::to_string(shape[1])}, {"k", std::to_string(shape[2])}, {"type", fp16 ? "fp16" : "int8"}};
  if (!fp16) options["result"] = "bf16";
  return library_product(row, options);
}

}  // namespace npulab::validate
