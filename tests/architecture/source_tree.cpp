// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace npulab::architecture {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kCodeFolders = {"model", "memory", "cores", "pcie", "firmware", "workloads", "app", "tests"};
constexpr int kMaxLines = 400;

/// Layer of a file (the longest matching prefix) -> layers it may include besides itself.
const std::map<std::string, std::vector<std::string>> kMayInclude = {
    {"model/base", {}},
    {"model/isa", {"model/base", "model/spec"}},  // spec uses isa's enums; the checker needs a core's sizes
    {"model/spec", {"model/base", "model/isa"}},
    {"model/numerics", {"model/base"}},
    {"model/trace", {"model/base", "model/isa"}},
    {"model/timing", {"model/base", "model/isa", "model/spec"}},
    {"model/task", {"model/base", "model/isa", "model/spec"}},
    {"model/contract", {"model/base", "model/isa", "model/spec", "model/numerics", "model/trace", "model/timing", "model/task"}},
    {"memory", {"model"}},
    {"cores/units", {"model", "memory/on_chip"}},
    {"cores/flags", {"model"}},
    {"cores/scoreboard", {"model", "memory/on_chip", "cores/units"}},
    {"cores/process", {"model", "memory/on_chip", "cores/units"}},
    {"pcie", {"model"}},
    {"firmware", {"model"}},
    {"workloads", {"model"}},
    {"app", {"model", "memory", "cores", "pcie", "firmware", "workloads"}},
    {"tests", {"model", "memory", "cores", "pcie", "firmware", "workloads", "app"}},
};

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }
bool below(const std::string& path, const std::string& folder) { return starts_with(path, folder + "/"); }

bool is_source(const std::string& path) {
  return std::regex_search(path, std::regex(R"(\.(h|cpp)$)"));
}

std::string layer_of(const std::string& path) {
  std::string best;
  for (const auto& [layer, allowed] : kMayInclude) {
    if (below(path, layer) && layer.size() > best.size()) best = layer;
  }
  return best;
}

/// Calls `report(line number, included path, quoted)` for each include of a file.
template <typename Report>
void each_include(const SourceFile& file, Report report) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::istringstream lines(file.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, include)) report(number, match[2].str(), match[1] == "\"");
  }
}

std::string place(const SourceFile& file, int line) { return file.path + ':' + std::to_string(line) + ": "; }

}  // namespace

std::vector<SourceFile> read_tree(const std::string& root) {
  std::vector<SourceFile> files;
  for (const std::string& folder : kCodeFolders) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (!is_source(path) && !std::regex_search(path, std::regex(R"((CMakeLists\.txt|README\.md|\.py|\.sh)$)"))) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      files.push_back({path, {std::istreambuf_iterator<char>(in), {}}});
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> forbidden_includes(const std::vector<SourceFile>& files) {
  std::vector<std::string> breaches;
  for (const SourceFile& file : files) {
    const std::string layer = layer_of(file.path);
    if (layer.empty() || !is_source(file.path)) continue;
    each_include(file, [&](int line, const std::string& target, bool quoted) {
      if (!quoted) return;
      const std::string to = layer_of(target);
      const auto& allowed = kMayInclude.at(layer);
      const bool fine = to == layer || std::any_of(allowed.begin(), allowed.end(), [&](const std::string& folder) {
                          return to == folder || below(target, folder);
                        });
      if (to.empty()) breaches.push_back(place(file, line) + "\"" + target + "\" is not a path from the root");
      else if (!fine) breaches.push_back(place(file, line) + layer + " must not include " + target);
    });
  }
  return breaches;
}

std::vector<std::string> misplaced_libraries(const std::vector<SourceFile>& files) {
  struct Rule { std::regex library, allowed; std::string name; };
  static const std::vector<Rule> rules = {
      {std::regex("^(systemc|tlm)"), std::regex("(_module\\.(h|cpp)$|^cores/process/|^app/machine/|^tests/)"), "SystemC"},
      {std::regex("^yaml-cpp/"), std::regex("(^model/base/config_|^workloads/loader/|^tests/)"), "yaml-cpp"},
      {std::regex("^boost/program_options"), std::regex("^app/"), "Program_options"},
      {std::regex("^(onnx/|google/protobuf)"), std::regex("(^workloads/graph/|^tests/)"), "ONNX"},
  };
  std::vector<std::string> breaches;
  for (const SourceFile& file : files) {
    each_include(file, [&](int line, const std::string& target, bool) {
      for (const Rule& rule : rules) {
        if (std::regex_search(target, rule.library) && !std::regex_search(file.path, rule.allowed)) {
          breaches.push_back(place(file, line) + rule.name + " does not belong here");
        }
      }
    });
  }
  return breaches;
}

std::vector<std::string> overlong_files(const std::vector<SourceFile>& files) {
  std::vector<std::string> breaches;
  for (const SourceFile& file : files) {
    const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
    if (is_source(file.path) && lines > kMaxLines) breaches.push_back(file.path + ": " + std::to_string(lines) + " lines");
  }
  return breaches;
}

std::vector<std::string> missing_licences(const std::vector<SourceFile>& files) {
  std::vector<std::string> breaches;
  for (const SourceFile& file : files) {
    if (file.path.size() > 3 && file.path.substr(file.path.size() - 3) == ".md") continue;
    if (file.text.substr(0, 200).find("SPDX-License-Identifier: Apache-2.0") == std::string::npos) breaches.push_back(file.path);
  }
  return breaches;
}

std::vector<std::string> folders_without_readme(const std::vector<SourceFile>& files) {
  std::set<std::string> code, readme;
  for (const SourceFile& file : files) {
    const std::string folder = fs::path(file.path).parent_path().generic_string();
    if (is_source(file.path)) code.insert(folder);
    if (fs::path(file.path).filename() == "README.md") readme.insert(folder);
  }
  std::vector<std::string> breaches;
  for (const std::string& folder : code) {
    // The test folders of one layer share the page of that layer.
    const bool explained = readme.count(folder) > 0 ||
                           (below(folder, "tests") && readme.count(fs::path(folder).parent_path().generic_string()) > 0);
    if (!explained) breaches.push_back(folder);
  }
  return breaches;
}

std::vector<std::string> numbered_names(const std::vector<SourceFile>& files) {
  static const std::regex bad(R"((^|[/_])(v[0-9]+|new|old|util|utils|misc|manager2)([_.]|$))");
  std::vector<std::string> breaches;
  for (const SourceFile& file : files) {
    if (std::regex_search(file.path, bad)) breaches.push_back(file.path);
  }
  return breaches;
}

}  // namespace npulab::architecture
