// SPDX-License-Identifier: Apache-2.0
// What a device tries on itself before it reports ready: a pattern written to and read back from the start, middle and end of
// device memory, and one block of a test kernel on every core group that can run it. Takes simulated time like any other use.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "firmware/device/device_context.h"

namespace npulab::firmware::device {

class SelfTest : public TransferClient, public BlockObserver {
 public:
  /// `failure` is empty when all went well.
  using Done = std::function<void(const std::string& failure)>;

  explicit SelfTest(const DeviceContext& context);
  SelfTest(const SelfTest&) = delete;
  SelfTest& operator=(const SelfTest&) = delete;

  /// Once.
  void start(Done done);
  void transfer_bounded(RequestId, Picoseconds) override {}
  void transfer_resolved(RequestId request, const TransferResult& result) override;
  void block_finished(int group, const BlockResult& result) override;
  std::string outstanding() const;

 private:
  struct Spot {
    std::uint64_t address = 0;
    MemoryAccess access = MemoryAccess::write;
  };
  void access(const Spot& spot);
  void accessed(const Spot& spot, MemoryStatus status);
  std::vector<std::uint8_t> pattern(std::uint64_t address) const;
  void start_cores();
  void one_done(const std::string& failure);

  DeviceContext context_;
  MemoryClientId client_;
  std::map<RequestId, Spot> requests_;
  int open_ = 0;
  bool cores_tested_ = false;
  std::string failure_;
  Done done_;
};

}  // namespace npulab::firmware::device
