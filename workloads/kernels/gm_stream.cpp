// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gm_stream.h"

#include <algorithm>

#include "model/isa/isa_limits.h"
#include "model/isa/program_builder.h"
#include "workloads/kernels/kernel_workload.h"

namespace npulab::kernels {

Workload gm_stream(const SocSpec& soc, std::int64_t bytes_per_core) {
  // Two pieces fill half of L1: large enough to hide the start of each, small enough for every chip.
  const std::int64_t piece = std::min(soc.cube_core().buffers[static_cast<int>(isa::Space::l1)].capacity / 4,
                                      isa::limits::kCopyRowBytes / 512 * 512);
  const int cores = cube_groups(soc);
  const std::int64_t pieces = std::max<std::int64_t>(1, bytes_per_core / piece);
  Workload workload;
  workload.name = "gm_stream";
  workload.target_soc = soc.name;
  const std::uint64_t source = add_array(workload, "source", isa::DataType::int8, {cores, pieces * piece});
  isa::KernelBuilder kernel("gm_stream", "DataCopy");
  const isa::Variable base = kernel.block_variable("base");
  const int program = kernel.program("stream", [&](isa::ProgramBuilder& p) {
    p.loop(pieces, [&](isa::Variable i) {
      const auto bytes = static_cast<std::uint32_t>(piece);
      p.copy({isa::Space::gm, isa::Space::l1, 1, bytes, bytes, bytes}, isa::modulo(i, 2) * piece, isa::Affine(base) + i * piece);
    });
  });
  for (int core = 0; core < cores; ++core) {
    isa::BlockBinding binding;
    binding.cube = program;
    binding.values = {static_cast<std::int64_t>(source) + core * pieces * piece};
    kernel.block(binding);
  }
  set_task(workload, kernel.build());
  return workload;
}

KernelGenerator gm_stream_generator() {
  return {"gm_stream",
          "nothing but loads: every cube core reads its own bytes from GM into L1",
          {{"bytes_per_core", "", "what each core reads, rounded down to whole pieces", {}, Unit::bytes}},
          [](const SocSpec& soc, const KernelOptions& o) { return gm_stream(soc, o.integer("bytes_per_core")); }};
}

}  // namespace npulab::kernels
