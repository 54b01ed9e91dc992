// SPDX-License-Identifier: Apache-2.0
#include "app/report/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "model/base/errors.h"

namespace npulab::report {

void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw UserError(path + ": cannot be written: " + std::strerror(errno));
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw UserError(path + ": cannot be written completely: " + std::strerror(errno));
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace npulab::report
