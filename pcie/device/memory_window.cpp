// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/memory_window.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace npulab::pcie {
namespace {

constexpr std::int64_t kBytesPerSecondPerMilliByteNs = 1'000'000;

}  // namespace

MemoryWindow::MemoryWindow(Timeline& timeline, MemorySystem& memory, const EndpointSpec& spec, const std::string& path)
    : timeline_(timeline), memory_(memory) {
  MemoryClientSpec client;
  client.name = path + ".window";
  client.read_rate_milli_bytes_per_ns = client.write_rate_milli_bytes_per_ns = spec.dma_bytes_per_s / kBytesPerSecondPerMilliByteNs;
  client_ = memory.register_client(client);
}

void MemoryWindow::write(std::uint64_t address, std::vector<std::uint8_t> bytes, WriteDone done) {
  Access access;
  access.address = address;
  access.bytes = std::move(bytes);
  access.written = std::move(done);
  request(MemoryAccess::write, std::move(access));
}

void MemoryWindow::read(std::uint64_t address, Bytes bytes, ReadDone done) {
  Access access;
  access.address = address;
  access.bytes.assign(static_cast<std::size_t>(bytes), 0xff);
  access.read = std::move(done);
  request(MemoryAccess::read, std::move(access));
}

void MemoryWindow::request(MemoryAccess kind, Access access) {
  TransferRequest transfer;
  transfer.client = client_;
  transfer.access = kind;
  transfer.address = access.address;
  transfer.row_bytes = transfer.row_pitch = static_cast<Bytes>(access.bytes.size());
  accesses_[memory_.request(transfer, *this)] = std::move(access);
}

void MemoryWindow::transfer_resolved(RequestId request, const TransferResult& result) {
  const auto found = accesses_.find(request);
  if (found == accesses_.end()) return;
  auto access = std::make_shared<Access>(std::move(found->second));
  accesses_.erase(found);
  const MemoryStatus status = result.status;
  timeline_.at(std::max(result.visible_time, timeline_.now()), [this, access, status] { finish(*access, status); });
}

void MemoryWindow::finish(Access& access, MemoryStatus status) {
  const Bytes bytes = static_cast<Bytes>(access.bytes.size());
  if (access.written) {
    if (status == MemoryStatus::ok) memory_.bytes().write(access.address, access.bytes.data(), bytes);
    return access.written();
  }
  if (status == MemoryStatus::ok) memory_.bytes().read(access.address, access.bytes.data(), bytes);
  access.read(std::move(access.bytes));
}

}  // namespace npulab::pcie
