// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/operators/model_folder.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "model/spec/board_spec.h"

namespace npulab::test {

namespace fs = std::filesystem;

std::string models_root() {
  const char* given = std::getenv("NPULAB_MODELS");
  return given != nullptr ? given : "/work/shared/models";
}

bool have_models() { return fs::exists(fs::path(models_root()) / "index.json"); }

std::vector<std::string> numbered_files(const std::string& folder, const std::string& what) {
  std::vector<std::string> files;
  for (int i = 0;; ++i) {
    const fs::path file = fs::path(folder) / (what + '_' + std::to_string(i) + ".pb");
    if (!fs::exists(file)) return files;
    files.push_back(file.string());
  }
}

std::vector<std::string> sample_folders(const std::string& model_folder) {
  std::vector<std::string> folders;
  for (int i = 0;; ++i) {
    const fs::path folder = fs::path(model_folder) / ("test_data_set_" + std::to_string(i));
    if (!fs::exists(folder)) return folders;
    folders.push_back(folder.string());
  }
}

std::int64_t largest_difference(const graph::Tensor& expected, const std::vector<std::uint8_t>& found) {
  graph::Tensor other = expected;
  other.data = found;
  std::int64_t most = 0;
  const auto count = static_cast<std::size_t>(graph::element_count(expected.shape));
  if (found.size() < count * static_cast<std::size_t>(graph::size_of(expected.type))) return INT64_MAX;
  for (std::size_t i = 0; i < count; ++i) {
    if (expected.type == graph::ElementType::fp32) {
      const double scale = std::max(std::fabs(static_cast<double>(expected.real(i))), 1e-30);
      const double difference = std::fabs(static_cast<double>(other.real(i)) - static_cast<double>(expected.real(i))) / scale;
      if (std::isnan(difference)) return INT64_MAX;
      most = std::max(most, static_cast<std::int64_t>(std::min(difference * 1e6, 1e12)));
    } else {
      most = std::max<std::int64_t>(most, std::llabs(other.integer(i) - expected.integer(i)));
    }
  }
  return most;
}

SocSpec chip_of(const std::string& board) {
  return load_board(std::string(NPULAB_SOURCE_DIR) + "/configs/board/card_" + board + ".yaml", {}).socs.front();
}

}  // namespace npulab::test
