// SPDX-License-Identifier: Apache-2.0
// The files below configs/ of the source tree.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace npulab::test {

inline std::string source_path(const std::string& relative) { return std::string(NPULAB_SOURCE_DIR) + '/' + relative; }

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Files of a folder below configs/ that stand for themselves, in order of name; base_* files only serve others.
inline std::vector<std::string> shipped(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("configs/" + folder))) {
    if (entry.path().filename().string().rfind("base_", 0) != 0) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace npulab::test
