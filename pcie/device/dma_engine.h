// SPDX-License-Identifier: Apache-2.0
// The device's DMA engine: channels that copy between host memory (over the link) and device memory (as a client of its own of
// the memory system). Work is cut into pieces of at most a host page; channels take turns piece by piece and share the bytes
// that may be under way. Rate and start cost come from EndpointSpec; the engine's rate is its memory port's.
#pragma once

#include <map>
#include <vector>

#include "model/contract/endpoint_port.h"
#include "model/contract/memory_system.h"
#include "model/trace/trace_sink.h"
#include "pcie/device/endpoint.h"

namespace npulab::pcie {

/// A job as it lies in a channel's descriptor ring: 32 bytes, like the public descriptors.
struct DmaDescriptor {
  std::uint64_t host_address = 0;
  std::uint64_t device_address = 0;
  std::int64_t bytes = 0;
  std::uint32_t task = 0;
  std::uint16_t flags = 0;  // bit 0: to the host
  std::uint16_t reserved = 0;
};
static_assert(sizeof(DmaDescriptor) == 32);

class DmaEngine : public TransferClient {
 public:
  /// `trace` may be null. Without `functional` no bulk bytes are copied.
  DmaEngine(Timeline& timeline, Endpoint& endpoint, MemorySystem& memory, const EndpointSpec& spec, const std::string& path,
            TraceSink* trace, bool functional);

  int channels() const { return static_cast<int>(channels_.size()); }
  /// EndpointPort::copy. InternalError when the channel is busy.
  void copy(int channel, const CopyJob& job, EndpointPort::CopyDone done);
  Bytes under_way() const { return under_way_; }
  std::string outstanding() const;

  void transfer_bounded(RequestId, Picoseconds) override {}
  void transfer_resolved(RequestId request, const TransferResult& result) override;

 private:
  struct Channel {
    bool busy = false;
    bool started = false;
    DmaDescriptor descriptor;
    std::uint64_t task = 0;
    EndpointPort::CopyDone done;
    Bytes issued = 0;
    Bytes finished = 0;
    CopyStatus status = CopyStatus::ok;
    Picoseconds start_time = 0;
    std::uint32_t track = 0;
    bool to_host() const { return (descriptor.flags & 1) != 0; }
  };
  struct Piece {
    int channel = 0;
    Bytes offset = 0;
    Bytes bytes = 0;
    Endpoint::Data data;
    Picoseconds request_time = 0;
  };
  Bytes next_piece(const Channel& channel) const;
  void pump();
  void issue(int channel, Bytes bytes);
  void from_host(const Piece& piece);
  void access_memory(const Piece& piece, MemoryAccess access);
  void in_memory(const Piece& piece, const TransferResult& result);
  void to_host(const Piece& piece);
  void finish_piece(const Piece& piece, CopyStatus status);
  void finish_job(int channel);

  Timeline& timeline_;
  Endpoint& endpoint_;
  MemorySystem& memory_;
  MemoryClientId client_;
  Bytes limit_;
  Picoseconds start_latency_;
  std::string path_;
  TraceSink* trace_;
  bool functional_;
  std::vector<Channel> channels_;
  std::map<RequestId, Piece> pieces_;  // waiting for device memory
  Bytes under_way_ = 0;
  int turn_ = 0;
};

}  // namespace npulab::pcie
