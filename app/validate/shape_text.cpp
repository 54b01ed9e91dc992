// SPDX-License-Identifier: Apache-2.0
#include "app/validate/shape_text.h"

#include <algorithm>
#include <cctype>

namespace npulab::validate {
namespace {

bool digit(const std::string& text, std::size_t at) { return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; }

long take_number(const std::string& text, std::size_t& at) {
  long value = 0;
  while (digit(text, at) && value < 1'000'000'000) value = value * 10 + (text[at++] - '0');
  return value;
}

/// Behind `word` and the blanks after it; npos when the word is not there, or is part of another.
std::size_t behind(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) continue;
    std::size_t end = at + word.size();
    while (end < text.size() && (text[end] == ' ' || text[end] == '=')) ++end;
    if (digit(text, end)) return end;
  }
  return std::string::npos;
}

}  // namespace

std::vector<long> extents_after(const std::string& text, const std::string& word) {
  std::vector<long> extents;
  std::size_t at = behind(text, word);
  while (at != std::string::npos && digit(text, at)) {
    extents.push_back(take_number(text, at));
    if (at >= text.size() || text[at] != 'x') break;
    ++at;
  }
  return extents;
}

long number_after_word(const std::string& text, const std::string& word) {
  const std::vector<long> extents = extents_after(text, word);
  return extents.empty() ? -1 : extents[0];
}

std::vector<long> listed_after(const std::string& text, const std::string& names) {
  std::vector<long> numbers;
  std::size_t at = behind(text, names);
  while (at != std::string::npos && digit(text, at)) {
    numbers.push_back(take_number(text, at));
    if (at >= text.size() || text[at] != ',') break;
    ++at;
  }
  const auto wanted = static_cast<std::size_t>(std::count(names.begin(), names.end(), ',')) + 1;
  return numbers.size() == wanted ? numbers : std::vector<long>{};
}

long first_number(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (digit(text, at)) return take_number(text, at);
  }
  return -1;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace npulab::validate
