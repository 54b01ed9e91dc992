// SPDX-License-Identifier: Apache-2.0
#include "pcie/tree/root_complex.h"

#include <algorithm>
#include <utility>

#include "model/base/errors.h"

namespace npulab::pcie {
namespace {

constexpr std::uint32_t kAllOnes = 0xffffffff;
constexpr Bytes kRegisterBytes = 4, kLineBytes = 64;

std::shared_ptr<const std::vector<std::uint8_t>> bytes_of(std::uint32_t value) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

std::uint32_t value_of(const Burst& burst) {
  if (burst.data == nullptr) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < burst.data->size() && i < 4; ++i) value |= static_cast<std::uint32_t>((*burst.data)[i]) << (8 * i);
  return value;
}

BurstPtr config_burst(TlpType type, PciAddress function, std::uint32_t offset) {
  auto burst = std::make_shared<Burst>();
  burst->type = type;
  burst->tlps = config_tlps(type == TlpType::config_write);
  burst->target = function;
  burst->config_offset = offset;
  burst->bytes = kConfigBytes;
  return burst;
}

}  // namespace

void RootComplex::add_port(Port& port) {
  ports_.push_back(&port);
  port.hang_on(*this);
}

void RootComplex::expect(Burst& burst, ReadAnswer answer) {
  burst.request = next_request_++;
  answers_[burst.request] = std::move(answer);
}

void RootComplex::config_read(PciAddress function, std::uint32_t offset, ReadAnswer answer) {
  BurstPtr burst = config_burst(TlpType::config_read, function, offset);
  expect(*burst, std::move(answer));
  issue(std::move(burst));
}

void RootComplex::config_write(PciAddress function, std::uint32_t offset, std::uint32_t value, WriteAnswer answer) {
  BurstPtr burst = config_burst(TlpType::config_write, function, offset);
  burst->data = bytes_of(value);
  expect(*burst, [answer = std::move(answer)](std::uint32_t) { answer(); });
  issue(std::move(burst));
}

void RootComplex::mmio_read(std::uint64_t address, ReadAnswer answer) {
  auto burst = std::make_shared<Burst>();
  burst->type = TlpType::memory_read;
  burst->max_read_request = kPage;
  burst->tlps = read_tlps(address, kRegisterBytes, kPage);
  burst->address = address;
  burst->bytes = kRegisterBytes;
  expect(*burst, std::move(answer));
  issue(std::move(burst));
}

void RootComplex::mmio_write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  const Bytes size = static_cast<Bytes>(bytes.size());
  if (size == 0 || static_cast<Bytes>(address % kLineBytes) + size > kLineBytes) throw InternalError("a store across cache lines");
  auto burst = std::make_shared<Burst>();
  burst->type = TlpType::memory_write;
  burst->tlps = write_tlps(address, size, kPage);
  burst->address = address;
  burst->bytes = size;
  burst->data = std::make_shared<const std::vector<std::uint8_t>>(bytes);
  issue(std::move(burst));
}

void RootComplex::issue(BurstPtr burst) {
  timeline_.after(host_.doorbell_latency, [this, burst] {
    burst->arrival.base = timeline_.now();
    dispatch(burst);
  });
}

void RootComplex::dispatch(BurstPtr burst) {
  const bool config = burst->type == TlpType::config_read || burst->type == TlpType::config_write;
  if (config && burst->target.bus == 0) {
    for (Port* port : ports_) {
      if (port->device_number() == burst->target.device && burst->target.function == 0) return port->config_access(burst);
    }
  } else if (Port* port = claimant(ports_, *burst, nullptr)) {
    return port->descend(std::move(burst));
  }
  burst->status = CompletionStatus::unsupported_request;
  finish(*burst);
}

void RootComplex::finish(const Burst& completion) {
  const auto found = answers_.find(completion.request);
  if (found == answers_.end()) return;  // a refused store
  const ReadAnswer answer = std::move(found->second);
  answers_.erase(found);
  answer(completion.status == CompletionStatus::ok ? value_of(completion) : kAllOnes);
}

