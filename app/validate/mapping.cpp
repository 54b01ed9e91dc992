// SPDX-License-Identifier: Apache-2.0
#include "app/validate/mapping.h"

#include <tuple>

#include "app/validate/rules.h"
#include "workloads/kernels/kernel_registry.h"

namespace npulab::validate {
namespace {

const std::vector<Family> kFamilies = {
    {"matmul-ladder", kKnownStreams, "matmul", map_matmul_ladder},
    {"matmul-basic-api", kKnownStreams, "matmul", map_matmul_basic},
    {"matmul-gelu-fusion", kKnownStreams, "matmul", map_matmul_gelu},
    {"quant-group-matmul", kKnownStreams, "matmul", map_quant_group_matmul},
    {"add", kKnownStreams, "add", map_add},
    {"data-copy-gm-ub", kKnownStreams, "data copy", map_data_copy},
    {"data-copy-gm-l1", kKnownStreams, "data copy", map_data_copy},
    {"bank-conflict-ub", kKnownStreams, "vector", map_bank_conflict_ub},
    {"bank-conflict-3510", kKnownStreams, "vector", map_bank_conflict_3510},
    {"bank-conflict-nd2nz", kKnownStreams, "vector", map_nd2nz_vector},
    {"gelu", kMoreKernels, "vector", map_gelu},
    {"gelu-eltwise", kMoreKernels, "vector", map_gelu},
    {"softmax", kMoreKernels, "vector", map_softmax},
    {"l2-cache-mode", kMoreKernels, "data copy", map_l2_cache_mode},
    {"docs-matmul-tuning", kMoreKernels, "matmul", map_docs_matmul},
    {"tuning-pairs", kMoreKernels, "matmul", map_tuning_pair},
    {"int8-matmul-library", kLibraryProducts, "library products", map_int8_library},
    {"fp16-matmul-library", kLibraryProducts, "library products", map_fp16_library},
    {"square-gemm", kLibraryProducts, "library products", map_square_gemm},
    {"catlass-quant-matmul", kLibraryProducts, "library products", map_catlass},
    {"catlass-matmul", kLibraryProducts, "library products", map_catlass},
    {"micro-move", kMicro, "micro-benchmarks", map_micro_move},
    {"micro-move-repeat", kMicro, "micro-benchmarks", map_micro_fractals},
    {"micro-mmad", kMicro, "micro-benchmarks", map_micro_mmad},
    {"micro-vector-fit", kMicro, "micro-benchmarks", map_micro_vector},
    {"attention", kOperators, "operators", no_operator},
    {"convolution", kOperators, "operators", no_operator},
    {"convolution-2", kOperators, "operators", no_operator},
    {"grouped-matmul", kOperators, "operators", no_operator},
    {"library-ops", kOperators, "operators", no_operator},
    {"vector-and-norm", kOperators, "operators", no_operator},
    {"weight-only-int8", kOperators, "operators", no_operator},
    {"launch-and-queue", kNotKernels, "", no_kernel},
    {"links-and-collectives", kNotKernels, "", no_kernel},
    {"links-and-collectives-2", kNotKernels, "", no_kernel},
    {"networks", kNotKernels, "", no_kernel},
    {"pcie-bench", kNotKernels, "", no_kernel},
    {"tile-instruction-cycles-950", kNotKernels, "", no_kernel},
    {"tile-instruction-cycles-a2a3", kNotKernels, "", no_kernel},
};

}  // namespace

bool Job::operator<(const Job& other) const {
  return std::tie(board, kernel, options) < std::tie(other.board, other.kernel, other.options);
}

std::string Job::text() const {
  std::string text = board.substr(0, board.rfind('.')) + ' ' + kernel;
  for (const auto& [name, value] : options) text += ' ' + name + '=' + value;
  return text;
}

double value_of(const Timing& timing, Metric metric) {
  switch (metric) {
    case Metric::task: return timing.task;
    case Metric::core: return timing.core;
    case Metric::core_max: return timing.core_max;
    case Metric::aiv: return timing.aiv;
    case Metric::cube: return timing.of(PipeColumn::cube);
    case Metric::vector: return timing.of(PipeColumn::vec);
  }
  return -1;
}

const char* name_of(Metric metric) {
  static const char* const names[] = {"task", "core", "core max", "AIV core", "cube", "vector"};
  return names[static_cast<int>(metric)];
}

const std::vector<Family>& families() { return kFamilies; }

Mapping no_operator(DataRow&) { return unmapped("no generator for this operator yet"); }
Mapping no_kernel(DataRow&) { return unmapped("no kernel: another part of the machine is measured here"); }

const Family* find_family(const std::string& name) {
  for (const Family& family : families()) {
    if (name == family.name) return &family;
  }
  return nullptr;
}

std::string board_of(const DataRow& row) {
  static const std::map<std::string, std::string> boards = {
      {"910b1", "card_910b1.yaml"}, {"a2", "card_910b1.yaml"},     {"910b2", "card_910b2.yaml"},
      {"910b3", "card_910b3.yaml"}, {"950pr", "card_950pr.yaml"},  {"950", "card_950pr.yaml"},  {"310p3", "card_310p3.yaml"},
  };
  const auto found = boards.find(row.chip);
  if (found == boards.end()) return "";
  // Its label or its core count tells the smaller 950PR.
  const bool few = row.cell("cores").rfind("28", 0) == 0 || row.cell("chip_label").find("28 cube") != std::string::npos;
  return row.chip == "950pr" && few ? "card_950pr_28core.yaml" : found->second;
}

Mapping unmapped(const std::string& reason) {
  Mapping mapping;
  mapping.reason = reason;
  return mapping;
}

Mapping map_row(DataRow& row) {
  if (!row.problem.empty()) return unmapped("line " + std::to_string(row.line) + ": " + row.problem);
  const Family* family = find_family(row.family);
  if (family == nullptr) return unmapped("no rule for family " + row.family);
  Mapping mapping = family->map(row);
  if (mapping.reason.empty() && board_of(row).empty()) return unmapped("no board for chip '" + row.chip + "'");
  if (!row.problem.empty()) return unmapped("line " + std::to_string(row.line) + ": " + row.problem);
  if (!mapping.reason.empty()) return mapping;
  if (mapping.job.board.empty()) mapping.job.board = board_of(row);
  const kernels::KernelGenerator* generator = kernels::find_generator(mapping.job.kernel);
  if (generator == nullptr) return unmapped("no generator " + mapping.job.kernel);
  std::vector<kernels::OptionProblem> problems;
  kernels::resolve_options(*generator, mapping.job.options, problems);
  if (!problems.empty()) return unmapped(mapping.job.kernel + '.' + problems[0].option + ": " + problems[0].message);
  if (mapping.measured <= 0) return unmapped(std::string("no published ") + name_of(mapping.metric) + " time");
  return mapping;
}

}  // namespace npulab::validate
