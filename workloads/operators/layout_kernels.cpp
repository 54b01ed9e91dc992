// SPDX-License-Identifier: Apache-2.0
// TransData: 8-bit tensors between row-major order and channel blocks [n][c1][position][32].
#include <algorithm>

#include "workloads/operators/lowering_context.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

using isa::Space;

constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kMaxTilePositions = 512;

/// One tile: an image, a channel block, and a run of positions.
struct Tile {
  std::int64_t image, block, first, count;
};

std::vector<Tile> tiles_of(const Blocking& b, std::int64_t most) {
  std::vector<Tile> tiles;
  for (std::int64_t image = 0; image < b.images; ++image) {
    for (std::int64_t block = 0; block < b.blocks(); ++block) {
      for (std::int64_t first = 0; first < b.positions; first += most) {
        tiles.push_back({image, block, first, std::min(most, b.positions - first)});
      }
    }
  }
  return tiles;
}

/// Offsets of a tile in the two forms.
std::uint64_t blocked_offset(const Blocking& b, const Tile& t) {
  return static_cast<std::uint64_t>(t.image * b.image_bytes() + (t.block * b.positions + t.first) * kBlock);
}
std::uint64_t row_major_offset(const Blocking& b, const Tile& t) {
  const std::int64_t image = t.image * b.channels * b.positions;
  return static_cast<std::uint64_t>(
      image + (b.channel_last ? t.first * b.channels + t.block * kBlock : t.block * kBlock * b.positions + t.first));
}
std::int64_t channels_in(const Blocking& b, const Tile& t) { return std::min(kBlock, b.channels - t.block * kBlock); }

isa::CopyOperands copy(Space src, Space dst, std::int64_t rows, std::int64_t row, std::int64_t src_pitch, std::int64_t dst_pitch) {
  return {src, dst, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(row), src_pitch, dst_pitch};
}

/// Transposes `squares` squares of 32x32 bytes; planes have `pitch` bytes a channel row.
void transpose(VectorCode& code, std::uint64_t dst, std::uint64_t src, std::int64_t squares, std::int64_t pitch, bool to_blocked) {
  isa::VectorOperands o{};
  o.op = isa::VectorOp::transpose;
  o.dst_type = o.src_type = isa::DataType::int8;
  o.repeats = static_cast<std::uint8_t>(squares);
  const auto plane = static_cast<std::uint8_t>(pitch / kBlock);
  o.src0_block_stride = to_blocked ? plane : 1;
  o.src0_repeat_stride = to_blocked ? 1 : 32;
  o.dst_block_stride = to_blocked ? 1 : plane;
  o.dst_repeat_stride = to_blocked ? 32 : 1;
  code.emit(o, dst, src);
}

/// UB of one worker: two sets of two areas, each for a whole tile.
std::uint64_t area(int set, int which) { return static_cast<std::uint64_t>((set * 2 + which) * kMaxTilePositions * kBlock); }

/// Fills the row-major areas with zeros, so that lanes beyond the last channel hold numbers of this run and not of an earlier one.
void clear_areas(isa::ProgramBuilder& program, VectorCode& code) {
  for (int set = 0; set < 2; ++set) code.fill(isa::DataType::fp16, area(set, 0), 0.0f, kMaxTilePositions * kBlock / 2);
  program.set_flag(isa::Pipe::v, isa::Pipe::mte2, 2);
  program.wait_flag(isa::Pipe::v, isa::Pipe::mte2, 2);
}

}  // namespace

void add_plain_copy(LoweringContext& context, const std::string& name, std::uint64_t from, std::uint64_t to, std::int64_t bytes) {
  const std::int64_t piece = context.vector_tile(bytes, 2), pieces = ceil_div(bytes, piece);
  context.add_vector_kernel("Copy_" + name, "Copy", pieces,
                            [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
                              VectorCode code(program);
                              const auto size = [&](std::int64_t i) { return std::min(piece, bytes - (first + i) * piece); };
                              TileStages stages;
                              stages.load = [&](std::int64_t i, int set) {
                                program.copy(copy(Space::gm, Space::ub, 1, size(i), size(i), size(i)), set * piece,
                                             static_cast<std::int64_t>(from) + (first + i) * piece);
                              };
                              stages.compute = [](std::int64_t, int) {};
                              stages.store = [&](std::int64_t i, int set) {
                                program.copy(copy(Space::ub, Space::gm, 1, size(i), size(i), size(i)),
                                             static_cast<std::int64_t>(to) + (first + i) * piece, set * piece);
                              };
                              pipeline_tiles(program, last - first, stages);
                            });
}

