// SPDX-License-Identifier: Apache-2.0
// A whole board without SystemC: fabric, devices with their firmware, driver and runtimes, cores that only take time.
#pragma once

#include "firmware/device/device.h"
#include "firmware/host/runtime.h"
#include "tests/unit/firmware/plain_core.h"
#include "tests/unit/pcie/pcie_board.h"

namespace npulab::test {

/// Keeps the task records of a run.
class TaskRecords : public TraceSink {
 public:
  std::uint32_t add_core(const std::string&, std::int64_t, int, bool, bool) override { return 0; }
  std::uint32_t add_track(const std::string& path, const std::string&) override {
    tracks.push_back(path);
    return static_cast<std::uint32_t>(tracks.size() - 1);
  }
  bool wants_instructions() const override { return false; }
  void instruction(const InstructionRecord&) override {}
  void transfer(const TransferRecord&) override {}
  void core_block(const CoreBlockRecord&) override {}
  void span(const SpanRecord& record) override { spans.push_back(record); }
  void task(const TaskRecord& record) override { tasks.push_back(record); }
  std::vector<std::string> tracks;
  std::vector<SpanRecord> spans;
  std::vector<TaskRecord> tasks;
};

struct FirmwareMachine {
  explicit FirmwareMachine(BoardSpec spec, int groups = 2, bool functional = true)
      : plain(std::move(spec), functional), ledger(&records), driver(plain.fabric->host(), plain.thread, plain.board.host, &records) {
    for (std::size_t d = 0; d < plain.board.devices.size(); ++d) {
      firmware::device::DeviceContext context;
      context.timeline = &plain.timeline;
      context.port = &plain.fabric->device(static_cast<int>(d));
      context.memory = plain.memories[d].get();
      for (int g = 0; g < groups; ++g) {
        cores.push_back(std::make_unique<PlainCore>(plain.timeline, g, 1, 2, false, starts));
        context.cores.push_back(cores.back().get());
      }
      context.kernels = &kernels;
      context.ledger = &ledger;
      context.trace = &records;
      context.soc = &plain.board.socs[0];
      context.device = &plain.board.devices[d];
      context.full_boot = plain.board.full_boot;
      context.self_test = self_test;
      devices.push_back(std::make_unique<firmware::device::Device>(context));
    }
  }
  /// Powers on, starts the driver, opens a runtime for each logical device.
  void start() {
    for (auto& device : devices) device->power_on();
    driver.start();
    for (int i = 0; i < driver.logical_count(); ++i) {
      const int index = plain.fabric->device_at(driver.logical(i).address);
      runtimes.push_back(std::make_unique<firmware::host::Runtime>(driver, i, index, ledger, &records));
    }
    starts.clear();
  }
  std::uint64_t place(const Kernel& kernel) {
    const std::uint64_t address = 0x1000 * (++placed);
    kernels.place(address, &kernel);
    return address;
  }
  firmware::host::Runtime& runtime(int index = 0) { return *runtimes.at(static_cast<std::size_t>(index)); }

  PlainMachine plain;
  TaskRecords records;
  TaskLedger ledger;
  KernelStore kernels;
  const Kernel* self_test = nullptr;
  std::vector<PlainCore::Start> starts;
  std::vector<std::unique_ptr<PlainCore>> cores;
  std::vector<std::unique_ptr<firmware::device::Device>> devices;
  firmware::host::Driver driver;
  std::vector<std::unique_ptr<firmware::host::Runtime>> runtimes;
  std::uint64_t placed = 0;
};

}  // namespace npulab::test
