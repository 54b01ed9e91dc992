// SPDX-License-Identifier: Apache-2.0
// Pieces of the text form: names, numbers, affine expressions, tables of blocks. write_ktrace (ktrace.h) puts them together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/isa/kernel.h"

namespace npulab::isa {

/// A name as a bare word if it is one, else in quotes.
std::string written_name(const std::string& name);

/// Decimal when short, else hexadecimal; a negative number has a sign.
std::string written_number(std::int64_t value);

/// A constant and terms of one address, number or event.
struct WrittenSum {
  std::int64_t constant = 0;
  std::vector<AffineTerm> terms;
};
/// `base` (may be empty) stands for what the constant has been reduced by; `names` are those of the affine variables.
std::string written_sum(const WrittenSum& sum, const std::vector<std::string>& names, const std::string& base);

/// `block` and `blocks` lines; runs that follow a pattern in one or two steps become one line.
std::string written_blocks(const Kernel& kernel);

}  // namespace npulab::isa
