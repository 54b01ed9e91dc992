// SPDX-License-Identifier: Apache-2.0
// manifest.json says what was run (enough to run it again) and stats.json what came of it. No wall clock, no host name: the
// same run gives the same bytes.
#pragma once

#include <string>

#include "app/report/run_result.h"

namespace npulab::report {

/// SHA-256 of a file; UserError when it cannot be read.
FileDigest digest_file(const std::string& path);

void write_manifest(const RunResult& run, const std::string& path);
void write_stats(const RunResult& run, const std::string& path);

}  // namespace npulab::report
