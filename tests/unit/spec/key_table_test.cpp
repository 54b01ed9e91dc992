// SPDX-License-Identifier: Apache-2.0
// configs/README.md lists every key with its unit: the table is held against the keys of the shipped files, each of which the
// reader asks for (it reports those that it does not), so a key can neither be forgotten nor outlive its reader.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "model/base/config_node.h"
#include "model/base/quantity.h"
#include "tests/unit/spec/shipped_configs.h"

namespace npulab {
namespace {

/// Dotted path with the names that a person chooses replaced by capitals.
std::string pattern_of(const std::string& path) {
  static const std::pair<std::regex, const char*> rules[] = {
      {std::regex("^socs\\.[^.]+\\."), "socs.NAME."},
      {std::regex("^(socs\\.NAME\\.)?groups\\.[^.]+\\."), "$1groups.NAME."},
      {std::regex("^(socs\\.NAME\\.)?cores\\.[^.]+\\."), "$1cores.KIND."},
      {std::regex("\\.buffers\\.[^.]+\\."), ".buffers.SPACE."},
      {std::regex("\\.queue_depth\\.[^.]+$"), ".queue_depth.PIPE"},
      {std::regex("\\.cycles_per_repeat\\.[^.]+\\."), ".cycles_per_repeat.CLASS."},
      {std::regex("\\.bars\\.[0-9]+\\."), ".bars.N."},
      {std::regex("^devices\\.[^.]+\\."), "devices.NAME."},
      {std::regex("^pcie\\.([^.]+\\.children\\.)*[^.]+\\."), "pcie.NODE."},
      {std::regex("\\.(mte2_l1|mte2_ub|mte3|fix_gm)\\."), ".MOVE."},
  };
  std::string text = path;
  for (const auto& [from, to] : rules) text = std::regex_replace(text, from, to);
  return text.rfind("socs.NAME.", 0) == 0 ? text.substr(10) : text;
}

using Keys = std::map<std::string, std::string>;  // pattern -> a value as written

void collect(const ConfigNode& node, const std::string& path, Keys& keys) {
  if (const ConfigNode* value = node.find("value")) keys[pattern_of(path)] = value->scalar;
  else if (node.kind == ConfigNode::Kind::scalar) keys[pattern_of(path)] = "";
  else {
    for (const ConfigNode::Entry& entry : node.entries) collect(entry.node, path.empty() ? entry.key : path + '.' + entry.key, keys);
    for (std::size_t i = 0; i < node.items.size(); ++i) collect(node.items[i], path + '.' + std::to_string(i), keys);
  }
}

Keys written_keys() {
  Keys keys = {{"devices.NAME.boot_failure", ""}};  // no shipped board fails
  for (const char* folder : {"board", "soc"}) {
    for (const std::string& file : test::shipped(folder)) {
      Problems problems;
      collect(read_config_file(file, problems), "", keys);
    }
  }
  return keys;
}

/// Rows "| `key` | unit | meaning |" of the page.
Keys documented_keys() {
  Keys keys;
  std::istringstream page(test::file_text(test::source_path("configs/README.md")));
  const std::regex row("^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\|$");
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, match, row)) continue;
    EXPECT_EQ(keys.count(match[1]), 0u) << "twice: " << match[1];
    EXPECT_GE(match[3].length(), 8) << "no meaning: " << match[1];
    keys[match[1]] = match[2];
  }
  return keys;
}

TEST(KeyTable, lists_every_key_and_no_other) {
  const Keys written = written_keys(), documented = documented_keys();
  EXPECT_GT(documented.size(), 100u);
  for (const auto& [key, value] : written) EXPECT_EQ(documented.count(key), 1u) << "not in configs/README.md: " << key;
  for (const auto& [key, unit] : documented) EXPECT_EQ(written.count(key), 1u) << "in configs/README.md, but no such key: " << key;
}

TEST(KeyTable, units_are_those_of_the_values) {
  const std::map<std::string, Unit> units = {{"count", Unit::count}, {"size", Unit::bytes}, {"cycles", Unit::millicycles}, {"B/cycle", Unit::byte_rate},
                                             {"element/cycle", Unit::element_rate}, {"frequency", Unit::frequency}, {"time", Unit::time},
                                             {"bandwidth", Unit::bandwidth}, {"permille", Unit::permille}};
  const Keys written = written_keys();
  for (const auto& [key, unit] : documented_keys()) {
    const auto value = written.find(key);
    if (value == written.end()) continue;
    const auto known = units.find(unit);
    if (value->second.empty()) {
      EXPECT_EQ(known, units.end()) << key << ": a text or choice, not a " << unit;
      continue;
    }
    ASSERT_NE(known, units.end()) << key << ": unknown unit " << unit;
    std::int64_t parsed = 0;
    std::string problem;
    EXPECT_TRUE(parse_quantity(value->second, known->second, parsed, problem)) << key << ": " << problem;
  }
}

}  // namespace
}  // namespace npulab
