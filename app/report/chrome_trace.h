// SPDX-License-Identifier: Apache-2.0
// The timeline as Chrome trace events, gzip-compressed: one process a device with a thread a pipe, one for host, links,
// scheduler and DMA; arrows from set_flag to wait_flag; GM throughput counters. Opens in Perfetto, DevTools and MindStudio.
#pragma once

#include <string>

#include "app/report/run_result.h"

namespace npulab::report {

/// Writes `path` (trace.json.gz). Throws UserError when the file cannot be written.
void write_chrome_trace(const RunResult& run, const std::string& path);

/// "mmad 128x256x64", "copy gm->l1 4x1024 B", ...: what a reader of the timeline wants to see of an instruction.
std::string describe_instruction(isa::Opcode opcode, const isa::Operands* operands, int peer, int event, isa::Pipe pipe);

}  // namespace npulab::report
