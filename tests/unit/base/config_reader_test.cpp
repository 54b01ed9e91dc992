// SPDX-License-Identifier: Apache-2.0
// Typed reading: every mistake is collected, none thrown, each said at the place where it was written.
#include "model/base/config_reader.h"

#include <functional>

#include "tests/unit/base/config_text.h"

namespace npulab {
namespace {

using test::ConfigFolder;
using test::joined;

/// Reads `text` with `read` and gives back the problems.
std::string problems_of(const std::string& text, const std::function<void(ConfigReader&)>& read, bool evidence = false) {
  const ConfigFolder folder;
  Problems problems;
  const ConfigNode root = read_config_file(folder.write("t.yaml", text), problems);
  ConfigContext context{problems, nullptr, evidence};
  ConfigReader reader(root, "", context);
  read(reader);
  reader.finish();
  return joined(problems);
}

struct Row {
  const char* text;
  std::function<void(ConfigReader&)> read;
  const char* expected;  // all problems, to the letter
};

const std::vector<Row>& rows() {
  using R = ConfigReader;
  static const std::vector<Row> table = {
      {"a: 1\n", [](R& r) { r.quantity("a", Unit::count); }, ""},
      {"a: 1\n", [](R& r) { r.quantity("a", Unit::count); r.text("b"); }, "t.yaml:1:1: b: expected this key, found nothing\n"},
      {"a: 1\nb: 2\n", [](R& r) { r.text("a"); }, "t.yaml:2:1: b: expected no such key here\n"},
      {"size: 1\nsizes: 2\n", [](R& r) { r.text("size"); }, "t.yaml:2:1: sizes: expected no such key here, did you mean 'size'?\n"},
      {"a: [1]\n", [](R& r) { r.text("a"); }, "t.yaml:1:1: a: expected a value, found a list\n"},
      {"a: {x: 1}\n", [](R& r) { r.text("a"); }, "t.yaml:1:1: a: expected a value, found a group of keys\n"},
      {"a:\n", [](R& r) { r.text("a"); }, "t.yaml:1:1: a: expected a value, found nothing\n"},
      {"a: 1\n", [](R& r) { r.map("a"); }, "t.yaml:1:1: a: expected a group of keys, found a value\n"},
      {"g:\n  x: 1\n", [](R& r) { R g = r.map("g"); g.text("y"); g.finish(); },
       "t.yaml:1:1: g.y: expected this key, found nothing\nt.yaml:2:3: g.x: expected no such key here\n"},
      {"a: 1\n", [](R& r) { r.text("a"); R g = r.map("g"); g.text("x"); g.quantity("y", Unit::time); g.map("z").text("w"); g.finish(); },
       "t.yaml:1:1: g: expected this key, found nothing\n"},
      {"a: 1\n", [](R& r) { r.list("a"); }, "t.yaml:1:1: a: expected a list, found a value\n"},
      {"a: [1, {x: 2}]\n", [](R& r) { auto items = r.list("a"); items.at(0).text("x"); },
       "t.yaml:1:1: a: expected groups of keys in the list, found a value as entry 0\n"},
      {"a: [{x: 1}, {y: 2}]\n", [](R& r) { auto items = r.list("a"); items[1].text("x"); items[1].finish(); },
       "t.yaml:1:13: a.1.x: expected this key, found nothing\nt.yaml:1:14: a.1.y: expected no such key here\n"},
      {"a: [x, [y]]\n", [](R& r) { r.texts("a"); }, "t.yaml:1:1: a: expected a value, found a list\n"},
      {"a: yes\n", [](R& r) { r.flag("a", false); }, "t.yaml:1:1: a: expected true or false, found 'yes'\n"},
      {"a: onxn\n", [](R& r) { r.choice("a", {"onnx", "arch2201"}); },
       "t.yaml:1:1: a: expected one of onnx, arch2201, found 'onxn', did you mean 'onnx'?\n"},
      {"b: 1\n", [](R& r) { r.text("b"); r.choice("a", {"x", "y"}); }, "t.yaml:1:1: a: expected this key, found nothing\n"},
      {"a: 0\n", [](R& r) { r.quantity("a", Unit::count); }, "t.yaml:1:1: a: expected at least 1, found '0' (too small)\n"},
      {"a: -4 KiB\n", [](R& r) { r.quantity("a", Unit::bytes); }, "t.yaml:1:1: a: expected at least 1 B, found '-4 KiB' (too small)\n"},
      {"a: 64 B\n", [](R& r) { r.quantity("a", Unit::bytes, 128, 4096); }, "t.yaml:1:1: a: expected at least 128 B, found '64 B' (too small)\n"},
      {"a: 8 KiB\n", [](R& r) { r.quantity("a", Unit::bytes, 128, 4096); }, "t.yaml:1:1: a: expected at most 4 KiB, found '8 KiB' (too large)\n"},
      {"a: 4097 B\n", [](R& r) { r.quantity("a", Unit::bytes, 128, 4096); }, "t.yaml:1:1: a: expected at most 4 KiB, found '4097 B' (too large)\n"},
      {"a: 4 KiB\nb: 128 B\n", [](R& r) { r.quantity("a", Unit::bytes, 128, 4096); r.quantity("b", Unit::bytes, 128, 4096); }, ""},
      {"a: 1000001 s\n", [](R& r) { r.quantity("a", Unit::time); }, "t.yaml:1:1: a: expected at most 1000000 s, found '1000001 s' (too large)\n"},
      {"a: 3 MHz\n", [](R& r) { r.quantity_or("a", Unit::bytes, 1); }, "t.yaml:1:1: a: expected a size such as 512 KiB, found '3 MHz'\n"},
      {"a: .inf\n", [](R& r) { r.quantity("a", Unit::byte_rate); }, "t.yaml:1:1: a: expected a rate such as '28.4 B/cycle', found '.inf'\n"},
      {"a: x\nb: y\nc: z\n", [](R& r) { r.quantity("a", Unit::count); r.flag("b", true); },
       "t.yaml:1:1: a: expected a whole number such as 24, found 'x'\nt.yaml:2:1: b: expected true or false, found 'y'\n"
       "t.yaml:3:1: c: expected no such key here\n"},
  };
  return table;
}

TEST(ConfigReader, mistakes_are_all_collected_at_their_place) {
  for (const Row& row : rows()) EXPECT_EQ(problems_of(row.text, row.read), row.expected) << row.text;
}

TEST(ConfigReader, evidence_is_asked_for) {
  const auto read = [](ConfigReader& r) { r.quantity("a", Unit::count); };
  const std::pair<const char*, const char*> table[] = {
      {"a: {value: 1, evidence: measured, source: page}\n", ""},
      {"a: 1\n", "t.yaml:1:1: a: expected {value, evidence, source}, found a bare value\n"},
      {"a: {value: 1, source: page}\n", "t.yaml:1:1: a.evidence: expected this key, found nothing\n"},
      {"a: {value: 1, evidence: measured}\n", "t.yaml:1:1: a.source: expected this key, found nothing\n"},
      {"a: {value: 1, evidence: mesured, source: p}\n",
       "t.yaml:1:15: a.evidence: expected measured, documented, derived or assumed, found 'mesured', did you mean 'measured'?\n"},
      {"a: {value: 1, evidence: overridden, source: p}\n",
       "t.yaml:1:15: a.evidence: expected measured, documented, derived or assumed, found 'overridden'\n"},
      {"a: {value: 1, evidence: \"\", source: p}\n", "t.yaml:1:15: a.evidence: expected measured, documented, derived or assumed, found ''\n"},
      {"a: {value: 1, evidence: derived, source: \" \"}\n", "t.yaml:1:34: a.source: expected the name of a source, found an empty text\n"},
      {"a: {evidence: derived, source: p}\n", "t.yaml:1:1: a.value: expected this key, found nothing\n"},
      {"a: {value: [1], evidence: derived, source: p}\n", "t.yaml:1:5: a.value: expected a value, found a list\n"},
      {"a: {value: 1, evidence: derived, source: p, note: x}\n", "t.yaml:1:45: a.note: expected no such key here\n"},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(problems_of(text, read, true), expected) << text;
}

TEST(ConfigReader, values_fallbacks_and_the_sink) {
  const ConfigFolder folder;
  Problems problems;
  const ConfigNode root = read_config_file(
      folder.write("t.yaml", "a: {value: 2 KiB, evidence: derived, source: page 3}\nf: true\nc: y\nt: text\nl: [p, q]\ng: {x: 1}\nm: [{v: 7}]\n"), problems);
  std::string seen;
  ConfigContext context{problems, nullptr, false};
  context.sink = [&](const std::string& path, const std::string& value, const std::string& evidence, const std::string& source, const ConfigNode& node) {
    seen += path + '|' + value + '|' + evidence + '|' + source + '|' + std::to_string(node.line) + '\n';
  };
  ConfigReader reader(root, "", context);
  EXPECT_EQ(reader.quantity("a", Unit::bytes), 2048);
  EXPECT_TRUE(reader.flag("f", false));
  EXPECT_TRUE(reader.flag("absent", true));
  EXPECT_FALSE(reader.flag("absent", false));
  EXPECT_EQ(reader.choice("c", {"x", "y"}), 1);
  EXPECT_EQ(reader.choice("absent", {"x", "y"}, 1), 1);
  EXPECT_EQ(reader.text("t"), "text");
  EXPECT_EQ(reader.text("absent", "else"), "else");
  EXPECT_EQ(reader.texts("l"), (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(reader.quantity_or("absent", Unit::count, 9), 9);
  EXPECT_EQ(reader.map("g").quantity("x", Unit::count), 1);
  EXPECT_EQ(reader.list("m").at(0).quantity("v", Unit::count), 7);
  EXPECT_TRUE(reader.list("absent", false).empty());
  reader.finish();
  EXPECT_EQ(joined(problems), "");
  EXPECT_EQ(seen, "a|2 KiB|derived|page 3|1\ng.x|1|||6\nm.0.v|7|||7\n");
}

TEST(ConfigReader, all_problems_are_thrown_as_one) {
  try {
    throw_problems({{"f", 1, 2, "k", "m"}, {"f", 3, 0, "", "n"}});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostics().size(), 2u);
    EXPECT_NE(std::string(error.what()).find("f:1:2: k: m"), std::string::npos);
  }
  throw_problems({});
}

}  // namespace
}  // namespace npulab
