// SPDX-License-Identifier: Apache-2.0
// The text form of a kernel (.ktrace): one instruction a line, loops, affine addresses, named parameters and buffers, a table
// of blocks. README.md shows a file. Reading what was written gives an equal kernel, and writing that gives the same text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/errors.h"
#include "model/isa/kernel.h"

namespace npulab {

struct SocSpec;

namespace isa {

/// The version this program reads and writes.
inline constexpr int kKtraceFormat = 1;
inline constexpr std::size_t kMaxKtraceBytes = std::size_t{256} << 20;
inline constexpr std::size_t kMaxKtraceBlocks = 1'000'000;
inline constexpr std::size_t kMaxKtraceProblems = 100;

/// Values that replace those of `param` lines, by name.
using KtraceParameters = std::map<std::string, std::int64_t>;

/// Reads a kernel; `file` is for messages. Throws UserError with every problem found, at most kMaxKtraceProblems.
Kernel parse_ktrace(std::string_view text, const std::string& file, const KtraceParameters& parameters = {});

/// Reads a file; throws UserError also when it cannot be read or is too large.
Kernel load_ktrace(const std::string& path, const KtraceParameters& parameters = {});

/// The text of a kernel. InternalError when the kernel is none that a builder or the parser could have made.
std::string write_ktrace(const Kernel& kernel);

/// Everything wrong with a file: its text, and if that is right and `soc` is given, its behaviour on that chip.
std::vector<Diagnostic> check_ktrace(const std::string& path, const KtraceParameters& parameters, const SocSpec* soc);

}  // namespace isa
}  // namespace npulab
