// SPDX-License-Identifier: Apache-2.0
// A gzip file to append text to. The header carries no time stamp, so equal contents are equal files.
#pragma once

#include <zlib.h>

#include <fmt/format.h>

#include <string>

#include "model/base/errors.h"

namespace npulab::report {

class GzipFile {
 public:
  /// Throws UserError when `path` cannot be opened for writing.
  explicit GzipFile(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "wb4")) {
    if (file_ == nullptr) throw UserError(path + ": cannot be written");
    gzbuffer(file_, 1 << 18);
  }
  ~GzipFile() {
    if (file_ != nullptr) gzclose(file_);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() > (1u << 18)) flush();
  }
  /// Throws UserError when anything could not be written (disk full).
  void close() {
    flush();
    const int result = gzclose(file_);
    file_ = nullptr;
    if (result != Z_OK) throw UserError(path_ + ": cannot be written completely");
  }

 private:
  void flush() {
    if (buffer_.size() > 0 && gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())) == 0) {
      throw UserError(path_ + ": cannot be written completely");
    }
    buffer_.clear();
  }

  std::string path_;
  gzFile file_;
  fmt::memory_buffer buffer_;
};

}  // namespace npulab::report
