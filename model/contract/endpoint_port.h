// SPDX-License-Identifier: Apache-2.0
// The PCIe endpoint as the device's own firmware sees it: registers it can set, doorbells it hears, DMA channels, and
// completion entries with their interrupts. Everything is called at kernel time now; answers come by call, never from inside.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/base/units.h"
#include "model/task/task_descriptor.h"

namespace npulab {

/// A queue pair as the host has set it up.
struct QueueSetup {
  bool enabled = false;
  std::uint64_t sq_base = 0;  // device address
  std::uint32_t sq_depth = 0;
  std::uint32_t sq_tail = 0;  // last doorbell
};

enum class CopyStatus : std::uint8_t { ok, memory_error, link_error };

/// One run of bytes between host and device memory.
struct CopyJob {
  bool to_host = false;
  std::uint64_t host_address = 0;
  std::uint64_t device_address = 0;
  Bytes bytes = 0;
  std::uint64_t task = 0;  // tag for traces
};

class EndpointListener {
 public:
  virtual ~EndpointListener() = default;
  /// The tail of `queue` was written; memory writes that came before it are visible.
  virtual void doorbell(int queue) = 0;
  /// A completion queue that was full has room again.
  virtual void completion_room(int queue) = 0;
};

class EndpointPort {
 public:
  using CopyDone = std::function<void(CopyStatus status)>;

  virtual ~EndpointPort() = default;
  virtual void listen(EndpointListener& listener) = 0;
  /// Offsets of device_registers.h.
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;
  virtual std::uint32_t read_register(std::uint32_t offset) const = 0;

  virtual QueueSetup queue(int index) const = 0;
  /// Entries before `head` have been fetched.
  virtual void set_queue_head(int index, std::uint32_t head) = 0;

  virtual int channels() const = 0;
  /// Copies on an idle channel. To the device: done when the bytes are visible in device memory. To the host: done when the
  /// last write has left; a completion posted afterwards arrives after the data.
  virtual void copy(int channel, const CopyJob& job, CopyDone done) = 0;

  /// Writes the entry with its phase bit, then the queue's interrupt. False, and nothing happens, while the completion queue is
  /// full. `delivered` is called when the entry is in host memory; it may be empty.
  virtual bool post_completion(int queue, const CompletionEntry& entry, std::function<void()> delivered) = 0;
  /// What is still under way, for deadlock reports; empty when idle.
  virtual std::string outstanding() const = 0;
};

}  // namespace npulab
