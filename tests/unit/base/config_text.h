// SPDX-License-Identifier: Apache-2.0
// Small configuration files in a folder that goes away with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/base/config_node.h"

namespace npulab::test {

class ConfigFolder {
 public:
  ConfigFolder() : folder_(std::filesystem::temp_directory_path() / ("npulab_config_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ConfigFolder() { std::filesystem::remove_all(folder_); }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

/// All problems, one a line, with the folder cut off.
inline std::string joined(const Problems& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    Diagnostic shown = problem;
    if (shown.file.find('/') != std::string::npos) shown.file = std::filesystem::path(shown.file).filename().string();
    text += to_string(shown) + '\n';
  }
  return text;
}

}  // namespace npulab::test
