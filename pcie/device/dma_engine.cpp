// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/dma_engine.h"

#include <algorithm>
#include <utility>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

constexpr std::int64_t kBytesPerSecondPerMilliByteNs = 1'000'000;  // 0.001 byte per nanosecond

}  // namespace

DmaEngine::DmaEngine(Timeline& timeline, Endpoint& endpoint, MemorySystem& memory, const EndpointSpec& spec, const std::string& path,
                     TraceSink* trace, bool functional)
    : timeline_(timeline), endpoint_(endpoint), memory_(memory), limit_(spec.dma_outstanding_bytes), start_latency_(spec.dma_start_latency),
      path_(path), trace_(trace), functional_(functional), channels_(static_cast<std::size_t>(spec.dma_channels)) {
  MemoryClientSpec client;
  client.name = path + ".dma";
  client.read_rate_milli_bytes_per_ns = client.write_rate_milli_bytes_per_ns = spec.dma_bytes_per_s / kBytesPerSecondPerMilliByteNs;
  client.outstanding_read_bytes = client.outstanding_write_bytes = limit_;
  client_ = memory.register_client(client);
  for (std::size_t i = 0; trace != nullptr && i < channels_.size(); ++i) {
    channels_[i].track = trace->add_track(path + ".dma" + std::to_string(i), "dma");
  }
}

void DmaEngine::copy(int channel, const CopyJob& job, EndpointPort::CopyDone done) {
  Channel& at = channels_.at(static_cast<std::size_t>(channel));
  if (at.busy) throw InternalError(path_ + ": DMA channel " + std::to_string(channel) + " is busy");
  const std::uint32_t track = at.track;
  at = Channel{};
  at.track = track;
  at.busy = true;
  at.descriptor = {job.host_address, job.device_address, job.bytes, static_cast<std::uint32_t>(job.task), static_cast<std::uint16_t>(job.to_host ? 1 : 0), 0};
  at.task = job.task;
  at.done = std::move(done);
  at.start_time = timeline_.now();
  timeline_.after(start_latency_, [this, channel] {
    channels_[static_cast<std::size_t>(channel)].started = true;
    if (channels_[static_cast<std::size_t>(channel)].descriptor.bytes == 0) finish_job(channel);
    pump();
  });
}

Bytes DmaEngine::next_piece(const Channel& channel) const {
  if (!channel.started || channel.status != CopyStatus::ok) return 0;
  const Bytes left = channel.descriptor.bytes - channel.issued;
  const std::uint64_t address = channel.descriptor.host_address + static_cast<std::uint64_t>(channel.issued);
  // At least two pieces must fit the window and the tags, so that one is on the wire while the other waits.
  const Bytes window = std::min(limit_ / 2, endpoint_.largest_read() / 2);
  Bytes page = kPage;
  while (page > window && page > endpoint_.config().max_read_request()) page /= 2;
  return std::min(left, page - static_cast<Bytes>(address % static_cast<std::uint64_t>(page)));
}

void DmaEngine::pump() {
  const int count = channels();
  for (int idle = 0; idle < count;) {
    Channel& channel = channels_[static_cast<std::size_t>(turn_)];
    const Bytes bytes = channel.busy ? next_piece(channel) : 0;
    if (bytes > 0 && under_way_ > 0 && under_way_ + bytes > limit_) return;
    const int served = turn_;
    turn_ = (turn_ + 1) % count;
    idle = bytes > 0 ? 0 : idle + 1;
    if (bytes > 0) issue(served, bytes);
  }
}

void DmaEngine::issue(int index, Bytes bytes) {
  Channel& channel = channels_[static_cast<std::size_t>(index)];
  Piece piece;
  piece.channel = index;
  piece.offset = channel.issued;
  piece.bytes = bytes;
  channel.issued += bytes;
  under_way_ += bytes;
  if (channel.to_host()) access_memory(piece, MemoryAccess::read);
  else from_host(piece);
}

