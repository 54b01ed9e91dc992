// SPDX-License-Identifier: Apache-2.0
// Bytes of the core's buffers and of the device, the address map, and how a transfer is cut into pieces.
#include <gtest/gtest.h>

#include <numeric>

#include "memory/on_chip/local_buffers.h"
#include "memory/shared/row_cursor.h"
#include "memory/shared/sparse_memory.h"
#include "model/base/errors.h"

namespace npulab::memory {
namespace {

TEST(LocalBuffers, SpansAreCheckedAndNamed) {
  CoreSpec core;
  core.buffers[static_cast<int>(isa::Space::ub)].capacity = 64;
  core.buffers[static_cast<int>(isa::Space::l1)].capacity = 128;
  LocalBuffers buffers(core);
  *buffers.at(isa::Space::ub, 63, 1) = 7;
  EXPECT_EQ(*buffers.at(isa::Space::ub, 0, 64), 0);
  EXPECT_EQ(buffers.at(isa::Space::ub, 0, 64)[63], 7);
  EXPECT_NO_THROW(buffers.at(isa::Space::ub, 64, 0));
  EXPECT_THROW(buffers.at(isa::Space::ub, 63, 2), InternalError);
  EXPECT_THROW(buffers.at(isa::Space::ub, ~std::uint64_t{0}, 2), InternalError);
  EXPECT_THROW(buffers.at(isa::Space::l0c, 0, 1), InternalError);
  EXPECT_THROW(buffers.at(isa::Space::gm, 0, 1), InternalError);
  try {
    buffers.at(isa::Space::l1, 100, 29);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find(isa::name_of(isa::Space::l1)), std::string::npos) << error.what();
  }
  buffers.clear();
  EXPECT_EQ(buffers.at(isa::Space::ub, 0, 64)[63], 0);
}

TEST(SparseMemory, RoundTripsAcrossPagesAndReadsZeroElsewhere) {
  SparseMemory memory(Bytes{24'000'000'000});
  std::vector<std::uint8_t> in(200'000), out(200'002, 1);
  std::iota(in.begin(), in.end(), std::uint8_t{3});
  const std::uint64_t address = 20'000'000'123;
  memory.write(address, in.data(), 200'000);
  memory.read(address - 1, out.data(), 200'002);
  EXPECT_EQ(out.front(), 0);
  EXPECT_EQ(out.back(), 0);
  EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin() + 1));
  EXPECT_LE(memory.resident_bytes(), 5 * SparseMemory::kPageBytes);
}

TEST(SparseMemory, ReadingMakesNoPages) {
  SparseMemory memory(Bytes{1} << 34);
  std::uint8_t byte = 9;
  memory.read(12345, &byte, 1);
  EXPECT_EQ(byte, 0);
  EXPECT_EQ(memory.resident_bytes(), 0);
}

TEST(SparseMemory, OutsideTheDeviceIsABug) {
  SparseMemory memory(1000);
  std::uint8_t bytes[2] = {};
  EXPECT_NO_THROW(memory.write(998, bytes, 2));
  EXPECT_THROW(memory.write(999, bytes, 2), InternalError);
  EXPECT_THROW(memory.read(~std::uint64_t{0}, bytes, 2), InternalError);
}

TransferRequest rows(MemoryAccess access, std::uint64_t address, std::uint32_t count, Bytes bytes, Bytes pitch) {
  TransferRequest request;
  request.access = access;
  request.address = address;
  request.rows = count;
  request.row_bytes = bytes;
  request.row_pitch = pitch;
  return request;
}

TEST(AddressMap, EveryRowMustExist) {
  const AddressMap map(10'000);
  const auto r = MemoryAccess::read;
  EXPECT_TRUE(map.contains(rows(r, 0, 1, 10'000, 0)));
  EXPECT_FALSE(map.contains(rows(r, 1, 1, 10'000, 0)));
  EXPECT_TRUE(map.contains(rows(r, 0, 10, 1000, 1000)));
  EXPECT_FALSE(map.contains(rows(r, 0, 10, 1001, 1000)));
  EXPECT_TRUE(map.contains(rows(r, 9000, 10, 1000, -1000)));
  EXPECT_FALSE(map.contains(rows(r, 8999, 10, 1000, -1000)));
  EXPECT_FALSE(map.contains(rows(r, 0, 0xffffffff, 1, Bytes{1} << 62)));
}

struct CursorCase {
  const char* name;
  TransferRequest request;
  Bytes moved;
  std::size_t pieces;
};

class Cursors : public testing::TestWithParam<CursorCase> {};

TEST_P(Cursors, MovesWholeSectorsOfReadsAndExactBytesOfWrites) {
  const CursorCase& c = GetParam();
  RowCursor cursor(c.request, 512, 128);
  Bytes moved = 0, asked = 0;
  std::size_t pieces = 0;
  const Bytes total = cursor.remaining();
  while (!cursor.done()) {
    EXPECT_EQ(cursor.remaining(), total - asked);
    const RowCursor::Piece piece = cursor.piece();
    moved += piece.moved;
    asked += piece.asked;
    ++pieces;
    cursor.advance(piece);
  }
  EXPECT_EQ(moved, c.moved);
  EXPECT_EQ(pieces, c.pieces);
  EXPECT_EQ(asked, c.request.rows * c.request.row_bytes);
}

constexpr auto kRead = MemoryAccess::read;
constexpr auto kWrite = MemoryAccess::write;
INSTANTIATE_TEST_SUITE_P(
    RowCursor, Cursors,
    testing::Values(CursorCase{"one line", rows(kRead, 512, 1, 512, 0), 512, 1},
                    CursorCase{"one byte", rows(kRead, 1000, 1, 1, 0), 128, 1},
                    CursorCase{"straddles sectors", rows(kRead, 127, 1, 2, 0), 256, 1},
                    CursorCase{"straddles lines", rows(kRead, 511, 1, 2, 0), 256, 2},
                    CursorCase{"rows apart", rows(kRead, 0, 4, 64, 1024), 512, 4},
                    CursorCase{"rows that touch", rows(kRead, 0, 4, 128, 128), 512, 1},
                    CursorCase{"rows in one sector", rows(kRead, 0, 4, 16, 32), 512, 4},
                    CursorCase{"descending", rows(kRead, 4096, 3, 128, -1024), 384, 3},
                    CursorCase{"write exact", rows(kWrite, 100, 1, 33, 0), 33, 1},
                    CursorCase{"write rows", rows(kWrite, 500, 2, 24, 512), 48, 4},
                    CursorCase{"empty", rows(kRead, 0, 0, 64, 64), 0, 0}),
    [](const auto& info) {
      std::string name = info.param.name;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace npulab::memory
