// SPDX-License-Identifier: Apache-2.0
// The root complex as driver software sees it: configuration and memory-mapped accesses that travel as TLPs, host memory
// that devices read and write, and interrupts. Calls return at once; answers come by callback at their kernel time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/base/units.h"

namespace npulab {

/// Bus, device and function of one PCI function.
struct PciAddress {
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;
  bool operator==(const PciAddress& other) const {
    return bus == other.bus && device == other.device && function == other.function;
  }
};

/// "01:00.0"
std::string to_string(PciAddress address);

/// Bytes of host memory, kept sparsely; unwritten bytes read as zero.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// A free region, aligned to a page. SimulationError when host memory is full.
  virtual std::uint64_t allocate(Bytes bytes) = 0;
  virtual void read(std::uint64_t address, void* out, Bytes bytes) const = 0;
  virtual void write(std::uint64_t address, const void* in, Bytes bytes) = 0;
};

class HostLink {
 public:
  using ReadAnswer = std::function<void(std::uint32_t value)>;
  using WriteAnswer = std::function<void()>;
  using InterruptHandler = std::function<void(std::uint32_t message)>;

  virtual ~HostLink() = default;
  /// All ones when nobody answers. `offset` is a multiple of 4, 0..4092.
  virtual void config_read(PciAddress function, std::uint32_t offset, ReadAnswer answer) = 0;
  virtual void config_write(PciAddress function, std::uint32_t offset, std::uint32_t value, WriteAnswer answer) = 0;
  /// 32-bit load from a BAR; all ones when nobody answers.
  virtual void mmio_read(std::uint64_t address, ReadAnswer answer) = 0;
  /// Posted store of up to 64 bytes within one aligned 64-byte line; stores arrive in order.
  virtual void mmio_write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) = 0;
  virtual HostMemory& memory() = 0;
  /// Address to put into MSI-X tables; the data written there reaches the handler.
  virtual std::uint64_t interrupt_address() const = 0;
  virtual void on_interrupt(InterruptHandler handler) = 0;
};

inline std::string to_string(PciAddress address) {
  static const char* const digits = "0123456789abcdef";
  std::string text;
  text += digits[address.bus >> 4];
  text += digits[address.bus & 15];
  text += ':';
  text += digits[address.device >> 4];
  text += digits[address.device & 15];
  text += '.';
  text += digits[address.function & 7];
  return text;
}

}  // namespace npulab
