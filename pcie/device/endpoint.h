// SPDX-License-Identifier: Apache-2.0
// A device's PCIe function: takes requests to its BARs in order, and is a requester itself, with a limited number of tags.
// A read longer than MRRS takes a tag for each piece and frees them together. Leaves out completion timeouts and function
// level reset.
#pragma once

#include <deque>
#include <map>

#include "pcie/tree/tree_node.h"

namespace npulab::pcie {

/// What lies behind the BARs.
class BarTarget {
 public:
  virtual ~BarTarget() = default;
  /// Calls `done` when the write is visible; the next request is handled only then.
  virtual void bar_write(const std::string& role, std::uint64_t offset, const std::vector<std::uint8_t>& bytes, std::function<void()> done) = 0;
  /// Calls `done` with the bytes.
  virtual void bar_read(const std::string& role, std::uint64_t offset, Bytes bytes, std::function<void(std::vector<std::uint8_t>)> done) = 0;
  /// Software has written configuration space.
  virtual void endpoint_configured() = 0;
};

class Endpoint : public TreeNode {
 public:
  using Data = std::shared_ptr<const std::vector<std::uint8_t>>;
  using ReadDone = std::function<void(bool ok, Data data)>;

  Endpoint(Timeline& timeline, const PcieNodeSpec& node, const EndpointSpec& spec, std::uint32_t serial)
      : TreeNode(timeline, node, FunctionConfig::endpoint(spec, node, serial), 0), tags_(spec.max_tags), free_tags_(spec.max_tags) {}

  void serve(BarTarget& target) { target_ = &target; }

  /// Reads host memory, at most to the end of a 4 KiB page; waits for tags. Without `payload` no bytes are fetched. Not ok when
  /// mastering is off or the request is refused.
  void read(std::uint64_t address, Bytes bytes, bool payload, ReadDone done);
  /// Writes host memory, at most to the end of a 4 KiB page. `data` may be null. False when mastering is off.
  bool write(std::uint64_t address, Bytes bytes, Data data, std::function<void()> sent, std::function<void()> delivered);
  /// Most bytes whose read takes no more tags than the function has.
  Bytes largest_read() const { return tags_ * config_.max_read_request(); }
  int free_tags() const { return free_tags_; }
  int tags() const { return tags_; }

  void receive(BurstPtr burst) override { descend(std::move(burst)); }
  void descend(BurstPtr burst) override;
  void send_up(BurstPtr burst) override { up_->send(std::move(burst)); }
  std::string outstanding() const;

 protected:
  void config_written() override {
    if (target_ != nullptr) target_->endpoint_configured();
  }

 private:
  struct Read {
    std::uint64_t address = 0;
    Bytes bytes = 0;
    bool payload = false;
    ReadDone done;
    int tags = 0;
    Bytes left = 0;
    bool refused = false;
    std::vector<std::uint8_t> data;
    Data whole;  // when one completion burst brings everything
  };
  void start_reads();
  void completed(const BurstPtr& burst);
  void collect(Read& read, const Burst& burst);
  void arrived(const BurstPtr& burst);
  void handle_next();
  void serve_read(const BurstPtr& burst, const FunctionConfig::BarHit& hit);
  void release_buffers(const Burst& burst);

  BarTarget* target_ = nullptr;
  int tags_, free_tags_;
  std::uint64_t next_request_ = 1;
  std::deque<Read> waiting_;
  std::map<std::uint64_t, Read> reads_;
  std::deque<BurstPtr> inbound_;
  bool handling_ = false;
};

}  // namespace npulab::pcie
