// SPDX-License-Identifier: Apache-2.0
// Integer expressions of a .ktrace text: constants, parameters and buffer addresses fold; block variables and loop counters
// stay as affine terms (coefficient * variable, or coefficient * (variable % constant)).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/isa/ktrace_tokens.h"
#include "model/isa/program_builder.h"

namespace npulab::isa {

/// What names mean at one place of the text. Loop counters come before block variables, parameters and buffers.
struct KtraceScope {
  std::vector<std::string> loops;      // by depth
  std::vector<std::string> variables;  // of blocks
  std::map<std::string, std::int64_t, std::less<>> parameters;
  std::map<std::string, std::int64_t, std::less<>> buffers[kSpaceCount];
  const std::int64_t* block_index = nullptr;  // value of `index` in a table of blocks

  /// Every name that an expression may use; `space` is -1 outside address brackets.
  std::vector<std::string> names(int space) const;
};

struct KtraceValue {
  std::int64_t constant = 0;
  std::vector<Affine::Term> terms;
  bool is_constant() const { return terms.empty(); }
};

class ExpressionReader {
 public:
  /// `space`: whose buffers may be named, or -1.
  ExpressionReader(TokenReader& tokens, const KtraceScope& scope, int space = -1)
      : tokens_(tokens), scope_(scope), space_(space) {}

  /// Reads the longest expression that begins here; LineProblem when there is none or it is not affine.
  KtraceValue read();
  /// The same, but it must be a constant from `least` to `most`; `what` names it in messages.
  std::int64_t read_constant(const std::string& what, std::int64_t least, std::int64_t most);

 private:
  KtraceValue sum();
  KtraceValue product();
  KtraceValue factor();
  KtraceValue named(const Token& name);
  KtraceValue scaled(const KtraceValue& value, std::int64_t factor, const Token& at);
  KtraceValue added(const KtraceValue& left, const KtraceValue& right, int sign, const Token& at);
  KtraceValue multiplied(const KtraceValue& left, const KtraceValue& right, const Token& at);
  KtraceValue divided(const KtraceValue& left, const KtraceValue& right, const Token& at);
  KtraceValue shifted(const KtraceValue& left, const KtraceValue& right, const Token& at);
  const Token& constants_only(const KtraceValue& value, const Token& at);
  [[noreturn]] void overflow(const Token& at);

  TokenReader& tokens_;
  const KtraceScope& scope_;
  int space_;
  int depth_ = 0;
};

}  // namespace npulab::isa
