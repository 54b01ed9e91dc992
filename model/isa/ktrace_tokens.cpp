// SPDX-License-Identifier: Apache-2.0
#include "model/isa/ktrace_tokens.h"

#include <charconv>

#include <fmt/format.h>

namespace npulab::isa {
namespace {

constexpr std::size_t kShownBytes = 40;  // of a token in a message

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

/// Bytes that could upset a terminal become escapes.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kShownBytes)) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) out += fmt::format("\\x{:02x}", byte);
    else out += c;
  }
  return text.size() > kShownBytes ? out + "..." : out;
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::line_end: return "the end of the line";
    case Token::Kind::text_end: return "the end of the file";
    case Token::Kind::number: return token.hexadecimal ? fmt::format("0x{:x}", token.value) : std::to_string(token.value);
    case Token::Kind::bad: return std::string(token.text);
    default: return '\'' + printable(token.text) + '\'';
  }
}

Token TokenReader::take() {
  const Token token = token_;
  advance();
  return token;
}

void TokenReader::expect(const char* sign) {
  if (!token_.is(sign)) fail_expected(token_, fmt::format("'{}'", sign));
  advance();
}

bool TokenReader::accept(const char* sign) {
  if (!token_.is(sign)) return false;
  advance();
  return true;
}

std::string TokenReader::take_name(const char* what) {
  if (token_.kind != Token::Kind::name) fail_expected(token_, what);
  return std::string(take().text);
}

void TokenReader::note(const Token& token, const std::string& message) {
  problems_.push_back({file_, token.line, token.column, "", message});
}

void TokenReader::fail(const Token& token, const std::string& message) {
  note(token, message);
  throw LineProblem{};
}

void TokenReader::fail_expected(const Token& token, const std::string& expected, const std::string& hint) {
  fail(token, "expected " + expected + ", found " + describe(token) + hint);
}

bool TokenReader::skip_line() {
  bool opens = false;
  while (token_.kind != Token::Kind::line_end && token_.kind != Token::Kind::text_end) {
    opens = token_.is("{");
    advance();
  }
  return opens;
}

void TokenReader::rewind(const Mark& mark) {
  position_ = mark.position;
  line_start_ = mark.line_start;
  line_ = mark.line;
  token_ = mark.token;
  kept_.resize(mark.kept);
}

void TokenReader::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else {
      return;
    }
  }
}

void TokenReader::bad(const std::string& message) {
  token_.kind = Token::Kind::bad;
  kept_.push_back(message);
  token_.text = kept_.back();
}

void TokenReader::advance() {
  if (token_.kind == Token::Kind::line_end) {
    ++line_;
    line_start_ = position_;
  }
  skip_blanks();
  token_ = Token{};
  token_.line = line_;
  token_.column = static_cast<int>(position_ - line_start_ + 1);
  if (position_ == text_.size()) return;
  const char c = text_[position_];
  if (c == '\n') {
    ++position_;
    token_.kind = Token::Kind::line_end;
  } else if (starts_name(c)) {
    read_bare_name();
  } else if (is_digit(c)) {
    read_number();
  } else if (c == '"') {
    read_quoted_name();
  } else {
    read_sign();
  }
}

void TokenReader::read_bare_name() {
  const std::size_t start = position_;
  while (position_ < text_.size() && continues_name(text_[position_])) ++position_;
  token_.kind = Token::Kind::name;
  token_.text = text_.substr(start, position_ - start);
}

void TokenReader::read_number() {
  const std::size_t start = position_;
  while (position_ < text_.size() && continues_name(text_[position_])) ++position_;
  std::string_view digits = text_.substr(start, position_ - start);
  const std::string_view written = digits;
  token_.hexadecimal = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (token_.hexadecimal) digits.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), token_.value, token_.hexadecimal ? 16 : 10);
  if (end != digits.data() + digits.size()) {
    bad("'" + printable(written) + "', which is no integer");
  } else if (error == std::errc::result_out_of_range) {
    bad("'" + printable(written) + "', which does not fit 64 bits");
  } else {
    token_.kind = Token::Kind::number;
  }
}

bool TokenReader::read_escape(std::string& out) {
  const char c = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
  if (c == '"' || c == '\\') {
    out += c;
    position_ += 2;
    return true;
  }
  if (c != 'x' || position_ + 3 >= text_.size()) return false;
  const int high = hex_digit(text_[position_ + 2]), low = hex_digit(text_[position_ + 3]);
  if (high < 0 || low < 0) return false;
  out += static_cast<char>(high * 16 + low);
  position_ += 4;
  return true;
}

void TokenReader::read_quoted_name() {
  std::string name;
  ++position_;
  for (;;) {
    if (position_ == text_.size() || text_[position_] == '\n') return bad("a name without its closing quote");
    const char c = text_[position_];
    if (c == '"') break;
    if (c != '\\') {
      name += c;
      ++position_;
    } else if (!read_escape(name)) {
      return bad("an unknown escape in a quoted name (known: \\\", \\\\ and \\xNN)");
    }
  }
  ++position_;
  token_.kind = Token::Kind::name;
  token_.quoted = true;
  kept_.push_back(std::move(name));
  token_.text = kept_.back();
}

void TokenReader::read_sign() {
  const std::string_view rest = text_.substr(position_);
  if (rest.substr(0, 2) == "<<" || rest.substr(0, 2) == ">>") {
    token_.text = rest.substr(0, 2);
  } else if (std::string_view("{}[]()=+-*/%,").find(rest[0]) != std::string_view::npos) {
    token_.text = rest.substr(0, 1);
  } else {
    ++position_;
    return bad("'" + printable(rest.substr(0, 1)) + "'");
  }
  position_ += token_.text.size();
  token_.kind = Token::Kind::sign;
}

}  // namespace npulab::isa
