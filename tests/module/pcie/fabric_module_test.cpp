// SPDX-License-Identifier: Apache-2.0
// The fabric in the SystemC hierarchy, over the real memory system, with host software on an SC_THREAD.
#include "pcie/fabric_module.h"

#include <gtest/gtest.h>

#include "app/machine/timeline_module.h"
#include "firmware/device/device.h"
#include "firmware/host/runtime.h"
#include "memory/shared/memory_module.h"
#include "tests/unit/pcie/pcie_board.h"

namespace npulab {
namespace {

/// Host software of one board: the thread runs `body` once.
class HostModule : public sc_core::sc_module, public HostThread {
 public:
  SC_HAS_PROCESS(HostModule);
  explicit HostModule(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
  Picoseconds now() const override { return static_cast<Picoseconds>(sc_core::sc_time_stamp().to_seconds() * 1e12 + 0.5); }
  bool wait_until(const std::function<bool()>& done, Picoseconds deadline) override {
    while (!done()) {
      if (now() >= deadline) return false;
      if (deadline == kNever) wait(wake_);
      else wait(sc_core::sc_time(static_cast<double>(deadline - now()), sc_core::SC_PS), wake_);
    }
    return true;
  }
  void spend(Picoseconds duration) override { wait(sc_core::sc_time(static_cast<double>(duration), sc_core::SC_PS)); }
  void wake() override { wake_.notify(sc_core::SC_ZERO_TIME); }
  std::function<void()> body;
  bool finished = false;

 private:
  void run() {
    body();
    finished = true;
  }
  sc_core::sc_event wake_;
};

/// A module named like the board, so that what is built in it has the paths of the configuration.
class BoardModule : public sc_core::sc_module {
 public:
  BoardModule(sc_core::sc_module_name name, const BoardSpec& spec) : sc_module(name), board(spec), timeline("timeline"), host("host") {
    std::vector<MemorySystem*> pointers;
    for (std::size_t d = 0; d < board.devices.size(); ++d) {
      memories.push_back(std::make_unique<memory::MemoryModule>(("memory" + std::to_string(d)).c_str(), board.socs[0].memory));
      pointers.push_back(memories.back().get());
    }
    modules = std::make_unique<pcie::FabricModules>(board, timeline, pointers, nullptr, true);
    for (std::size_t d = 0; d < board.devices.size(); ++d) {
      firmware::device::DeviceContext context;
      context.timeline = &timeline;
      context.port = &modules->fabric().device(static_cast<int>(d));
      context.memory = pointers[d];
      context.kernels = &kernels;
      context.soc = &board.socs[0];
      context.device = &board.devices[d];
      devices.push_back(std::make_unique<firmware::device::Device>(context));
    }
    timeline.at(0, [this] {
      for (auto& device : devices) device->power_on();
    });
  }
  BoardSpec board;
  machine::TimelineModule timeline;
  HostModule host;
  KernelStore kernels;
  std::vector<std::unique_ptr<memory::MemoryModule>> memories;
  std::unique_ptr<pcie::FabricModules> modules;
  std::vector<std::unique_ptr<firmware::device::Device>> devices;
};

TEST(FabricModule, everything_stands_under_its_configuration_path) {
  BoardModule board("board", test::card_board(2, test::plain_link(3, 16), test::plain_link(3, 4)));
  board.host.body = [] {};
  for (const char* path : {"board.root_complex", "board.rp0", "board.rp0.switch.link.up", "board.rp0.switch.down1.npu1", "board.rp0.switch.down0.npu0.link.down",
                           "board.rp0.switch.down0.npu0.dma3", "board.rp0.switch.down1.npu1.queues"}) {
    EXPECT_NE(sc_core::sc_find_object(path), nullptr) << path;
  }
  for (const PcieNodeSpec& node : board.board.pcie) EXPECT_NE(sc_core::sc_find_object(node.path.c_str()), nullptr) << node.path;
}

TEST(FabricModule, a_copy_goes_round_through_real_memory) {
  BoardModule board("board", test::card_board(2, test::plain_link(3, 16), test::plain_link(3, 4)));
  pcie::Fabric& fabric = board.modules->fabric();
  TaskLedger ledger;
  const Bytes bytes = 50'000;
  std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes)), found(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 31 + i / 1000);
  firmware::host::Driver driver(fabric.host(), board.host, board.board.host, nullptr);
  std::vector<std::unique_ptr<firmware::host::Runtime>> runtimes;
  board.host.body = [&] {
    driver.start();
    ASSERT_EQ(driver.logical_count(), 2);
    for (int d = 0; d < 2; ++d) {
      runtimes.push_back(std::make_unique<firmware::host::Runtime>(driver, d, d, ledger, nullptr));
      firmware::host::Runtime& runtime = *runtimes.back();
      int stream = -1;
      std::uint64_t device = 0;
      ASSERT_EQ(runtime.create_stream(stream), RuntimeCode::ok);
      ASSERT_EQ(runtime.allocate(bytes, device), RuntimeCode::ok);
      const std::uint64_t in = runtime.allocate_host(bytes), out = runtime.allocate_host(bytes);
      runtime.host_memory().write(in, data.data(), bytes);
      runtime.copy_to_device(stream, device, in, bytes, {"in", "", 0});
      runtime.copy_to_host(stream, out, device, bytes, {"out", "", 0});
      ASSERT_EQ(runtime.synchronize(stream), RuntimeCode::ok);
      runtime.host_memory().read(out, found.data(), bytes);
      EXPECT_EQ(found, data);
    }
  };
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS));
  EXPECT_TRUE(board.host.finished);
  EXPECT_EQ(fabric.outstanding(), "");
  EXPECT_TRUE(fabric.quiet());
  EXPECT_EQ(ledger.open_tasks(), 0u);
}

}  // namespace
}  // namespace npulab