void DmaEngine::from_host(const Piece& piece) {
  const Channel& channel = channels_[static_cast<std::size_t>(piece.channel)];
  const std::uint64_t address = channel.descriptor.host_address + static_cast<std::uint64_t>(piece.offset);
  endpoint_.read(address, piece.bytes, functional_, [this, piece](bool ok, Endpoint::Data data) {
    if (!ok) return finish_piece(piece, CopyStatus::link_error);
    Piece filled = piece;
    filled.data = std::move(data);
    access_memory(filled, MemoryAccess::write);
  });
}

void DmaEngine::access_memory(const Piece& piece, MemoryAccess access) {
  const Channel& channel = channels_[static_cast<std::size_t>(piece.channel)];
  TransferRequest request;
  request.client = client_;
  request.access = access;
  request.lane = static_cast<std::uint8_t>(piece.channel);
  request.address = channel.descriptor.device_address + static_cast<std::uint64_t>(piece.offset);
  request.row_bytes = request.row_pitch = piece.bytes;
  const RequestId id = memory_.request(request, *this);
  pieces_[id] = piece;
  pieces_[id].request_time = timeline_.now();
}

void DmaEngine::transfer_resolved(RequestId request, const TransferResult& result) {
  const auto found = pieces_.find(request);
  if (found == pieces_.end()) throw InternalError(path_ + ": an answer from memory to no question");
  const Piece piece = std::move(found->second);
  pieces_.erase(found);
  timeline_.at(std::max(result.visible_time, timeline_.now()), [this, piece, result] { in_memory(piece, result); });
}

void DmaEngine::in_memory(const Piece& piece, const TransferResult& result) {
  const Channel& channel = channels_[static_cast<std::size_t>(piece.channel)];
  const std::uint64_t address = channel.descriptor.device_address + static_cast<std::uint64_t>(piece.offset);
  if (trace_ != nullptr) {
    trace_->transfer({kNoCore, client_, !channel.to_host(), piece.request_time, result.data_time, result.visible_time, piece.bytes, result.hit_bytes});
  }
  if (result.status != MemoryStatus::ok) return finish_piece(piece, CopyStatus::memory_error);
  if (!channel.to_host()) {
    if (piece.data != nullptr) memory_.bytes().write(address, piece.data->data(), piece.bytes);
    return finish_piece(piece, CopyStatus::ok);
  }
  Piece filled = piece;
  if (functional_) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(piece.bytes));
    memory_.bytes().read(address, bytes.data(), piece.bytes);
    filled.data = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  }
  to_host(filled);
}

void DmaEngine::to_host(const Piece& piece) {
  const Channel& channel = channels_[static_cast<std::size_t>(piece.channel)];
  const std::uint64_t address = channel.descriptor.host_address + static_cast<std::uint64_t>(piece.offset);
  const bool sent = endpoint_.write(address, piece.bytes, piece.data, [this, piece] { finish_piece(piece, CopyStatus::ok); }, nullptr);
  if (!sent) finish_piece(piece, CopyStatus::link_error);
}

void DmaEngine::finish_piece(const Piece& piece, CopyStatus status) {
  Channel& channel = channels_[static_cast<std::size_t>(piece.channel)];
  if (channel.status == CopyStatus::ok) channel.status = status;
  channel.finished += piece.bytes;
  under_way_ -= piece.bytes;
  const Bytes expected = channel.status == CopyStatus::ok ? channel.descriptor.bytes : channel.issued;
  if (channel.finished == expected) finish_job(piece.channel);
  pump();
}

void DmaEngine::finish_job(int index) {
  Channel& channel = channels_[static_cast<std::size_t>(index)];
  channel.busy = channel.started = false;
  if (trace_ != nullptr) {
    trace_->span({channel.track, channel.start_time, timeline_.now(), channel.to_host() ? "d2h" : "h2d", channel.task, channel.descriptor.bytes});
  }
  const EndpointPort::CopyDone done = std::move(channel.done);
  if (done) done(channel.status);
}

std::string DmaEngine::outstanding() const {
  std::string text;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (!channels_[i].busy) continue;
    text += path_ + ".dma" + std::to_string(i) + ": " + std::to_string(channels_[i].finished) + " of " +
            std::to_string(channels_[i].descriptor.bytes) + " bytes copied\n";
  }
  return text;
}

}  // namespace npulab::pcie
