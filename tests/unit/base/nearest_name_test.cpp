// SPDX-License-Identifier: Apache-2.0
#include "model/base/nearest_name.h"

#include <gtest/gtest.h>

namespace npulab {
namespace {

TEST(NearestName, slips_find_their_name_and_strangers_do_not) {
  const std::vector<std::string> names = {"capacity", "sustained_bandwidth", "miss_latency", "ways"};
  const std::pair<const char*, const char*> rows[] = {
      {"capacty", "capacity"},  {"capacity", "capacity"},     {"Capacity", "capacity"}, {"sustained_bandwith", "sustained_bandwidth"},
      {"way", "ways"},          {"latency", ""},              {"bananas", ""},          {"xyz", ""},
      {"mis_latnecy", "miss_latency"}, {"", ""},
      {"qqqq", ""},             {"wa", "ways"}};
  for (const auto& [written, meant] : rows) EXPECT_EQ(nearest_name(written, names), meant) << written;
}

TEST(NearestName, the_first_of_equals_wins_and_no_candidates_mean_no_hint) {
  EXPECT_EQ(nearest_name("ab", {"ac", "ad"}), "ac");
  EXPECT_EQ(nearest_name("b", {"a"}), "") << "nothing of the name is left";
  EXPECT_EQ(nearest_hint("ab", {}), "");
  EXPECT_EQ(nearest_hint("wayz", {"ways"}), ", did you mean 'ways'?");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), {"a"}), "");
}

}  // namespace
}  // namespace npulab
