// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "model/isa/ktrace_writer.h"

namespace npulab::isa {
namespace {

using Values = std::vector<std::int64_t>;

/// Larger values go into lines of their own, so that no pattern overflows.
constexpr std::int64_t kMostInPattern = std::int64_t{1} << 40;

/// A run of blocks: value = first + inner * (index % period) + outer * (index / period).
struct Pattern {
  Values inner, outer;
  std::size_t period = 0, count = 0;
};

class BlockTable {
 public:
  explicit BlockTable(const Kernel& kernel) : kernel_(kernel) {}
  std::string write() const;

 private:
  std::int64_t value(std::size_t block, std::size_t variable) const {
    const Values& values = kernel_.blocks[block].values;
    return variable < values.size() ? values[variable] : 0;
  }
  bool tame(std::size_t block) const;
  bool same_programs(std::size_t a, std::size_t b) const;
  Values difference(std::size_t later, std::size_t earlier) const;
  bool fits(const Pattern& pattern, std::size_t first, std::size_t index) const;
  Pattern longest(std::size_t first) const;
  std::string programs(std::size_t block) const;
  std::string line(std::size_t first, const Pattern& pattern) const;

  const Kernel& kernel_;
};

bool BlockTable::tame(std::size_t block) const {
  const Values& values = kernel_.blocks[block].values;
  return std::all_of(values.begin(), values.end(), [](std::int64_t v) { return v > -kMostInPattern && v < kMostInPattern; });
}

bool BlockTable::same_programs(std::size_t a, std::size_t b) const {
  const BlockBinding &left = kernel_.blocks[a], &right = kernel_.blocks[b];
  return left.cube == right.cube && left.vector[0] == right.vector[0] && left.vector[1] == right.vector[1];
}

Values BlockTable::difference(std::size_t later, std::size_t earlier) const {
  Values difference(kernel_.variables.size());
  for (std::size_t v = 0; v < difference.size(); ++v) difference[v] = value(later, v) - value(earlier, v);
  return difference;
}

bool BlockTable::fits(const Pattern& pattern, std::size_t first, std::size_t index) const {
  const std::size_t block = first + index;
  if (block >= kernel_.blocks.size() || !same_programs(first, block) || !tame(block)) return false;
  const auto inside = static_cast<std::int64_t>(index % pattern.period), around = static_cast<std::int64_t>(index / pattern.period);
  for (std::size_t v = 0; v < kernel_.variables.size(); ++v) {
    if (value(first, v) + pattern.inner[v] * inside + pattern.outer[v] * around != value(block, v)) return false;
  }
  return true;
}

Pattern BlockTable::longest(std::size_t first) const {
  Pattern pattern;
  pattern.inner.assign(kernel_.variables.size(), 0);
  pattern.outer = pattern.inner;
  pattern.period = kernel_.blocks.size() + 1;  // one step, until it breaks
  pattern.count = 1;
  if (!tame(first) || first + 1 >= kernel_.blocks.size() || !same_programs(first, first + 1) || !tame(first + 1)) return pattern;
  pattern.inner = difference(first + 1, first);
  while (fits(pattern, first, pattern.count)) ++pattern.count;
  // Where the first run breaks a second step may begin.
  const std::size_t broken = first + pattern.count;
  if (broken >= kernel_.blocks.size() || !same_programs(first, broken) || !tame(broken)) return pattern;
  Pattern twofold = pattern;
  twofold.period = pattern.count;
  twofold.outer = difference(broken, first);
  while (fits(twofold, first, twofold.count)) ++twofold.count;
  return twofold.count >= 2 * twofold.period ? twofold : pattern;
}

std::string BlockTable::programs(std::size_t block) const {
  const BlockBinding& binding = kernel_.blocks[block];
  const auto named = [&](const char* key, int program) {
    if (program < 0) return std::string();
    return fmt::format(" {}={}", key, written_name(kernel_.programs[static_cast<std::size_t>(program)].name));
  };
  const bool both = binding.vector[0] >= 0 && binding.vector[0] == binding.vector[1];
  return named("cube", binding.cube) +
         (both ? named("vector", binding.vector[0]) : named("vector0", binding.vector[0]) + named("vector1", binding.vector[1]));
}

std::string step(std::int64_t factor, const std::string& counter) {
  if (factor == 0) return "";
  return (factor < 0 ? "-" : "+") + (factor == 1 || factor == -1 ? "" : written_number(factor < 0 ? -factor : factor) + "*") + counter;
}

std::string BlockTable::line(std::size_t first, const Pattern& pattern) const {
  const bool one = pattern.count == 1, twofold = pattern.count > pattern.period;
  std::string text = (one ? "block" : fmt::format("blocks {}", pattern.count)) + programs(first);
  for (std::size_t v = 0; v < kernel_.variables.size(); ++v) {
    std::string steps;
    if (!one) steps = step(pattern.inner[v], twofold ? fmt::format("(index%{})", pattern.period) : "index");
    if (twofold) steps += step(pattern.outer[v], fmt::format("(index/{})", pattern.period));
    if (value(first, v) != 0 || steps.empty()) steps = written_number(value(first, v)) + steps;
    else if (steps[0] == '+') steps.erase(0, 1);
    text += ' ' + written_name(kernel_.variables[v]) + '=' + steps;
  }
  return text + '\n';
}

std::string BlockTable::write() const {
  std::string text;
  for (std::size_t first = 0; first < kernel_.blocks.size();) {
    const Pattern pattern = longest(first);
    text += line(first, pattern);
    first += pattern.count;
  }
  return text;
}

}  // namespace

std::string written_blocks(const Kernel& kernel) { return BlockTable(kernel).write(); }

}  // namespace npulab::isa
