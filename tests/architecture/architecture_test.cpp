// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/source_tree.h"

#include <gtest/gtest.h>

namespace npulab::architecture {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree(NPULAB_SOURCE_DIR);
  return files;
}

TEST(Architecture, the_tree_was_read) { EXPECT_GT(tree().size(), 100u); }
TEST(Architecture, includes_follow_the_folder_graph) { EXPECT_EQ(joined(forbidden_includes(tree())), ""); }
TEST(Architecture, libraries_stay_in_their_place) { EXPECT_EQ(joined(misplaced_libraries(tree())), ""); }
TEST(Architecture, no_file_is_over_400_lines) { EXPECT_EQ(joined(overlong_files(tree())), ""); }
TEST(Architecture, every_file_names_its_licence) { EXPECT_EQ(joined(missing_licences(tree())), ""); }
TEST(Architecture, every_code_folder_has_a_readme) { EXPECT_EQ(joined(folders_without_readme(tree())), ""); }
TEST(Architecture, no_name_carries_a_version) { EXPECT_EQ(joined(numbered_names(tree())), ""); }

TEST(Architecture, rules_can_fail) {
  EXPECT_EQ(forbidden_includes({{"pcie/a.cpp", "#include \"memory/shared/l2.h\"\n"}}).size(), 1u);
  EXPECT_EQ(forbidden_includes({{"cores/process/a.cpp", "#include \"cores/scoreboard/b.h\"\n"}}).size(), 1u);
  EXPECT_EQ(forbidden_includes({{"cores/process/a.cpp", "#include \"cores/units/core_effects.h\"\n"}}).size(), 0u);
  EXPECT_EQ(forbidden_includes({{"model/base/a.h", "#include \"model/isa/kernel.h\"\n"}}).size(), 1u);
  EXPECT_EQ(forbidden_includes({{"memory/a.h", "#include \"local.h\"\n"}}).size(), 1u);
  EXPECT_EQ(misplaced_libraries({{"memory/a.cpp", "#include <systemc>\n"}}).size(), 1u);
  EXPECT_EQ(misplaced_libraries({{"memory/shared/memory_module.cpp", "#include <systemc>\n"}}).size(), 0u);
  EXPECT_EQ(misplaced_libraries({{"app/a.cpp", "#include <yaml-cpp/yaml.h>\n"}}).size(), 1u);
  EXPECT_EQ(misplaced_libraries({{"cores/a.cpp", "#include <boost/program_options.hpp>\n"}}).size(), 1u);
  EXPECT_EQ(overlong_files({{"app/a.cpp", std::string(401, '\n')}}).size(), 1u);
  EXPECT_EQ(overlong_files({{"app/a.cpp", std::string(400, '\n')}}).size(), 0u);
  EXPECT_EQ(missing_licences({{"app/a.cpp", "int x;\n"}}).size(), 1u);
  EXPECT_EQ(folders_without_readme({{"app/a.cpp", ""}}).size(), 1u);
  EXPECT_EQ(numbered_names({{"app/engine_v2.cpp", ""}}).size(), 1u);
}

}  // namespace
}  // namespace npulab::architecture
