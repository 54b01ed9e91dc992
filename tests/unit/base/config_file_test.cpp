// SPDX-License-Identifier: Apache-2.0
// Files as trees: positions, `extends`, and every kind of file that is no configuration.
#include "tests/unit/base/config_text.h"

namespace npulab {
namespace {

using test::ConfigFolder;
using test::joined;

TEST(ConfigFile, values_remember_where_their_key_stands) {
  const ConfigFolder folder;
  Problems problems;
  const ConfigNode root = read_config_file(folder.write("a.yaml", "one: 1\ntwo:\n  three: [x, y]\n  four: \"5\"\nfive:\n"), problems);
  ASSERT_EQ(joined(problems), "");
  const ConfigNode& three = *root.find("two")->find("three");
  EXPECT_EQ(three.line, 3);
  EXPECT_EQ(three.column, 3);
  EXPECT_EQ(three.kind, ConfigNode::Kind::list);
  EXPECT_EQ(three.items.at(1).scalar, "y");
  EXPECT_EQ(root.find("two")->find("four")->scalar, "5");
  EXPECT_EQ(root.find("five")->kind, ConfigNode::Kind::null);
  EXPECT_EQ(root.find("six"), nullptr);
}

TEST(ConfigFile, extending_merges_key_by_key_and_keeps_positions) {
  const ConfigFolder folder;
  folder.write("base.yaml", "a: 1\nb: 2\ngroup:\n  x: {value: 1 B, evidence: assumed, source: s}\n  y: 2\nlist: [1, 2]\n");
  const std::string file = folder.write("top.yaml", "extends: base.yaml\nb: 3\ngroup:\n  x: 7 B\n  z: 4\nlist: [9]\n");
  Problems problems;
  const ConfigNode root = read_config_file(file, problems);
  ASSERT_EQ(joined(problems), "");
  EXPECT_EQ(root.find("extends"), nullptr);
  EXPECT_EQ(root.find("a")->scalar, "1");
  EXPECT_EQ(root.find("a")->file, folder.path("base.yaml"));
  EXPECT_EQ(root.find("a")->line, 1);
  EXPECT_EQ(root.find("b")->scalar, "3");
  EXPECT_EQ(root.find("b")->file, file);
  EXPECT_EQ(root.find("b")->line, 2);
  EXPECT_EQ(root.find("group")->find("x")->scalar, "7 B");
  EXPECT_EQ(root.find("group")->find("x")->find("evidence"), nullptr);
  EXPECT_EQ(root.find("group")->find("y")->scalar, "2");
  EXPECT_EQ(root.find("group")->find("z")->scalar, "4");
  EXPECT_EQ(root.find("list")->items.size(), 1u);
}

TEST(ConfigFile, a_quantity_is_replaced_whole) {
  const ConfigFolder folder;
  folder.write("base.yaml", "x: {value: 1 B, evidence: measured, source: board}\n");
  Problems problems;
  const ConfigNode root = read_config_file(folder.write("top.yaml", "extends: base.yaml\nx: {value: 2 B, evidence: assumed}\n"), problems);
  EXPECT_EQ(root.find("x")->find("value")->scalar, "2 B");
  EXPECT_EQ(root.find("x")->find("source"), nullptr) << "a source of another number must not be inherited";
}

TEST(ConfigFile, any_map_may_extend_and_chains_work) {
  const ConfigFolder folder;
  folder.write("deep.yaml", "p: 1\nq: 1\nr: 1\n");
  folder.write("middle.yaml", "extends: deep.yaml\nq: 2\nr: 2\n");
  Problems problems;
  const ConfigNode root = read_config_file(folder.write("top.yaml", "list:\n  - extends: middle.yaml\n    r: 3\n"), problems);
  ASSERT_EQ(joined(problems), "");
  const ConfigNode& item = root.find("list")->items.at(0);
  EXPECT_EQ(item.find("p")->scalar + item.find("q")->scalar + item.find("r")->scalar, "123");
}

struct Row {
  const char* name;
  std::string text;
  const char* expected;  // fragment of the problems, one a line
};

/// Each list holds the last one ten times: 10^12 entries when written out.
std::string alias_bomb() {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  return bomb;
}

std::vector<Row> broken_files() {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  std::string keys;
  for (int i = 0; i < 5000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  return {
      {"empty", "", "t.yaml:1:1: expected keys and values, found an empty file"},
      {"comments only", "# nothing\n\n", "found an empty file"},
      {"null", "~\n", "found an empty file"},
      {"a list", "- 1\n- 2\n", "expected keys and values, found something else"},
      {"a word", "hello\n", "expected keys and values, found something else"},
      {"binary", std::string("\x7f" "ELF\0\0", 6), "expected text, found binary data"},
      {"too large", std::string((16 << 20) + 1, '#'), "expected at most 16 MiB"},
      {"broken bracket", "a: [1, 2\nb: 3\n", "t.yaml:2:"},
      {"broken indentation", "a:\n  b: 1\n c: 2\n", "expected YAML, found a mistake"},
      {"a tab", "a:\n\tb: 1\n", "expected YAML, found a mistake"},
      {"open quote", "a: \"x\nb: 1\n", "expected YAML, found a mistake"},
      {"open quote at the end", "a: 1\nb: \"x\n", "expected YAML, found a mistake"},
      {"open single quote", "a: 'x", "expected YAML, found a mistake"},
      {"unknown alias", "a: *nowhere\n", "expected YAML, found a mistake"},
      {"two documents", "a: 1\n---\nb: 2\n", "expected one YAML document, found a second"},
      {"duplicate", "a: 1\nb: 2\na: 3\n", "t.yaml:3:1: a: expected each key once, found it again (first in line 1)"},
      {"duplicate below", "g:\n  a: 1\n  a: 3\n", "t.yaml:3:3: a: expected each key once"},
      {"duplicates all reported", "a: 1\na: 2\nb: 1\nb: 2\n", "t.yaml:4:1: b: expected each key once"},
      {"map as key", "{a: 1}: 2\n", "expected a name as key, found a list or map"},
      {"list as key", "? [1, 2]\n: 2\n", "expected a name as key, found a list or map"},
      {"no key", "~: 2\n", "expected a name as key, found none"},
      {"never closed", "a: " + std::string(1000, '['), "expected"},
      {"deep", "a: " + deep, "expected at most 64 levels"},
      {"alias bomb", alias_bomb(), "expected at most 500000 entries"},
      {"alias of itself", "a: &a [1, *a]\n", "expected an alias of something complete"},
      {"too many keys", keys, "expected at most 4096 keys in one group"},
      {"extends a list", "extends: [a.yaml]\n", "t.yaml:1:1: extends: expected a file name"},
      {"extends nothing", "a: 1\nextends: nowhere.yaml\n", "nowhere.yaml: expected a file, found nothing there (named by extends in "},
      {"extends itself", "extends: t.yaml\n", "t.yaml:1:1: extends: expected no cycle, found "},
      {"extends itself from below", "a:\n  b:\n    extends: ./t.yaml\n", "t.yaml:3:5: extends: expected no cycle"},
  };
}

TEST(ConfigFile, what_is_no_configuration_is_refused_with_its_place) {
  for (const Row& row : broken_files()) {
    const ConfigFolder folder;
    Problems problems;
    read_config_file(folder.write("t.yaml", row.text), problems);
    EXPECT_NE(joined(problems).find(row.expected), std::string::npos) << row.name << ": " << joined(problems).substr(0, 500);
  }
}

TEST(ConfigFile, ends_of_files_that_are_fine) {
  for (const char* text : {"a: 1", "a: 1\n", "a: 1\n...\n", "---\na: 1\n...\n", "a: |\n  two\n  lines\n", "a: {b: 1}", "a: 1\r\n", "\xEF\xBB\xBF" "a: 1\n"}) {
    const ConfigFolder folder;
    Problems problems;
    const ConfigNode root = read_config_file(folder.write("t.yaml", text), problems);
    EXPECT_EQ(joined(problems), "") << text;
    EXPECT_NE(root.find("a"), nullptr) << text;
  }
}

TEST(ConfigFile, folders_and_missing_files_are_refused) {
  const ConfigFolder folder;
  Problems problems;
  read_config_file(folder.path(""), problems);
  read_config_file(folder.path("none.yaml"), problems);
  read_config_file("/dev/zero", problems);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].message, "expected a file, found a folder or device");
  EXPECT_EQ(problems[1].message, "expected a file, found nothing there");
  EXPECT_EQ(problems[2].message, "expected a file, found a folder or device");
}

TEST(ConfigFile, a_cycle_names_its_chain) {
  const ConfigFolder folder;
  folder.write("a.yaml", "extends: b.yaml\n");
  folder.write("b.yaml", "extends: c.yaml\n");
  folder.write("c.yaml", "x: 1\nextends: a.yaml\n");
  Problems problems;
  read_config_file(folder.path("a.yaml"), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, folder.path("c.yaml"));
  EXPECT_EQ(problems[0].line, 2);
  EXPECT_EQ(problems[0].message, "expected no cycle, found " + folder.path("a.yaml") + " -> " + folder.path("b.yaml") + " -> " +
                                     folder.path("c.yaml") + " -> " + folder.path("a.yaml"));
}

TEST(ConfigFile, extending_fans_out_no_further_than_its_limit) {
  const ConfigFolder folder;
  std::string list = "list:\n";
  for (int i = 0; i < 10; ++i) list += "  - {extends: NEXT}\n";
  for (int i = 0; i < 8; ++i) {
    std::string text = list;
    const std::string next = i == 7 ? "end.yaml" : "f" + std::to_string(i + 1) + ".yaml";
    for (std::size_t at = 0; (at = text.find("NEXT", at)) != std::string::npos;) text.replace(at, 4, next);
    folder.write("f" + std::to_string(i) + ".yaml", text);
  }
  folder.write("end.yaml", "x: 1\n");
  Problems problems;
  read_config_file(folder.path("f0.yaml"), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "expected at most 200 files, found more");
}

TEST(ConfigFile, aliases_are_copies) {
  const ConfigFolder folder;
  Problems problems;
  const ConfigNode root = read_config_file(folder.write("a.yaml", "a: &one {x: 1, y: [2, 3]}\nb: *one\nc: &word hello\nd: *word\n"), problems);
  ASSERT_EQ(joined(problems), "");
  EXPECT_EQ(root.find("b")->find("y")->items.at(1).scalar, "3");
  EXPECT_EQ(root.find("d")->scalar, "hello");
  EXPECT_EQ(root.find("b")->line, 2);
}

}  // namespace
}  // namespace npulab
