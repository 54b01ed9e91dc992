// SPDX-License-Identifier: Apache-2.0
// The BAR through which the host reaches device memory directly: offset n is device address n. A client of the memory system
// of its own; these are control bytes and therefore always real.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "model/contract/memory_system.h"
#include "model/contract/timeline.h"
#include "model/spec/soc_spec.h"

namespace npulab::pcie {

class MemoryWindow : public TransferClient {
 public:
  using WriteDone = std::function<void()>;
  using ReadDone = std::function<void(std::vector<std::uint8_t>)>;

  MemoryWindow(Timeline& timeline, MemorySystem& memory, const EndpointSpec& spec, const std::string& path);

  /// Outside device memory: dropped.
  void write(std::uint64_t address, std::vector<std::uint8_t> bytes, WriteDone done);
  /// Outside device memory, or uncorrectable: all ones.
  void read(std::uint64_t address, Bytes bytes, ReadDone done);

  void transfer_bounded(RequestId, Picoseconds) override {}
  void transfer_resolved(RequestId request, const TransferResult& result) override;

 private:
  struct Access {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
    WriteDone written;
    ReadDone read;
  };
  void request(MemoryAccess kind, Access access);
  void finish(Access& access, MemoryStatus status);

  Timeline& timeline_;
  MemorySystem& memory_;
  MemoryClientId client_;
  std::map<RequestId, Access> accesses_;
};

}  // namespace npulab::pcie
