// SPDX-License-Identifier: Apache-2.0
#include "model/base/quantity.h"

#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

namespace npulab {
namespace {

struct Suffix {
  const char* text;
  std::int64_t factor;  // integer units per written unit
};

const std::vector<Suffix>& suffixes(Unit unit) {
  constexpr std::int64_t k = 1000, ki = 1024;
  static const std::vector<Suffix> table[] = {
      {{"", 1}},
      {{"B", 1}, {"KiB", ki}, {"MiB", ki * ki}, {"GiB", ki * ki * ki}, {"TiB", ki * ki * ki * ki}, {"kB", k}, {"MB", k * k}, {"GB", k * k * k}},
      {{"cycle", 1}, {"cycles", 1}},
      {{"cycle", 1000}, {"cycles", 1000}},
      {{"B/cycle", 1000}},
      {{"element/cycle", 1}, {"elements/cycle", 1}},
      {{"kHz", 1}, {"MHz", k}, {"GHz", k * k}},
      {{"ps", 1}, {"ns", k}, {"us", k * k}, {"ms", k * k * k}, {"s", k * k * k * k}},
      {{"B/s", 1}, {"kB/s", k}, {"MB/s", k * k}, {"GB/s", k * k * k}, {"TB/s", k * k * k * k}, {"GiB/s", ki * ki * ki}},
      {{"permille", 1}, {"%", 10}},
  };
  return table[static_cast<int>(unit)];
}

/// Splits "28.4 B/cycle" into digits, number of decimals and suffix. False when it does not begin with a plain number.
bool split(const std::string& text, std::string& digits, int& decimals, std::string& suffix) {
  std::size_t i = 0;
  bool point = false;
  decimals = 0;
  digits.clear();
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) {
    if (text[i] == '-') digits = "-";
    ++i;
  }
  const std::size_t first = i;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      digits += c;
      if (point) ++decimals;
    } else if (c == '.' && !point) {
      point = true;
    } else if (c != '_' || i == first) {
      break;
    }
  }
  while (i < text.size() && text[i] == ' ') ++i;
  suffix = text.substr(i);
  return !digits.empty() && digits != "-";
}

constexpr std::size_t kMaxDigits = 20;  // times the largest factor still fits 128 bits

/// Identifiers are written in hexadecimal.
bool parse_hex(const std::string& text, std::int64_t& value, std::string& problem) {
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return true;
  problem = "expected a hexadecimal number such as 0x19e5, found '" + text + "'";
  return false;
}

}  // namespace

const char* example_of(Unit unit) {
  static const char* const examples[] = {"a whole number such as 24", "a size such as 512 KiB", "cycles such as '61 cycle'",
                                         "cycles such as '8.5 cycle'", "a rate such as '28.4 B/cycle'",
                                         "a rate such as '64 element/cycle'", "a frequency such as '1850 MHz'",
                                         "a time such as '20 ns'", "a bandwidth such as '1.49 TB/s'", "a share such as '50 permille'"};
  return examples[static_cast<int>(unit)];
}

std::int64_t largest_of(Unit unit) {
  constexpr std::int64_t tera = 1'000'000'000'000;
  static constexpr std::int64_t largest[] = {std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 50, tera, tera, 1'000'000'000,
                                             1'000'000, 100'000'000, 1'000'000 * tera, 1000 * tera, 1'000'000};
  return largest[static_cast<int>(unit)];
}

std::string quantity_text(std::int64_t value, Unit unit) {
  const Suffix* best = &suffixes(unit).front();
  for (const Suffix& suffix : suffixes(unit)) {
    if (value != 0 && value % suffix.factor == 0 && suffix.factor > best->factor) best = &suffix;
  }
  std::string text = std::to_string(value / best->factor);
  // Only quantities kept in thousandths have a first suffix above one.
  if (std::int64_t rest = value % best->factor; rest != 0) {
    text += '.';
    for (std::int64_t digit = best->factor / 10; rest != 0; rest %= digit, digit /= 10) text += static_cast<char>('0' + rest / digit);
  }
  return text + (*best->text == 0 ? "" : " ") + best->text;
}

bool parse_quantity(const std::string& text, Unit unit, std::int64_t& value, std::string& problem) {
  if (unit == Unit::count && text.size() > 2 && text.size() <= 12 && text[0] == '0' && text[1] == 'x') return parse_hex(text, value, problem);
  std::string digits, suffix;
  int decimals = 0;
  problem = std::string("expected ") + example_of(unit) + ", found '" + text.substr(0, 60) + "'";
  if (!split(text, digits, decimals, suffix)) return false;
  const Suffix* found = nullptr;
  for (const Suffix& candidate : suffixes(unit)) {
    if (suffix == candidate.text) found = &candidate;
  }
  if (found == nullptr) return false;
  if (digits.size() > kMaxDigits) {
    problem += " (too many digits)";
    return false;
  }
  __int128 scaled = 0;
  const bool negative = digits[0] == '-';
  for (char c : digits) {
    if (c != '-') scaled = scaled * 10 + (c - '0');
  }
  scaled *= found->factor;
  for (int i = 0; i < decimals; ++i) {
    if (scaled % 10 != 0) {
      problem += " (finer than this quantity can be given)";
      return false;
    }
    scaled /= 10;
  }
  if (scaled > std::numeric_limits<std::int64_t>::max()) {
    problem += " (too large)";
    return false;
  }
  value = static_cast<std::int64_t>(negative ? -scaled : scaled);
  return true;
}

}  // namespace npulab
