// SPDX-License-Identifier: Apache-2.0
// Chips for checker tests, written down here so that a change of a shipped configuration moves no expectation.
#pragma once

#include "model/spec/soc_spec.h"

namespace npulab::isa::test {

inline void set_buffer(CoreSpec& core, Space space, Bytes capacity, Bytes alignment) {
  core.buffers[static_cast<int>(space)].capacity = capacity;
  core.buffers[static_cast<int>(space)].alignment = alignment;
}

inline void set_depths(CoreSpec& core, std::initializer_list<Pipe> pipes, int depth) {
  for (Pipe pipe : pipes) core.dispatch.queue_depth[static_cast<int>(pipe)] = depth;
}

/// Groups of one cube and two vector cores, as on a 2201.
inline SocSpec split_soc(int groups = 2, int depth = 32) {
  SocSpec soc;
  soc.name = "split";
  soc.groups.push_back({"aic", groups, 0, 1, 2});
  soc.cube.kind = CoreKind::cube;
  soc.cube.clock_khz = 1'000'000;
  set_buffer(soc.cube, Space::l1, 512 << 10, 32);
  set_buffer(soc.cube, Space::l0a, 64 << 10, 512);
  set_buffer(soc.cube, Space::l0b, 64 << 10, 512);
  set_buffer(soc.cube, Space::l0c, 128 << 10, 64);
  set_buffer(soc.cube, Space::bt, 1 << 10, 64);
  set_buffer(soc.cube, Space::fb, 7 << 10, 64);
  set_depths(soc.cube, {Pipe::m, Pipe::mte1, Pipe::mte2, Pipe::fix}, depth);
  soc.cube.fixpipe.present = true;
  soc.vector.kind = CoreKind::vector;
  soc.vector.clock_khz = 1'000'000;
  set_buffer(soc.vector, Space::ub, 192 << 10, 32);
  set_depths(soc.vector, {Pipe::v, Pipe::mte2, Pipe::mte3}, depth);
  soc.cross_flags.supported = true;
  soc.memory.hbm.capacity = Bytes{1} << 30;
  return soc;
}

/// Fused cores without bias table, FixPipe and cross-core flags, four events a pair, as on a 910A.
inline SocSpec fused_soc(int depth = 32) {
  SocSpec soc;
  soc.name = "fused";
  soc.groups.push_back({"core", 2, 1, 0, 0});
  soc.fused.kind = CoreKind::fused;
  soc.fused.clock_khz = 1'000'000;
  set_buffer(soc.fused, Space::l1, 1 << 20, 32);
  set_buffer(soc.fused, Space::l0a, 64 << 10, 512);
  set_buffer(soc.fused, Space::l0b, 64 << 10, 512);
  set_buffer(soc.fused, Space::l0c, 256 << 10, 64);
  set_buffer(soc.fused, Space::ub, 256 << 10, 32);
  set_depths(soc.fused, {Pipe::v, Pipe::m, Pipe::mte1, Pipe::mte2, Pipe::mte3}, depth);
  soc.fused.flags.event_ids = 4;
  soc.memory.hbm.capacity = Bytes{1} << 30;
  return soc;
}

}  // namespace npulab::isa::test
