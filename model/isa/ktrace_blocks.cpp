// SPDX-License-Identifier: Apache-2.0
// The table of blocks: `block` gives one, `blocks N` gives N whose values are expressions of `index`.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/base/nearest_name.h"
#include "model/isa/ktrace_parser.h"

namespace npulab::isa {

void KtraceParser::blocks(const Token& word, bool table) {
  std::int64_t count = 1;
  if (table) {
    const std::int64_t most = static_cast<std::int64_t>(kMaxKtraceBlocks);
    count = ExpressionReader(tokens_, scope_).read_constant("a number of blocks", 0, most);
  }
  if (kernel_.blocks.size() + static_cast<std::size_t>(count) > kMaxKtraceBlocks) {
    tokens_.fail(word, fmt::format("expected at most {} blocks, found more", kMaxKtraceBlocks));
  }
  const TokenReader::Mark start = tokens_.mark();
  std::int64_t index = 0;
  scope_.block_index = &index;
  struct Leave { KtraceScope& scope; ~Leave() { scope.block_index = nullptr; } } leave{scope_};
  if (count == 0) {
    binding();  // for its mistakes
    return;
  }
  for (; index < count; ++index) {
    tokens_.rewind(start);
    kernel_.blocks.push_back(binding());
  }
}

BlockBinding KtraceParser::binding() {
  BlockBinding binding;
  binding.values.assign(kernel_.variables.size(), 0);
  std::uint32_t given = 0;
  const Token first = tokens_.peek();
  while (tokens_.peek().kind == Token::Kind::name) {
    const Token key = tokens_.take();
    tokens_.expect("=");
    const bool program = key.is_word("cube") || key.is_word("vector") || key.is_word("vector0") || key.is_word("vector1");
    if (program) bind_program(key, binding);
    else bind_value(key, binding, given);
  }
  for (std::size_t i = 0; i < kernel_.variables.size(); ++i) {
    if ((given >> i & 1) != 0) continue;
    tokens_.fail(first, fmt::format("expected a value of '{}' for the block, found none", kernel_.variables[i]));
  }
  return binding;
}

void KtraceParser::bind_program(const Token& key, BlockBinding& binding) {
  const Token name = tokens_.peek();
  const std::string text = tokens_.take_name("a program's name");
  const auto found = program_index_.find(text);
  if (found == program_index_.end()) {
    std::vector<std::string> known;
    for (const auto& [program, index] : program_index_) known.push_back(program);
    tokens_.fail_expected(name, "a program defined above", nearest_hint(text, known));
  }
  const bool cube = key.text == "cube";
  const Role role = roles_[static_cast<std::size_t>(found->second)];
  if ((cube && role == Role::vector) || (!cube && role == Role::cube)) {
    tokens_.fail(name, fmt::format("expected a program for a {} core, found one for a {} core", cube ? "cube" : "vector", cube ? "vector" : "cube"));
  }
  if (key.text == "vector") {
    if (binding.vector[0] >= 0 || binding.vector[1] >= 0) tokens_.fail(key, "expected each core once, found it again");
    binding.vector[0] = binding.vector[1] = found->second;
    return;
  }
  int& place = cube ? binding.cube : binding.vector[key.text == "vector0" ? 0 : 1];
  if (place >= 0) tokens_.fail(key, "expected each core once, found it again");
  place = found->second;
}

void KtraceParser::bind_value(const Token& key, BlockBinding& binding, std::uint32_t& given) {
  const auto found = std::find(kernel_.variables.begin(), kernel_.variables.end(), key.text);
  if (found == kernel_.variables.end()) {
    std::vector<std::string> known = kernel_.variables;
    known.insert(known.end(), {"cube", "vector", "vector0", "vector1"});
    tokens_.fail_expected(key, "a block variable, cube, vector, vector0 or vector1", nearest_hint(std::string(key.text), known));
  }
  const std::size_t index = static_cast<std::size_t>(found - kernel_.variables.begin());
  if ((given >> index & 1) != 0) tokens_.fail(key, "expected each variable once, found " + describe(key) + " again");
  given |= 1u << index;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  binding.values[index] = ExpressionReader(tokens_, scope_).read_constant("a value", least, most);
}

}  // namespace npulab::isa
