// SPDX-License-Identifier: Apache-2.0
// The SystemC shell: two clients in processes of their own, answers from the memory's process, the same times as the engine.
#include "memory/shared/memory_module.h"

#include <gtest/gtest.h>

#include "model/base/errors.h"

namespace npulab::memory {
namespace {

MemorySpec round_spec() {
  MemorySpec spec;
  spec.clock_khz = 1'000'000;
  spec.bucket = 20'000;
  spec.l2 = {Bytes{16} << 20, 512, 128, 16, 5'000'000'000'000, 3'000'000'000'000, 100'000, 50'000};
  spec.hbm = {Bytes{4} << 30, 150'000'000'000, 200'000};
  return spec;
}

Picoseconds now() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

/// Reads `count` times 16 KiB back to back.
class Reader : public sc_core::sc_module, public TransferClient {
 public:
  SC_HAS_PROCESS(Reader);
  Reader(sc_core::sc_module_name name, MemorySystem& memory, std::uint64_t address, int count)
      : sc_core::sc_module(name), memory_(memory), address_(address), left_(count) {
    id_ = memory.register_client({this->name(), 200'000, 100'000, 8192, 8192});
    SC_METHOD(ask);
    sensitive << again_;
  }
  void transfer_bounded(RequestId, Picoseconds not_before) override {
    EXPECT_FALSE(asking_);
    EXPECT_GE(not_before, now());
    ++bounds;
  }
  void transfer_resolved(RequestId, const TransferResult& result) override {
    EXPECT_FALSE(asking_);
    EXPECT_GE(result.data_time, now());
    EXPECT_EQ(sc_core::sc_get_current_process_handle().get_parent_object(), memory_object);
    results.push_back(result);
    again_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(result.data_time - now())));
  }
  std::vector<TransferResult> results;
  sc_core::sc_object* memory_object = nullptr;
  int bounds = 0;
  RequestId last = 0;

 private:
  void ask() {
    if (left_-- <= 0) return;
    TransferRequest request;
    request.client = id_;
    request.address = address_;
    request.row_bytes = 16384;
    address_ += 16384;
    asking_ = true;
    last = memory_.request(request, *this);
    asking_ = false;
  }
  MemorySystem& memory_;
  MemoryClientId id_ = 0;
  std::uint64_t address_;
  int left_;
  bool asking_ = false;
  sc_core::sc_event again_;
};

TEST(MemoryModule, TwoClientsShareHbmAndHearFromTheMemorysProcess) {
  MemoryModule memory("memory", round_spec());
  Reader a("a", memory, 0, 20), b("b", memory, 1 << 24, 20);
  a.memory_object = b.memory_object = &memory;
  sc_core::sc_start();
  ASSERT_EQ(a.results.size(), 20u);
  ASSERT_EQ(b.results.size(), 20u);
  EXPECT_GT(a.bounds, 0);
  // 655 360 B through 150 B/ns, one edge before each of the 20 rounds.
  const Picoseconds end = std::max(a.results.back().data_time, b.results.back().data_time);
  const Picoseconds hbm = Picoseconds{655'360} * 1000 / 150;
  EXPECT_GE(end, hbm);
  EXPECT_LE(end, hbm + 21 * 1000);
  const MemoryStatistics statistics = memory.statistics();
  EXPECT_EQ(statistics.read_bytes, 655'360);
  EXPECT_EQ(statistics.miss_bytes, 655'360);
  EXPECT_EQ(statistics.requests, 40);
  EXPECT_EQ(statistics.hbm_busy, hbm);
  EXPECT_EQ(statistics.clients[1].name, "b");
  EXPECT_GE(now(), end);
}

TEST(MemoryModule, L2AndHbmStandInTheHierarchy) {
  MemoryModule memory("memory", round_spec());
  EXPECT_NE(sc_core::sc_find_object("memory.l2"), nullptr);
  EXPECT_NE(sc_core::sc_find_object("memory.hbm"), nullptr);
  EXPECT_EQ(memory.uncorrectable().name, "memory.hbm.uncorrectable");
  EXPECT_EQ(memory.capacity(), Bytes{4} << 30);
}

TEST(MemoryModule, NothingHappensWithoutRequests) {
  MemoryModule memory("memory", round_spec());
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(sc_core::sc_delta_count(), 0u);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(MemoryModule, ACancelledRequestLeavesNoEventBehind) {
  MemoryModule memory("memory", round_spec());
  Reader a("a", memory, 0, 1);
  a.memory_object = &memory;
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_PS));
  memory.cancel(a.last);
  EXPECT_FALSE(sc_core::sc_pending_activity());
  sc_core::sc_start();
  EXPECT_TRUE(a.results.empty());
}

TEST(MemoryModule, PayloadTakesNoTime) {
  MemoryModule memory("memory", round_spec());
  const std::uint32_t in = 0x12345678;
  std::uint32_t out = 0;
  memory.bytes().write(0xfffe, &in, 4);
  memory.bytes().read(0xfffe, &out, 4);
  EXPECT_EQ(out, in);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(MemoryModule, RefusesACoarserClock) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  EXPECT_THROW(MemoryModule("memory", round_spec()), InternalError);
}

}  // namespace
}  // namespace npulab::memory

int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
