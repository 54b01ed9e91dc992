// SPDX-License-Identifier: Apache-2.0
// Numbers out of the free text of the `shapes` and `case` columns.
#pragma once

#include <string>
#include <vector>

namespace npulab::validate {

/// {2048, 1536} of "M=8192; single 2048x1536 (last 512)" for the word "single"; empty when there is none.
std::vector<long> extents_after(const std::string& text, const std::string& word);
/// 8 of "depthA1 16 stepKa 8" for the word "stepKa", -1 when there is none.
long number_after_word(const std::string& text, const std::string& word);
/// {512, 4096, 1024} of "M,N,K=512,4096,1024" for "M,N,K"; empty when there are not as many as names.
std::vector<long> listed_after(const std::string& text, const std::string& names);
/// 4 of "C4 multi-buffer", "4", "s4" or "Case 4": the first number, -1 when there is none.
long first_number(const std::string& text);
bool contains(const std::string& text, const std::string& part);

}  // namespace npulab::validate
