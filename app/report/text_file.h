// SPDX-License-Identifier: Apache-2.0
// Writing a whole text file, all or an error.
#pragma once

#include <string>

namespace npulab::report {

/// Replaces `path` by `text`; UserError naming the path and the system's reason when it cannot be written.
void write_text_file(const std::string& path, const std::string& text);

/// A CSV field, quoted when it has to be.
std::string csv_field(const std::string& text);

}  // namespace npulab::report
