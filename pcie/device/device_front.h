// SPDX-License-Identifier: Apache-2.0
// Everything of a device that is visible through its PCIe function: registers and doorbells, MSI-X, the window into device
// memory, DMA engine and queues. Offers it inwards as EndpointPort. Register reads take no time of their own.
#pragma once

#include <array>
#include <memory>

#include "model/contract/device_registers.h"
#include "model/contract/endpoint_port.h"
#include "pcie/device/dma_engine.h"
#include "pcie/device/memory_window.h"
#include "pcie/device/msix_table.h"
#include "pcie/device/queue_registers.h"

namespace npulab::pcie {

class DeviceFront : public EndpointPort, public BarTarget {
 public:
  /// `path` is the device's; `trace` may be null.
  DeviceFront(Timeline& timeline, Endpoint& endpoint, MemorySystem& memory, const SocSpec& soc, const std::string& path,
              TraceSink* trace, bool functional);

  void listen(EndpointListener& listener) override { listener_ = &listener; }
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  std::uint32_t read_register(std::uint32_t offset) const override;
  QueueSetup queue(int index) const override;
  void set_queue_head(int index, std::uint32_t head) override { queues_.queue(index).sq.head = head; }
  int channels() const override { return dma_.channels(); }
  void copy(int channel, const CopyJob& job, CopyDone done) override { dma_.copy(channel, job, std::move(done)); }
  bool post_completion(int queue, const CompletionEntry& entry, std::function<void()> delivered) override;
  std::string outstanding() const override;

  void bar_write(const std::string& role, std::uint64_t offset, const std::vector<std::uint8_t>& bytes, std::function<void()> done) override;
  void bar_read(const std::string& role, std::uint64_t offset, Bytes bytes, std::function<void(std::vector<std::uint8_t>)> done) override;
  void endpoint_configured() override { fire_pending(); }

  /// Sends the vector's message, or marks it pending while it is masked.
  void interrupt(int vector);
  const MsixTable& msix() const { return msix_; }
  const QueueRegisters& queues() const { return queues_; }
  DmaEngine& dma() { return dma_; }
  Endpoint& endpoint() { return endpoint_; }
  const std::string& path() const { return path_; }

 private:
  static constexpr std::uint32_t kStatusBytes = registers::kErrorText + registers::kErrorTextBytes;
  void register_written(std::uint32_t offset, std::uint32_t value);
  void fire_pending();

  Endpoint& endpoint_;
  std::string path_;
  std::array<std::uint32_t, kStatusBytes / 4> status_{};  // what firmware has to say
  MsixTable msix_;
  QueueRegisters queues_;
  MemoryWindow window_;
  DmaEngine dma_;
  EndpointListener* listener_ = nullptr;
};

}  // namespace npulab::pcie
