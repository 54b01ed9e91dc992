// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/self_test.h"

#include <algorithm>
#include <utility>

#include "firmware/device/kernel_needs.h"
#include "model/base/errors.h"

namespace npulab::firmware::device {
namespace {

constexpr Bytes kSpotBytes = 4096;
constexpr std::int64_t kBytesPerSecondPerMilliByteNs = 1'000'000;

}  // namespace

SelfTest::SelfTest(const DeviceContext& context) : context_(context) {
  MemoryClientSpec client;
  client.name = context.device->path + ".self_test";
  client.read_rate_milli_bytes_per_ns = context.soc->memory.l2.read_bytes_per_s / kBytesPerSecondPerMilliByteNs;
  client.write_rate_milli_bytes_per_ns = context.soc->memory.l2.write_bytes_per_s / kBytesPerSecondPerMilliByteNs;
  client_ = context.memory->register_client(client);
}

// Every byte depends on its address, so that crossed address lines show.
std::vector<std::uint8_t> SelfTest::pattern(std::uint64_t address) const {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(kSpotBytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint64_t at = address + i;
    bytes[i] = static_cast<std::uint8_t>(at ^ at >> 8 ^ at >> 16 ^ at >> 24 ^ at >> 32 ^ 0xa5);
  }
  return bytes;
}

void SelfTest::start(Done done) {
  done_ = std::move(done);
  const Bytes capacity = context_.memory->capacity();
  const Bytes last = capacity - std::min(capacity, kSpotBytes);
  std::vector<Bytes> spots = {0};
  if (last > kSpotBytes) spots = {0, last / 2 / kSpotBytes * kSpotBytes, last};
  open_ = static_cast<int>(spots.size());
  for (Bytes spot : spots) access({static_cast<std::uint64_t>(spot), MemoryAccess::write});
}

void SelfTest::access(const Spot& spot) {
  TransferRequest request;
  request.client = client_;
  request.access = spot.access;
  request.bypass_l2 = true;  // it is memory that is tested
  request.address = spot.address;
  request.row_bytes = request.row_pitch = kSpotBytes;
  requests_[context_.memory->request(request, *this)] = spot;
}

void SelfTest::transfer_resolved(RequestId request, const TransferResult& result) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) throw InternalError("the self-test has not asked for this");
  const Spot spot = found->second;
  requests_.erase(found);
  const MemoryStatus status = result.status;
  context_.timeline->at(std::max(result.visible_time, context_.timeline->now()), [this, spot, status] { accessed(spot, status); });
}

void SelfTest::accessed(const Spot& spot, MemoryStatus status) {
  const std::string place = "memory at " + std::to_string(spot.address);
  if (status != MemoryStatus::ok) return one_done(place + ": access failed");
  std::vector<std::uint8_t> bytes = pattern(spot.address);
  GlobalMemory& memory = context_.memory->bytes();
  if (spot.access == MemoryAccess::write) {
    memory.write(spot.address, bytes.data(), kSpotBytes);
    return access({spot.address, MemoryAccess::read});
  }
  std::vector<std::uint8_t> found(bytes.size());
  memory.read(spot.address, found.data(), kSpotBytes);
  const bool same = found == bytes;
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  memory.write(spot.address, bytes.data(), kSpotBytes);  // leaves memory as it was found
  one_done(same ? "" : place + ": pattern not read back");
}

void SelfTest::start_cores() {
  cores_tested_ = true;
  for (ComputeCore* core : context_.cores) {
    if (!core->idle()) return one_done(core->info().path + ": busy before any work");
  }
  open_ = 1;  // this loop itself
  const KernelNeeds needs = context_.self_test == nullptr ? KernelNeeds{} : needs_of(*context_.self_test);
  for (ComputeCore* core : context_.cores) {
    std::uint32_t block = 0;
    while (block < needs.blocks.size() && !fits(needs.blocks[block], core->info())) ++block;
    if (block == needs.blocks.size()) continue;
    ++open_;
    BlockLaunch launch;
    launch.kernel = context_.self_test;
    launch.block = block;
    core->start(launch, *this);
  }
  one_done("");
}

void SelfTest::block_finished(int group, const BlockResult& result) {
  one_done(result.status == BlockStatus::ok ? "" : context_.cores.at(static_cast<std::size_t>(group))->info().path + ": " + result.error);
}

void SelfTest::one_done(const std::string& failure) {
  // Of several failures the first by name, whichever came first.
  if (!failure.empty() && (failure_.empty() || failure < failure_)) failure_ = failure;
  if (--open_ > 0) return;
  if (!cores_tested_ && failure_.empty()) return start_cores();
  const Done done = std::move(done_);
  if (done) done(failure_);
}

std::string SelfTest::outstanding() const {
  return open_ > 0 ? context_.device->path + ": self-test has " + std::to_string(open_) + " parts open\n" : "";
}

}  // namespace npulab::firmware::device