void RootComplex::from_port(Port& port, BurstPtr burst) {
  if (burst->type == TlpType::completion && burst->requester.bus == 0) {
    LinkDirection::consume(*burst);
    const Picoseconds time = std::max(timeline_.now(), burst->arrival.last(burst->tlps));
    timeline_.at(time, [this, burst] { finish(*burst); });
    return;
  }
  if (Port* peer = claimant(ports_, *burst, &port)) return peer->descend(std::move(burst));
  const bool write = burst->type == TlpType::memory_write;
  if (write && burst->address >= kInterruptBase && burst->address < kInterruptEnd) return interrupt(burst);
  if (!SparseHostMemory::holds(burst->address, burst->bytes)) return port.refuse(burst);
  if (write) return store(burst);
  load(port, burst);
}

void RootComplex::interrupt(const BurstPtr& burst) {
  LinkDirection::consume(*burst);
  const Picoseconds arrived = std::max(timeline_.now(), burst->arrival.last(burst->tlps));
  const std::uint32_t message = value_of(*burst);
  if (burst->delivered) timeline_.at(arrived, burst->delivered);
  timeline_.at(arrived + host_.interrupt_latency, [this, message] {
    if (handler_) handler_(message);
  });
}

void RootComplex::store(const BurstPtr& burst) {
  LinkDirection::consume(*burst);
  const Picoseconds time = burst->arrival.last(burst->tlps);
  if (time <= timeline_.now()) return do_store(*burst);
  timeline_.at(time, [this, burst] { do_store(*burst); });
}

void RootComplex::do_store(const Burst& burst) {
  written_bytes_ += burst.bytes;
  if (burst.data != nullptr) memory_.write(burst.address, burst.data->data() + (burst.offset - burst.data_start), burst.bytes);
  if (burst.delivered) burst.delivered();
}

// Each read of the burst enters the memory pipe as it arrives. The completions leave back to back, no earlier than the data of
// each is there.
void RootComplex::load(Port& port, const BurstPtr& burst) {
  const Bytes payload = port.config().max_payload();
  const LinkRate& rate = port.down()->rate();
  Picoseconds ready = timeline_.now();
  Bytes left = burst->bytes, before = 0;
  std::uint64_t address = burst->address;
  for (int i = 0; i < burst->tlps.count(); ++i) {
    const Bytes limit = burst->max_read_request;
    const Bytes part = std::min(left, limit - static_cast<Bytes>(address % static_cast<std::uint64_t>(limit)));
    const Bytes scaled = part * 1'000'000;  // ps = bytes * 10^12 / rate, kept within 64 bits
    memory_free_ = std::max(memory_free_, burst->arrival.of(burst->tlps, i)) + ceil_div(scaled, std::max<Bytes>(host_.memory_bytes_per_s / 1'000'000, 1));
    ready = std::max(ready, memory_free_ + host_.memory_latency - rate.time(before));
    before += completion_tlps(address, part, limit, payload, host_.read_completion_boundary).wire_bytes(rate.framing_bytes());
    address += static_cast<std::uint64_t>(part);
    left -= part;
  }
  LinkDirection::consume(*burst);
  read_bytes_ += burst->bytes;
  answer_load(port, burst, ready);
}

void RootComplex::answer_load(Port& port, const BurstPtr& request, Picoseconds ready) {
  auto completion = std::make_shared<Burst>();
  completion->type = TlpType::completion;
  completion->tlps = completion_tlps(request->address, request->bytes, request->max_read_request, port.config().max_payload(), host_.read_completion_boundary);
  completion->bytes = request->bytes;
  completion->requester = request->requester;
  completion->request = request->request;
  completion->offset = completion->data_start = request->offset;
  completion->payload = request->payload;
  completion->arrival.base = ready;
  timeline_.at(ready, [this, &port, completion, request] {
    if (request->payload) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(request->bytes));
      memory_.read(request->address, bytes.data(), request->bytes);
      completion->data = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    }
    port.descend(completion);
  });
}

std::string RootComplex::outstanding() const {
  return answers_.empty() ? "" : "host: " + std::to_string(answers_.size()) + " accesses without an answer\n";
}

}  // namespace npulab::pcie