void add_to_blocked(LoweringContext& context, const std::string& name, const Blocking& b, std::uint64_t from, std::uint64_t to) {
  const std::vector<Tile> tiles = tiles_of(b, kMaxTilePositions);
  context.add_vector_kernel(
      "TransData_" + name, "TransData", static_cast<std::int64_t>(tiles.size()),
      [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
        VectorCode code(program);
        if (b.channels % kBlock != 0) clear_areas(program, code);
        TileStages stages;
        stages.load = [&](std::int64_t i, int set) {
          const Tile& t = tiles[static_cast<std::size_t>(first + i)];
          const std::int64_t channels = channels_in(b, t), gm = static_cast<std::int64_t>(from + row_major_offset(b, t));
          if (b.channel_last)
            program.copy(copy(Space::gm, Space::ub, t.count, channels, b.channels, kBlock), static_cast<std::int64_t>(area(set, 0)),
                         gm);
          else
            program.copy(copy(Space::gm, Space::ub, channels, t.count, b.positions, round_up(t.count, kBlock)),
                         static_cast<std::int64_t>(area(set, 0)), gm);
        };
        stages.compute = [&](std::int64_t i, int set) {
          const Tile& t = tiles[static_cast<std::size_t>(first + i)];
          const std::int64_t pitch = round_up(t.count, kBlock);
          if (!b.channel_last) transpose(code, area(set, 1), area(set, 0), pitch / kBlock, pitch, true);
        };
        stages.store = [&](std::int64_t i, int set) {
          const Tile& t = tiles[static_cast<std::size_t>(first + i)];
          program.copy(copy(Space::ub, Space::gm, 1, t.count * kBlock, t.count * kBlock, t.count * kBlock),
                       static_cast<std::int64_t>(to + blocked_offset(b, t)),
                       static_cast<std::int64_t>(area(set, b.channel_last ? 0 : 1)));
        };
        pipeline_tiles(program, last - first, stages);
      });
}

void add_to_row_major(LoweringContext& context, const std::string& name, const Blocking& b, std::uint64_t from, std::uint64_t to) {
  const std::vector<Tile> tiles = tiles_of(b, kMaxTilePositions);
  context.add_vector_kernel(
      "TransData_" + name, "TransData", static_cast<std::int64_t>(tiles.size()),
      [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
        VectorCode code(program);
        TileStages stages;
        stages.load = [&](std::int64_t i, int set) {
          const Tile& t = tiles[static_cast<std::size_t>(first + i)];
          program.copy(copy(Space::gm, Space::ub, 1, t.count * kBlock, t.count * kBlock, t.count * kBlock),
                       static_cast<std::int64_t>(area(set, 0)), static_cast<std::int64_t>(from + blocked_offset(b, t)));
        };
        stages.compute = [&](std::int64_t i, int set) {
          const Tile& t = tiles[static_cast<std::size_t>(first + i)];
          const std::int64_t pitch = round_up(t.count, kBlock);
          if (!b.channel_last) transpose(code, area(set, 1), area(set, 0), pitch / kBlock, pitch, false);
        };
        stages.store = [&](std::int64_t i, int set) {
          const Tile& t = tiles[static_cast<std::size_t>(first + i)];
          const std::int64_t channels = channels_in(b, t), gm = static_cast<std::int64_t>(to + row_major_offset(b, t));
          if (b.channel_last)
            program.copy(copy(Space::ub, Space::gm, t.count, channels, kBlock, b.channels), gm,
                         static_cast<std::int64_t>(area(set, 0)));
          else
            program.copy(copy(Space::ub, Space::gm, channels, t.count, round_up(t.count, kBlock), b.positions), gm,
                         static_cast<std::int64_t>(area(set, 1)));
        };
        pipeline_tiles(program, last - first, stages);
      });
}

}  // namespace npulab::operators
