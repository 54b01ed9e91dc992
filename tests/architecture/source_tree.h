// SPDX-License-Identifier: Apache-2.0
// The project's source files as text, and the rules of its architecture as functions that return breaches.
#pragma once

#include <string>
#include <vector>

namespace npulab::architecture {

struct SourceFile {
  std::string path;  // from the repository root, with forward slashes
  std::string text;
};

/// Every file git would track below `root` in the code folders, build folders left out, sorted by path.
std::vector<SourceFile> read_tree(const std::string& root);

std::vector<std::string> forbidden_includes(const std::vector<SourceFile>& files);
std::vector<std::string> misplaced_libraries(const std::vector<SourceFile>& files);
std::vector<std::string> overlong_files(const std::vector<SourceFile>& files);
std::vector<std::string> missing_licences(const std::vector<SourceFile>& files);
std::vector<std::string> folders_without_readme(const std::vector<SourceFile>& files);
std::vector<std::string> numbered_names(const std::vector<SourceFile>& files);

}  // namespace npulab::architecture
