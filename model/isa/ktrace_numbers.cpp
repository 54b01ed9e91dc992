// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/isa/ktrace_writer.h"

namespace npulab::isa {
namespace {

constexpr std::int64_t kMostDecimal = 9999;

bool is_bare(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto follows = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), follows);
}

std::uint64_t magnitude_of(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

std::string written_magnitude(std::uint64_t value) {
  return value <= static_cast<std::uint64_t>(kMostDecimal) ? std::to_string(value) : fmt::format("0x{:x}", value);
}

}  // namespace

std::string written_name(const std::string& name) {
  // Words that begin a pair in a table of blocks, or name its counter, are names only in quotes.
  static const char* const reserved[] = {"cube", "vector", "vector0", "vector1", "index"};
  const bool taken = std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved);
  if (is_bare(name) && !taken) return name;
  std::string text = "\"";
  for (char c : name) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') text += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f) text += fmt::format("\\x{:02x}", byte);
    else text += c;
  }
  return text + '"';
}

std::string written_number(std::int64_t value) {
  // The smallest number has no positive counterpart; as a bit pattern it can be read.
  if (value == std::numeric_limits<std::int64_t>::min()) return "0x8000000000000000";
  return (value < 0 ? "-" : "") + written_magnitude(magnitude_of(value));
}

std::string written_sum(const WrittenSum& sum, const std::vector<std::string>& names, const std::string& base) {
  std::string text = base;
  const bool shows_constant = sum.constant != 0 || (base.empty() && sum.terms.empty());
  if (shows_constant) text += (base.empty() ? "" : " + ") + written_number(sum.constant);
  for (const AffineTerm& term : sum.terms) {
    const bool smallest = term.coefficient == std::numeric_limits<std::int64_t>::min();
    const bool negative = term.coefficient < 0 && !smallest;
    const std::string variable = term.modulus > 0 ? fmt::format("({} % {})", names[term.variable], written_number(term.modulus))
        : names[term.variable];
    const std::uint64_t factor = magnitude_of(term.coefficient);
    if (text.empty()) text += negative ? "-" : "";
    else text += negative ? " - " : " + ";
    text += factor == 1 ? variable : written_magnitude(factor) + "*" + variable;
  }
  return text;
}

}  // namespace npulab::isa
