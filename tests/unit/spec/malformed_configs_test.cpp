// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/spec/config_check.h"
#include "tests/unit/base/config_text.h"
#include "tests/unit/spec/shipped_configs.h"

namespace npulab {
namespace {

using Json = nlohmann::json;

/// The file that a row describes.
std::string contents(const Json& row) {
  if (row.contains("text")) return row["text"];
  const bool board = row["base"] == "board";
  std::string text = test::file_text(test::source_path(board ? "configs/board/card_910b1.yaml" : "configs/soc/ascend910b1.yaml"));
  for (const auto& edit : row.value("edits", Json::array())) {
    const std::string from = edit[0], to = edit[1];
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return "the table is out of date: no " + from;
    if (to == "CUT") return text.substr(0, at + from.size());
    text.replace(at, from.size(), to);
  }
  text += row.value("append", "");
  const std::string relative = "extends: ../soc/";
  const std::size_t extends = text.find(relative);
  if (extends != std::string::npos) text.replace(extends, relative.size(), "extends: " + test::source_path("configs/soc/"));
  return text;
}

std::string line_of(const std::string& text, int number) {
  std::istringstream stream(text);
  std::string line;
  for (int i = 0; i < number; ++i) std::getline(stream, line);
  return number > 0 ? line : "";
}

void check_row(const Json& row) {
  const test::ConfigFolder folder;
  const std::string text = contents(row);
  const std::vector<Diagnostic> found = check_config_file(folder.write("t.yaml", text));
  bool first = true;
  for (const std::string expected : row["expect"]) {
    const auto at = std::find_if(found.begin(), found.end(), [&](const Diagnostic& d) { return to_string(d).find(expected) != std::string::npos; });
    EXPECT_NE(at, found.end()) << row["name"] << ": no '" << expected << "' in\n" << test::joined(found);
    if (at == found.end() || !first || !row.contains("at")) continue;
    EXPECT_NE(line_of(text, at->line).find(row["at"].get<std::string>()), std::string::npos)
        << row["name"] << ": points at line " << at->line << ": " << line_of(text, at->line);
    first = false;
  }
}

Json table() { return Json::parse(test::file_text(test::source_path("tests/unit/spec/malformed_configs.json")))["cases"]; }

TEST(MalformedConfigs, each_says_what_was_expected_where) {
  const Json rows = table();
  EXPECT_GE(rows.size(), 40u);
  for (const Json& row : rows) check_row(row);
}

TEST(MalformedConfigs, one_mistake_brings_no_crowd_of_others) {
  for (const Json& row : table()) {
    if (row["base"] == "none") continue;
    const test::ConfigFolder folder;
    const std::vector<Diagnostic> found = check_config_file(folder.write("t.yaml", contents(row)));
    EXPECT_LE(found.size(), row["expect"].size() + 2) << row["name"] << ":\n" << test::joined(found);
  }
}

/// Every prefix and many single-byte changes of a real file end in problems or in a board, never in anything else.
TEST(MalformedConfigs, cut_and_scratched_files_are_survived) {
  const test::ConfigFolder folder;
  const std::string whole = contents(Json{{"base", "board"}});
  std::uint32_t random = 12345;
  for (int i = 0; i < 300; ++i) {
    random = random * 1664525u + 1013904223u;
    std::string text = i < 100 ? whole.substr(0, whole.size() * static_cast<std::size_t>(i) / 100) : whole;
    if (i >= 100) text[random % text.size()] = static_cast<char>(random >> 24);
    const std::vector<Diagnostic> found = check_config_file(folder.write("t.yaml", text));
    EXPECT_TRUE(i >= 100 || !found.empty()) << "cut at " << text.size();
    for (const Diagnostic& problem : found) EXPECT_NE(problem.message.find("expected"), std::string::npos) << to_string(problem);
  }
}

}  // namespace
}  // namespace npulab
