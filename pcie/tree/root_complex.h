// SPDX-License-Identifier: Apache-2.0
// The root complex: the host's processors and memory seen from the link. Serves device reads from host memory at
// HostSpec::memory_latency and memory_bytes_per_s (one pipe for all ports), takes device writes and MSI-X messages, and sends
// the processors' own accesses, each HostSpec::doorbell_latency after it was made. Leaves out caches, NUMA and the IOMMU.
#pragma once

#include <map>

#include "pcie/tree/host_memory.h"
#include "pcie/tree/port.h"

namespace npulab::pcie {

class RootComplex : public HostLink, public RootBus {
 public:
  RootComplex(Timeline& timeline, const HostSpec& host) : timeline_(timeline), host_(host) {}
  RootComplex(const RootComplex&) = delete;
  RootComplex& operator=(const RootComplex&) = delete;

  void add_port(Port& port);

  void config_read(PciAddress function, std::uint32_t offset, ReadAnswer answer) override;
  void config_write(PciAddress function, std::uint32_t offset, std::uint32_t value, WriteAnswer answer) override;
  void mmio_read(std::uint64_t address, ReadAnswer answer) override;
  void mmio_write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) override;
  HostMemory& memory() override { return memory_; }
  std::uint64_t interrupt_address() const override { return kInterruptBase; }
  void on_interrupt(InterruptHandler handler) override { handler_ = std::move(handler); }

  void from_port(Port& port, BurstPtr burst) override;

  /// Bytes that devices have read from and written to host memory.
  Bytes read_bytes() const { return read_bytes_; }
  Bytes written_bytes() const { return written_bytes_; }
  /// Requests of the processors that have not been answered.
  std::string outstanding() const;

 private:
  void issue(BurstPtr burst);
  void dispatch(BurstPtr burst);
  void expect(Burst& burst, ReadAnswer answer);
  void finish(const Burst& completion);
  void store(const BurstPtr& burst);
  void do_store(const Burst& burst);
  void interrupt(const BurstPtr& burst);
  void load(Port& port, const BurstPtr& burst);
  void answer_load(Port& port, const BurstPtr& request, Picoseconds ready);

  Timeline& timeline_;
  HostSpec host_;
  SparseHostMemory memory_;
  std::vector<Port*> ports_;
  InterruptHandler handler_;
  std::map<std::uint64_t, ReadAnswer> answers_;
  std::uint64_t next_request_ = 1;
  Picoseconds memory_free_ = 0;
  Bytes read_bytes_ = 0, written_bytes_ = 0;
};

}  // namespace npulab::pcie
