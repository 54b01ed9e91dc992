// SPDX-License-Identifier: Apache-2.0
// Blocking register accesses of host software: each one waits until its answer has come back over the link.
#pragma once

#include <string>

#include "model/contract/host_link.h"
#include "model/contract/host_thread.h"

namespace npulab::firmware::host {

class HostAccess {
 public:
  HostAccess(HostLink& link, HostThread& thread) : link_(link), thread_(thread) {}

  /// All ones when nobody answers.
  std::uint32_t config_read(PciAddress function, std::uint32_t offset);
  void config_write(PciAddress function, std::uint32_t offset, std::uint32_t value);
  std::uint32_t mmio_read(std::uint64_t address);
  /// Posted: does not wait.
  void mmio_write(std::uint64_t address, std::uint32_t value);
  HostLink& link() { return link_; }
  HostThread& thread() { return thread_; }

 private:
  HostLink& link_;
  HostThread& thread_;
};

}  // namespace npulab::firmware::host
