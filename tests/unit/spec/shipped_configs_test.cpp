// SPDX-License-Identifier: Apache-2.0
// The shipped chips and boards against published peaks, closed formulas and the rules of evidence.
#include <gtest/gtest.h>

#include <cmath>

#include "model/base/errors.h"
#include "model/spec/board_spec.h"
#include "model/spec/config_check.h"
#include "tests/unit/spec/shipped_configs.h"

namespace npulab {
namespace {

BoardSpec board_of(const std::string& name) { return load_board(test::source_path("configs/board/card_" + name + ".yaml"), {}); }

TEST(ShippedConfigs, all_are_there_and_clean) {
  EXPECT_EQ(test::shipped("soc").size(), 8u);
  EXPECT_EQ(test::shipped("board").size(), 8u);
  for (const char* folder : {"soc", "board"}) {
    for (const std::string& file : test::shipped(folder)) {
      for (const Diagnostic& problem : check_config_file(file)) ADD_FAILURE() << to_string(problem);
    }
  }
}

TEST(ShippedConfigs, every_number_names_a_public_source) {
  for (const std::string& file : test::shipped("board")) {
    const BoardSpec board = load_board(file, {});
    EXPECT_GT(board.parameters.parameters.size(), 150u) << file;
    for (const Parameter& p : board.parameters.parameters) {
      EXPECT_NE(p.evidence, Evidence::overridden) << p.path;
      EXPECT_GE(p.source.size(), 8u) << p.path << ": '" << p.source << "'";
      for (const char* inside : {"shared", "../", "ascend-hardware", "pcie-firmware", "BEST", "PERFDOC", "MSOP "}) {
        EXPECT_EQ(p.source.find(inside), std::string::npos) << p.path << ": " << p.source;
      }
      EXPECT_NE(p.file.find("configs/"), std::string::npos);
      EXPECT_GT(p.line, 0);
    }
  }
}

std::int64_t cubes_of(const SocSpec& soc) {
  std::int64_t cubes = 0;
  for (const CoreGroupSpec& group : soc.groups) cubes += static_cast<std::int64_t>(group.count) * (group.fused_cores + group.cube_cores);
  return cubes;
}

std::int64_t vectors_of(const SocSpec& soc) {
  std::int64_t vectors = 0;
  for (const CoreGroupSpec& group : soc.groups) vectors += static_cast<std::int64_t>(group.count) * group.vector_cores;
  return vectors;
}

/// Published or derived INT8 peaks in tenths of TOPS: 2 x M x N x K x clock x cubes.
TEST(ShippedConfigs, peaks_agree_with_published_ones) {
  struct Row { const char* board; std::int64_t cubes, vectors, tops_x10, fp16_x10; };
  const Row rows[] = {{"310x4", 2, 0, 223, 111}, {"310p3", 8, 7, 1389, 695}, {"910a", 32, 0, 5243, 2621}, {"910b1", 24, 48, 7274, 3637},
                      {"910b2", 24, 48, 7078, 3539}, {"910b3", 20, 40, 5898, 2949}, {"950pr", 32, 64, 8651, 4325}, {"950pr_28core", 28, 56, 7569, 3785}};
  for (const Row& row : rows) {
    const SocSpec soc = board_of(row.board).socs.at(0);
    const CoreSpec& core = soc.cube_core();
    EXPECT_EQ(cubes_of(soc), row.cubes) << row.board;
    EXPECT_EQ(vectors_of(soc), row.vectors) << row.board;
    const double per_cycle = 2.0 * static_cast<double>(row.cubes * core.cube.tile_m * core.cube.tile_n) * static_cast<double>(core.clock_khz) * 1e3 / 1e11;
    EXPECT_EQ(std::lround(per_cycle * core.cube.tile_k_int8), row.tops_x10) << row.board;
    EXPECT_NEAR(per_cycle * core.cube.tile_k_fp16, static_cast<double>(row.fp16_x10), 1.0) << row.board;
  }
}

Bytes capacity(const CoreSpec& core, isa::Space space) { return core.buffers[static_cast<int>(space)].capacity; }

TEST(ShippedConfigs, buffers_are_those_of_the_platform_files) {
  struct Row { const char* board; Bytes l1, l0a, l0b, l0c, ub, bt, fb; std::int64_t l2_mib, khz; int event_ids; };
  const Row rows[] = {{"310x4", 1024, 64, 64, 256, 248, 0, 0, 8, 680'000, 4}, {"310p3", 1024, 64, 64, 256, 256, 0, 0, 16, 1'060'000, 8},
                      {"910a", 1024, 64, 64, 256, 256, 0, 0, 32, 1'000'000, 4}, {"910b1", 512, 64, 64, 128, 192, 1, 7, 192, 1'850'000, 8},
                      {"950pr", 512, 64, 64, 256, 248, 4, 6, 128, 1'650'000, 8}};
  for (const Row& row : rows) {
    const SocSpec soc = board_of(row.board).socs.at(0);
    const CoreSpec& cube = soc.cube_core();
    EXPECT_EQ(capacity(cube, isa::Space::l1), row.l1 << 10) << row.board;
    EXPECT_EQ(capacity(cube, isa::Space::l0a), row.l0a << 10) << row.board;
    EXPECT_EQ(capacity(cube, isa::Space::l0b), row.l0b << 10) << row.board;
    EXPECT_EQ(capacity(cube, isa::Space::l0c), row.l0c << 10) << row.board;
    EXPECT_EQ(capacity(soc.vector_core(), isa::Space::ub), row.ub << 10) << row.board;
    EXPECT_EQ(capacity(cube, isa::Space::bt), row.bt << 10) << row.board;
    EXPECT_EQ(capacity(cube, isa::Space::fb), row.fb << 10) << row.board;
    EXPECT_EQ(soc.memory.l2.capacity, row.l2_mib << 20) << row.board;
    EXPECT_EQ(cube.clock_khz, row.khz) << row.board;
    EXPECT_EQ(cube.flags.event_ids, row.event_ids) << row.board;
    EXPECT_EQ(cube.fixpipe.present, row.fb != 0) << row.board;
    EXPECT_EQ(soc.cross_flags.supported, row.fb != 0) << row.board;
  }
}

TEST(ShippedConfigs, the_910b1_is_the_measured_one) {
  const SocSpec soc = board_of("910b1").socs.at(0);
  EXPECT_EQ(soc.cube.cube.head_pipelined_cycles, 10);
  EXPECT_EQ(soc.cube.cube.head_drained_cycles, 61);
  EXPECT_EQ(soc.cube.mte1.l0a_rate.milli_per_cycle, 256'000);
  EXPECT_EQ(soc.cube.mte1.l0b_rate.milli_per_cycle, 128'000);
  EXPECT_EQ(soc.cube.mte1.latency_2d_cycles, 28);
  EXPECT_EQ(soc.cube.mte1.latency_3d_cycles, 50);
  EXPECT_EQ(soc.cube.mte1.latency_table_cycles, 20);
  EXPECT_EQ(soc.cube.fixpipe.elements_per_cycle_local, 64);
  EXPECT_EQ(soc.cube.fixpipe.elements_per_cycle_gm, 32);
  EXPECT_EQ(soc.cube.fixpipe.latency_cycles, 20);
  EXPECT_EQ(soc.vector.vector.startup_cycles, 22);
  // 24 cores at their port read the 4.88 TB/s that was measured from L2.
  EXPECT_EQ(24 * soc.cube.gm_read_rate.milli_per_cycle / 1000 * soc.cube.clock_khz, 4'884'000'000);
  // 355 and 190 cycles at 1.85 GHz, to the nanosecond.
  EXPECT_EQ((soc.memory.hbm.miss_latency * 185 + 50'000) / 100'000, 355);
  EXPECT_NEAR(static_cast<double>(soc.memory.l2.hit_latency) * 1.85e-3, 190.0, 1.0);
  EXPECT_TRUE(board_of("950pr").socs.at(0).cube.cube.l0a_k_outer);
  EXPECT_FALSE(soc.cube.cube.l0a_k_outer);
}

/// A core alone must be able to draw its port rate at the latency of a miss: outstanding >= rate x latency.
TEST(ShippedConfigs, outstanding_bytes_cover_rate_times_latency) {
  for (const std::string& file : test::shipped("board")) {
    for (const SocSpec& soc : load_board(file, {}).socs) {
      for (const CoreSpec* core : {&soc.fused, &soc.cube, &soc.vector}) {
        if (core->clock_khz == 0) continue;
        const double cycles = static_cast<double>(soc.memory.hbm.miss_latency) * static_cast<double>(core->clock_khz) * 1e-9;
        EXPECT_GE(static_cast<double>(core->outstanding_read_bytes), cycles * static_cast<double>(core->gm_read_rate.milli_per_cycle) / 1000.0)
            << soc.name << " kind " << static_cast<int>(core->kind);
      }
    }
  }
}

TEST(ShippedConfigs, endpoints_carry_the_ids_of_the_driver) {
  const std::pair<const char*, int> rows[] = {{"310x4", 0xd100}, {"310p3", 0xd500}, {"910a", 0xd801}, {"910b1", 0xd802}, {"950pr", 0xd806},
                                              {"910b2", 0xd802}, {"910b3", 0xd802}, {"950pr_28core", 0xd806}};
  for (const auto& [name, device] : rows) {
    const EndpointSpec endpoint = board_of(name).socs.at(0).endpoint;
    EXPECT_EQ(endpoint.vendor_id, 0x19e5);
    EXPECT_EQ(endpoint.device_id, device) << name;
    EXPECT_EQ(endpoint.class_code, 0x120000);
    EXPECT_EQ(endpoint.msix_vectors, 128);
    EXPECT_EQ(endpoint.bars.size(), 3u);
  }
}

TEST(ShippedConfigs, the_four_chip_card_hangs_below_one_switch) {
  using Kind = PcieNodeSpec::Kind;
  const BoardSpec board = board_of("310x4");
  ASSERT_EQ(board.pcie.size(), 10u);
  EXPECT_EQ(board.devices.size(), 4u);
  EXPECT_EQ(board.socs.size(), 1u);
  EXPECT_EQ(board.pcie[0].kind, Kind::root_port);
  EXPECT_EQ(board.pcie[1].kind, Kind::switch_upstream);
  for (std::size_t i = 0; i < 4; ++i) {
    const PcieNodeSpec &port = board.pcie[2 + 2 * i], &chip = board.pcie[3 + 2 * i];
    EXPECT_EQ(port.kind, Kind::switch_downstream);
    EXPECT_EQ(port.parent, 1);
    EXPECT_EQ(chip.kind, Kind::endpoint);
    EXPECT_EQ(chip.parent, static_cast<int>(2 + 2 * i));
    EXPECT_EQ(chip.device, static_cast<int>(i));
    EXPECT_EQ(chip.link.width, 4);
    EXPECT_EQ(chip.path, "board.rp0.switch.down" + std::to_string(i) + ".npu" + std::to_string(i));
  }
}

}  // namespace
}  // namespace npulab
