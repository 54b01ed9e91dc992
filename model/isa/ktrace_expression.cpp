// SPDX-License-Identifier: Apache-2.0
#include "model/isa/ktrace_expression.h"

#include <limits>

#include <fmt/format.h>

#include "model/base/nearest_name.h"

namespace npulab::isa {
namespace {

constexpr int kMaxNesting = 64;                  // of parentheses and signs
constexpr std::size_t kMaxTerms = 256;           // of one expression
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

}  // namespace

std::vector<std::string> KtraceScope::names(int space) const {
  std::vector<std::string> all = loops;
  if (block_index == nullptr) all.insert(all.end(), variables.begin(), variables.end());
  for (const auto& [name, value] : parameters) all.push_back(name);
  if (space >= 0) {
    for (const auto& [name, address] : buffers[space]) all.push_back(name);
  }
  if (block_index != nullptr) all.push_back("index");
  return all;
}

KtraceValue ExpressionReader::read() {
  KtraceValue value = sum();
  while (tokens_.peek().is("<<") || tokens_.peek().is(">>")) {
    const Token sign = tokens_.take();
    value = shifted(value, sum(), sign);
  }
  return value;
}

std::int64_t ExpressionReader::read_constant(const std::string& what, std::int64_t least, std::int64_t most) {
  const Token first = tokens_.peek();
  const KtraceValue value = read();
  if (!value.is_constant()) {
    tokens_.fail(first, "expected a constant for " + what + ", found an expression that varies");
  }
  if (value.constant < least || value.constant > most) {
    tokens_.fail(first, fmt::format("expected {} from {} to {}, found {}", what, least, most, value.constant));
  }
  return value.constant;
}

KtraceValue ExpressionReader::sum() {
  KtraceValue value = product();
  while (tokens_.peek().is("+") || tokens_.peek().is("-")) {
    const Token sign = tokens_.take();
    value = added(value, product(), sign.is("+") ? 1 : -1, sign);
  }
  return value;
}

KtraceValue ExpressionReader::product() {
  KtraceValue value = factor();
  for (;;) {
    const Token sign = tokens_.peek();
    const bool times = sign.is("*");
    if (!times && !sign.is("/") && !sign.is("%")) return value;
    tokens_.take();
    const KtraceValue right = factor();
    value = times ? multiplied(value, right, sign) : divided(value, right, sign);
  }
}

KtraceValue ExpressionReader::factor() {
  const Token token = tokens_.peek();
  if (token.kind == Token::Kind::name) return named(tokens_.take());
  if (token.kind == Token::Kind::number) {
    // A hexadecimal number is a bit pattern; a decimal one has to be a number.
    if (!token.hexadecimal && token.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) overflow(token);
    tokens_.take();
    return {static_cast<std::int64_t>(token.value), {}};
  }
  if (!token.is("(") && !token.is("-")) tokens_.fail_expected(token, "a number, a name or '('");
  if (++depth_ > kMaxNesting) {
    tokens_.fail(token, fmt::format("expected at most {} nested parentheses and signs, found more", kMaxNesting));
  }
  tokens_.take();
  KtraceValue value;
  if (token.is("-")) {
    value = scaled(factor(), -1, token);
  } else {
    value = read();
    tokens_.expect(")");
  }
  --depth_;
  return value;
}

KtraceValue ExpressionReader::named(const Token& name) {
  for (std::size_t depth = scope_.loops.size(); depth-- > 0;) {
    if (scope_.loops[depth] == name.text) return {0, {{static_cast<std::uint8_t>(kMaxBlockVariables + depth), 1, 0}}};
  }
  if (scope_.block_index != nullptr && name.is_word("index")) return {*scope_.block_index, {}};
  for (std::size_t i = 0; scope_.block_index == nullptr && i < scope_.variables.size(); ++i) {
    if (scope_.variables[i] == name.text) return {0, {{static_cast<std::uint8_t>(i), 1, 0}}};
  }
  if (const auto found = scope_.parameters.find(name.text); found != scope_.parameters.end()) return {found->second, {}};
  if (space_ >= 0) {
    const auto found = scope_.buffers[space_].find(name.text);
    if (found != scope_.buffers[space_].end()) return {found->second, {}};
  }
  const std::string expected = space_ < 0 ? "a known name"
      : fmt::format("a known name or a buffer in {}", name_of(static_cast<Space>(space_)));
  tokens_.fail_expected(name, expected, nearest_hint(std::string(name.text), scope_.names(space_)));
}

void ExpressionReader::overflow(const Token& at) { tokens_.fail(at, "expected a result within 64 bits, found a larger one"); }

KtraceValue ExpressionReader::scaled(const KtraceValue& value, std::int64_t factor, const Token& at) {
  KtraceValue result = value;
  if (__builtin_mul_overflow(value.constant, factor, &result.constant)) overflow(at);
  for (Affine::Term& term : result.terms) {
    if (__builtin_mul_overflow(term.coefficient, factor, &term.coefficient)) overflow(at);
  }
  return result;
}

KtraceValue ExpressionReader::added(const KtraceValue& left, const KtraceValue& right, int sign, const Token& at) {
  // Subtraction of the smallest number is no addition of its opposite, which does not exist.
  KtraceValue result = left;
  const bool outside = sign > 0 ? __builtin_add_overflow(left.constant, right.constant, &result.constant)
                                : __builtin_sub_overflow(left.constant, right.constant, &result.constant);
  if (outside) overflow(at);
  for (Affine::Term term : right.terms) {
    if (__builtin_mul_overflow(term.coefficient, std::int64_t{sign}, &term.coefficient)) overflow(at);
    result.terms.push_back(term);
  }
  if (result.terms.size() > kMaxTerms) tokens_.fail(at, fmt::format("expected at most {} terms, found more", kMaxTerms));
  return result;
}

const Token& ExpressionReader::constants_only(const KtraceValue& value, const Token& at) {
  if (value.is_constant()) return at;
  tokens_.fail(at, fmt::format("expected constants on both sides of '{}', found an expression that varies", at.text));
}

KtraceValue ExpressionReader::multiplied(const KtraceValue& left, const KtraceValue& right, const Token& at) {
  if (right.is_constant()) return scaled(left, right.constant, at);
  if (left.is_constant()) return scaled(right, left.constant, at);
  tokens_.fail(at, "expected a constant on one side of '*', found two expressions that vary");
}

KtraceValue ExpressionReader::divided(const KtraceValue& left, const KtraceValue& right, const Token& at) {
  constants_only(right, at);
  if (right.constant == 0) tokens_.fail(at, "expected a divisor other than zero, found zero");
  if (at.is("%") && !left.is_constant()) {
    const bool bare = left.terms.size() == 1 && left.constant == 0 && left.terms[0].coefficient == 1 && left.terms[0].modulus == 0;
    if (!bare) tokens_.fail(at, "expected a single variable before '%', found an expression");
    if (right.constant < 0) tokens_.fail(at, "expected a positive divisor after '%', found a negative one");
    return {0, {{left.terms[0].variable, 1, right.constant}}};
  }
  constants_only(left, at);
  if (left.constant == kSmallest && right.constant == -1) overflow(at);
  return {at.is("/") ? left.constant / right.constant : left.constant % right.constant, {}};
}

KtraceValue ExpressionReader::shifted(const KtraceValue& left, const KtraceValue& right, const Token& at) {
  constants_only(right, at);
  if (right.constant < 0 || right.constant > 62) tokens_.fail(at, fmt::format("expected a shift from 0 to 62, found {}", right.constant));
  if (at.is("<<")) return scaled(left, std::int64_t{1} << right.constant, at);
  constants_only(left, at);
  return {left.constant >> right.constant, {}};
}

}  // namespace npulab::isa
