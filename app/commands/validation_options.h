// SPDX-License-Identifier: Apache-2.0
// What `validate` and `calibrate` have in common on the command line.
#pragma once

#include "app/commands/option_parser.h"
#include "app/validate/validation_run.h"

namespace npulab::commands {

void add_validation_options(OptionParser& parser);
/// Reads them back; progress goes to a terminal on the standard error stream only.
validate::ValidationRequest validation_request(const OptionParser& parser);

}  // namespace npulab::commands
