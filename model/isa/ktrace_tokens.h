// SPDX-License-Identifier: Apache-2.0
// Words, numbers and signs of a .ktrace text with their places, and the list of what is wrong with it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/errors.h"

namespace npulab::isa {

struct Token {
  enum class Kind : std::uint8_t { name, number, sign, line_end, text_end, bad };
  Kind kind = Kind::text_end;
  bool quoted = false;      // a name in quotes is never a keyword
  std::string_view text;    // name without quotes; sign as written; bad: what is wrong with it
  std::uint64_t value = 0;  // number
  bool hexadecimal = false;
  int line = 0;
  int column = 0;

  bool is(const char* sign) const { return kind == Kind::sign && text == sign; }
  bool is_word(std::string_view word) const { return kind == Kind::name && !quoted && text == word; }
};

/// Thrown once a problem of the present line has been noted, to go on with the next line.
struct LineProblem {};

class TokenReader {
 public:
  TokenReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) { advance(); }

  const Token& peek() const { return token_; }
  Token take();
  /// Takes the sign or fails.
  void expect(const char* sign);
  bool accept(const char* sign);
  std::string take_name(const char* what);
  /// Notes "expected `expected`, found ..." at `token` and throws LineProblem.
  [[noreturn]] void fail_expected(const Token& token, const std::string& expected, const std::string& hint = "");
  /// Notes `message` at `token` and throws LineProblem.
  [[noreturn]] void fail(const Token& token, const std::string& message);
  void note(const Token& token, const std::string& message);
  /// Goes to the end of the line; true when its last token is an opening brace.
  bool skip_line();

  struct Mark { std::size_t position; std::size_t line_start; int line; Token token; std::size_t kept; };
  Mark mark() const { return {position_, line_start_, line_, token_, kept_.size()}; }
  /// Tokens taken since `mark` must not be used any more.
  void rewind(const Mark& mark);

  std::vector<Diagnostic>& problems() { return problems_; }
  const std::string& file() const { return file_; }

 private:
  void advance();
  void read_number();
  void read_bare_name();
  void read_quoted_name();
  bool read_escape(std::string& out);
  void read_sign();
  void skip_blanks();
  void bad(const std::string& message);

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  Token token_;
  std::deque<std::string> kept_;  // names with escapes and messages of bad tokens
  std::vector<Diagnostic> problems_;
};

/// The token as a message shows it.
std::string describe(const Token& token);

}  // namespace npulab::isa
