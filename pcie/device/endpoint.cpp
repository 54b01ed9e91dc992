// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/endpoint.h"

#include <algorithm>
#include <utility>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

constexpr Bytes kRegisterBoundary = 128;  // completers other than the root complex may cut at 128 bytes

/// The bytes that a write brings; zeros when payload is not simulated.
std::vector<std::uint8_t> payload_of(const Burst& burst) {
  if (burst.data == nullptr) return std::vector<std::uint8_t>(static_cast<std::size_t>(burst.bytes));
  const auto from = burst.data->begin() + (burst.offset - burst.data_start);
  return {from, from + burst.bytes};
}

}  // namespace

void Endpoint::read(std::uint64_t address, Bytes bytes, bool payload, ReadDone done) {
  if (!config_.master_enabled()) {
    timeline_.after(0, [done = std::move(done)] { done(false, nullptr); });
    return;
  }
  Read read;
  read.address = address;
  read.bytes = read.left = bytes;
  read.payload = payload;
  read.done = std::move(done);
  read.tags = read_tlps(address, bytes, config_.max_read_request()).count();
  if (read.tags > tags_) throw InternalError(spec_.path + ": a read of more tags than the function has");
  waiting_.push_back(std::move(read));
  start_reads();
}

void Endpoint::start_reads() {
  while (!waiting_.empty() && waiting_.front().tags <= free_tags_) {
    Read read = std::move(waiting_.front());
    waiting_.pop_front();
    free_tags_ -= read.tags;
    auto burst = std::make_shared<Burst>();
    burst->type = TlpType::memory_read;
    burst->address = read.address;
    burst->bytes = read.bytes;
    burst->payload = read.payload;
    burst->max_read_request = config_.max_read_request();
    burst->tlps = read_tlps(read.address, read.bytes, burst->max_read_request);
    burst->requester = address_;
    burst->request = next_request_++;
    burst->arrival.base = timeline_.now();
    reads_[burst->request] = std::move(read);
    send_up(std::move(burst));
  }
}

bool Endpoint::write(std::uint64_t address, Bytes bytes, Data data, std::function<void()> sent, std::function<void()> delivered) {
  if (!config_.master_enabled()) return false;
  auto burst = std::make_shared<Burst>();
  burst->type = TlpType::memory_write;
  burst->address = address;
  burst->bytes = bytes;
  burst->tlps = write_tlps(address, bytes, config_.max_payload());
  burst->requester = address_;
  burst->payload = data != nullptr;
  burst->data = std::move(data);
  burst->sent = std::move(sent);
  burst->delivered = std::move(delivered);
  burst->arrival.base = timeline_.now();
  send_up(std::move(burst));
  return true;
}

void Endpoint::descend(BurstPtr burst) {
  if (burst->local) return config_access(burst);
  const Picoseconds last = burst->arrival.last(burst->tlps);
  if (burst->type == TlpType::completion) {
    LinkDirection::consume(*burst);
    timeline_.at(last, [this, burst] { completed(burst); });
  } else if (last <= timeline_.now()) {
    arrived(burst);
  } else {
    timeline_.at(last, [this, burst] { arrived(burst); });
  }
}

void Endpoint::collect(Read& read, const Burst& burst) {
  if (!read.payload || burst.data == nullptr) return;
  if (static_cast<Bytes>(burst.data->size()) == read.bytes) {
    read.whole = burst.data;
    return;
  }
  read.data.resize(static_cast<std::size_t>(read.bytes));
  const auto from = burst.data->begin() + (burst.offset - burst.data_start);
  std::copy(from, from + burst.bytes, read.data.begin() + burst.offset);
}

void Endpoint::completed(const BurstPtr& burst) {
  const auto found = reads_.find(burst->request);
  if (found == reads_.end()) throw InternalError(spec_.path + ": a completion nobody waits for");
  Read& read = found->second;
  read.refused = read.refused || burst->status != CompletionStatus::ok;
  collect(read, *burst);
  read.left -= burst->bytes;
  if (read.left > 0) return;
  const Read done = std::move(read);
  reads_.erase(found);
  free_tags_ += done.tags;
  start_reads();
  Data data = done.whole != nullptr || done.data.empty() ? done.whole : std::make_shared<const std::vector<std::uint8_t>>(done.data);
  done.done(!done.refused, std::move(data));
}

void Endpoint::arrived(const BurstPtr& burst) {
  inbound_.push_back(burst);
  if (!handling_) handle_next();
}

void Endpoint::release_buffers(const Burst& burst) {
  if (burst.held_from == nullptr) return;
  for (int i = 0; i < burst.tlps.count(); ++i) burst.held_from->release(burst, i, timeline_.now());
  burst.held_from->released();
}

void Endpoint::handle_next() {
  while (!inbound_.empty() && !handling_) {
    const BurstPtr burst = inbound_.front();
    inbound_.pop_front();
    const auto hit = config_.find_bar(burst->address);
    if (!hit || target_ == nullptr || burst->bytes > kPage) {
      refuse(burst);
    } else if (burst->type == TlpType::memory_read) {
      release_buffers(*burst);
      serve_read(burst, *hit);
    } else {
      handling_ = true;
      target_->bar_write(*hit->role, hit->offset, payload_of(*burst), [this, burst] {
        release_buffers(*burst);
        handling_ = false;
        handle_next();
      });
    }
  }
}

void Endpoint::serve_read(const BurstPtr& burst, const FunctionConfig::BarHit& hit) {
  target_->bar_read(*hit.role, hit.offset, burst->bytes, [this, burst](std::vector<std::uint8_t> bytes) {
    auto completion = std::make_shared<Burst>();
    completion->type = TlpType::completion;
    completion->tlps = completion_tlps(burst->address, burst->bytes, burst->max_read_request, config_.max_payload(), kRegisterBoundary);
    completion->bytes = burst->bytes;
    completion->requester = burst->requester;
    completion->request = burst->request;
    completion->offset = completion->data_start = burst->offset;
    completion->data = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    completion->arrival.base = timeline_.now();
    send_up(std::move(completion));
  });
}

std::string Endpoint::outstanding() const {
  std::string text;
  if (!reads_.empty()) text += spec_.path + ": " + std::to_string(reads_.size()) + " reads of host memory without completion\n";
  if (!waiting_.empty()) text += spec_.path + ": " + std::to_string(waiting_.size()) + " reads wait for tags\n";
  if (handling_) text += spec_.path + ": a write to a BAR is not yet visible\n";
  return text;
}

}  // namespace npulab::pcie
