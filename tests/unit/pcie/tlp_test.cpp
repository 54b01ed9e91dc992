// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/tlp.h"

#include <gtest/gtest.h>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

std::vector<int> payloads(const TlpList& tlps) {
  std::vector<int> out;
  for (int i = 0; i < tlps.count(); ++i) out.push_back(tlps[i].payload);
  return out;
}

constexpr std::uint64_t kHigh = std::uint64_t{1} << 33;

TEST(Tlp, wire_sizes_are_the_public_ones) {
  EXPECT_EQ(write_tlps(0x1000, 4, 256).wire_bytes(8), 24);          // 32-bit address: 20 + 4
  EXPECT_EQ(write_tlps(kHigh, 256, 256).wire_bytes(8), 280);        // 64-bit address: 24 + 256
  EXPECT_EQ(read_tlps(kHigh, 512, 512).wire_bytes(8), 24);
  EXPECT_EQ(completion_tlps(kHigh, 256, 512, 256, 64).wire_bytes(8), 276);
  EXPECT_EQ(write_tlps(kHigh, 4, 256).wire_bytes(8), 28);           // MSI-X
}

TEST(Tlp, payloads_are_cut_by_the_size_rules) {
  EXPECT_EQ(payloads(write_tlps(kHigh, 1024, 256)), (std::vector<int>{256, 256, 256, 256}));
  EXPECT_EQ(payloads(write_tlps(kHigh + 200, 300, 256)), (std::vector<int>{56, 244}));
  EXPECT_EQ(read_tlps(kHigh, 4096, 512).count(), 8);
  EXPECT_EQ(read_tlps(kHigh + 500, 512, 512).count(), 2);
  // The first completion ends at a boundary, the next ones are full.
  EXPECT_EQ(payloads(completion_tlps(kHigh + 4, 512, 4096, 256, 64)), (std::vector<int>{252, 256, 4}));
  EXPECT_EQ(payloads(completion_tlps(kHigh + 60, 100, 512, 128, 64)), (std::vector<int>{68, 32}));
  EXPECT_EQ(payloads(completion_tlps(kHigh, 1024, 512, 256, 64)), (std::vector<int>{256, 256, 256, 256}));
  EXPECT_EQ(payloads(completion_tlps(kHigh, 8, 512, 256, 64)), (std::vector<int>{8}));
}

TEST(Tlp, a_page_in_the_smallest_pieces_is_the_most) {
  EXPECT_EQ(completion_tlps(kHigh, 4096, 128, 128, 64).count(), 32);
  EXPECT_THROW(write_tlps(kHigh, 8192, 128), InternalError);
}

TEST(Tlp, nothing_crosses_a_page) {
  for (Bytes start = 0; start < 4096; start += 37) {
    const std::uint64_t address = kHigh + static_cast<std::uint64_t>(start);
    const Bytes bytes = 4096 - start;
    EXPECT_EQ(write_tlps(address, bytes, 512).payload_bytes(), bytes);
    EXPECT_EQ(completion_tlps(address, bytes, 512, 256, 64).payload_bytes(), bytes);
  }
}

TEST(Tlp, a_split_burst_keeps_its_bytes_in_order) {
  Burst burst;
  burst.type = TlpType::memory_read;
  burst.address = kHigh + 100;
  burst.bytes = 1500;
  burst.max_read_request = 512;
  burst.tlps = read_tlps(burst.address, burst.bytes, 512);
  ASSERT_EQ(burst.tlps.count(), 4);  // 412, 512, 512, 64
  const BurstPtr first = split(burst, 2);
  EXPECT_EQ(first->bytes, 412 + 512);
  EXPECT_EQ(first->address, kHigh + 100);
  EXPECT_EQ(burst.address, kHigh + 1024);
  EXPECT_EQ(burst.bytes, 576);
  EXPECT_EQ(burst.offset, 924);
  EXPECT_EQ(burst.tlps.count(), 2);
}

}  // namespace
}  // namespace npulab::pcie
