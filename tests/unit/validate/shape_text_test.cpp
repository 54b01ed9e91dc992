// SPDX-License-Identifier: Apache-2.0
#include "app/validate/shape_text.h"

#include <gtest/gtest.h>

namespace npulab::validate {
namespace {

using Numbers = std::vector<long>;

TEST(ShapeText, finds_numbers_behind_words) {
  const std::string text = "M=8192;K=64;N=32; single 4096x683 (tail 679); base 128x256x64; depthA1 16 stepKa 8";
  EXPECT_EQ(extents_after(text, "single"), (Numbers{4096, 683}));
  EXPECT_EQ(extents_after(text, "base"), (Numbers{128, 256, 64}));
  EXPECT_EQ(extents_after(text, "double"), Numbers{});
  EXPECT_EQ(number_after_word(text, "stepKa"), 8);
  EXPECT_EQ(number_after_word(text, "K"), 64);
  EXPECT_EQ(number_after_word(text, "Ka"), -1) << "part of another word";
  EXPECT_EQ(number_after_word("stepKa stepKa 4", "stepKa"), 4);
}

TEST(ShapeText, reads_lists_and_cases) {
  EXPECT_EQ(listed_after("M,N,K=512,4096,1024", "M,N,K"), (Numbers{512, 4096, 1024}));
  EXPECT_EQ(listed_after("M,N,K=512,4096", "M,N,K"), Numbers{});
  EXPECT_EQ(first_number("C4 multi-buffer L1 (MDL)"), 4);
  EXPECT_EQ(first_number("basic"), -1);
  EXPECT_EQ(first_number("99999999999999999999") > 0, true) << "no overflow";
}

}  // namespace
}  // namespace npulab::validate
