// SPDX-License-Identifier: Apache-2.0
// docs/validation.md: statistics, and every deviation above 20 % with the cause that is suspected. Only errors and the worst cases
// stand in it, no copy of the published tables.
#pragma once

#include <string>
#include <vector>

#include "app/validate/scores.h"

namespace npulab::validate {

/// A suspicion about the cases of one family, from a table with the columns family, case, cause; `case` is a part of the id, "" all.
struct SuspectedCause {
  std::string family, part, cause;
};

/// Reads such a table; none when `path` is not there. UserError when it is malformed.
std::vector<SuspectedCause> read_causes(const std::string& path);

std::string validation_document(const std::vector<CaseResult>& results, const std::vector<Step>& steps, const std::vector<SuspectedCause>& causes,
                                const std::string& command);

}  // namespace npulab::validate
