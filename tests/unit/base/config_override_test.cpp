// SPDX-License-Identifier: Apache-2.0
// --set: which paths reach what, and what is said about those that reach nothing.
#include "model/base/config_reader.h"
#include "tests/unit/base/config_text.h"

namespace npulab {
namespace {

using test::ConfigFolder;
using test::joined;

constexpr const char* kText =
    "name: card\n"
    "memory:\n"
    "  capacity: {value: 1 GiB, evidence: documented, source: page}\n"
    "  ways: 16\n"
    "chips:\n"
    "  a: {clock: 1 GHz, cores: {fast: 1}}\n"
    "  b: {clock: 2 GHz}\n"
    "bars:\n"
    "  - {size: 1 B}\n"
    "  - {size: 2 B}\n"
    "nothing:\n";

struct Tree {
  Tree() { root = read_config_file(folder.write("t.yaml", kText), problems); }
  const ConfigNode* at(const std::vector<const char*>& keys) const {
    const ConfigNode* node = &root;
    for (const char* key : keys) node = node == nullptr ? nullptr : node->find(key);
    return node;
  }
  ConfigFolder folder;
  Problems problems;
  ConfigNode root;
};

TEST(ConfigOverride, reaches_values_quantities_entries_and_all) {
  Tree tree;
  apply_override(tree.root, "name", "other=1", tree.problems);
  apply_override(tree.root, "memory.capacity", "2 GiB", tree.problems);
  apply_override(tree.root, "chips.*.clock", "3 GHz", tree.problems);
  apply_override(tree.root, "bars.1.size", "4 B", tree.problems);
  apply_override(tree.root, "nothing", "some", tree.problems);
  apply_override(tree.root, "chips.*.cores.fast", "5", tree.problems);
  EXPECT_EQ(joined(tree.problems), "");
  EXPECT_EQ(tree.at({"name"})->scalar, "other=1");
  EXPECT_EQ(tree.at({"memory", "capacity", "value"})->scalar, "2 GiB");
  EXPECT_TRUE(tree.at({"memory", "capacity"})->overridden);
  EXPECT_EQ(tree.at({"chips", "a", "clock"})->scalar, "3 GHz");
  EXPECT_EQ(tree.at({"chips", "b", "clock"})->scalar, "3 GHz");
  EXPECT_EQ(tree.at({"bars"})->items.at(1).find("size")->scalar, "4 B");
  EXPECT_EQ(tree.at({"bars"})->items.at(0).find("size")->scalar, "1 B");
  EXPECT_EQ(tree.at({"nothing"})->scalar, "some");
  EXPECT_EQ(tree.at({"chips", "a", "cores", "fast"})->scalar, "5");
  EXPECT_EQ(tree.at({"chips", "b", "cores"}), nullptr) << "a wildcard sets what is there and adds nothing elsewhere";
  EXPECT_FALSE(tree.at({"memory", "ways"})->overridden);
}

TEST(ConfigOverride, paths_that_lead_nowhere_are_problems_with_a_hint) {
  const std::pair<const char*, const char*> rows[] = {
      {"memroy.ways", "--set: memroy.ways: expected a configured path, found no 'memroy' there, did you mean 'memory'?"},
      {"memory.ways.more", "found no 'more' there"},
      {"memory.capacity.value", "expected nothing below a quantity, found 'value'"},
      {"memory", "expected the path of a single value, found a group of 2"},
      {"bars", "expected the path of a single value"},
      {"bars.7.size", "found no '7' there"},
      {"memory..ways", "found no '' there"},
      {"memory.", "found no '' there"},
      {"chips.*.clok.x", "found no 'clok' there, did you mean 'clock'?"},
      {"", "found no '' there"},
  };
  for (const auto& [path, expected] : rows) {
    Tree tree;
    apply_override(tree.root, path, "1", tree.problems);
    EXPECT_NE(joined(tree.problems).find(expected), std::string::npos) << path << ": " << joined(tree.problems);
  }
}

TEST(ConfigOverride, a_missing_last_key_is_left_to_the_reader) {
  Tree tree;
  apply_override(tree.root, "memory.sectors", "4", tree.problems);
  apply_override(tree.root, "memory.wayz", "4", tree.problems);
  ASSERT_EQ(joined(tree.problems), "");
  ConfigContext context{tree.problems, nullptr, true};
  ConfigReader reader(*tree.root.find("memory"), "memory", context);
  reader.quantity("capacity", Unit::bytes);
  EXPECT_EQ(reader.quantity_or("sectors", Unit::count, 1), 4);
  reader.text("ways");
  reader.finish();
  EXPECT_EQ(joined(tree.problems), "--set: memory.wayz: expected no such key here, did you mean 'ways'?\n");
}

TEST(ConfigOverride, what_it_sets_is_marked_overridden_and_blamed_on_the_command_line) {
  Tree tree;
  apply_override(tree.root, "memory.capacity", "2 GiB", tree.problems);
  apply_override(tree.root, "memory.ways", "lots", tree.problems);
  std::string seen;
  ConfigContext context{tree.problems, nullptr, true};
  context.sink = [&](const std::string& path, const std::string& value, const std::string& evidence, const std::string&, const ConfigNode&) {
    seen += path + ' ' + value + ' ' + evidence + ';';
  };
  ConfigReader reader(*tree.root.find("memory"), "memory", context);
  EXPECT_EQ(reader.quantity("capacity", Unit::bytes), std::int64_t{2} << 30);
  reader.quantity("ways", Unit::count);
  EXPECT_EQ(seen, "memory.capacity 2 GiB overridden;");
  EXPECT_EQ(joined(tree.problems), "--set: memory.ways: expected a whole number such as 24, found 'lots'\n");
}

}  // namespace
}  // namespace npulab
