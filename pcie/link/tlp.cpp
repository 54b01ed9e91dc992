// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/tlp.h"

#include <algorithm>

#include "model/base/errors.h"
#include "pcie/link/link_rate.h"

namespace npulab::pcie {
namespace {

constexpr Bytes kHeader3 = 12, kHeader4 = 16;  // with a 32-bit and a 64-bit address

Bytes memory_header(std::uint64_t address) { return address >> 32 == 0 ? kHeader3 : kHeader4; }

/// Calls `piece(address, bytes)` for [address, address + bytes) cut at multiples of `step`.
template <typename Piece>
void cut(std::uint64_t address, Bytes bytes, Bytes step, Piece piece) {
  while (bytes > 0) {
    const Bytes room = step - static_cast<Bytes>(address % static_cast<std::uint64_t>(step));
    const Bytes part = std::min(bytes, room);
    piece(address, part);
    address += static_cast<std::uint64_t>(part);
    bytes -= part;
  }
}

}  // namespace

CreditClass class_of(TlpType type) {
  if (type == TlpType::memory_write) return CreditClass::posted;
  return type == TlpType::completion ? CreditClass::completion : CreditClass::nonposted;
}

const char* name_of(TlpType type) {
  static const char* const names[] = {"MWr", "MRd", "CfgRd", "CfgWr", "Cpl"};
  return names[static_cast<int>(type)];
}

void TlpList::add(Bytes header, Bytes payload) {
  if (count_ == kMost) throw InternalError("a burst of more TLPs than fit a page");
  tlps_[static_cast<std::size_t>(count_++)] = {static_cast<std::uint16_t>(header), static_cast<std::uint16_t>(payload)};
}

Bytes TlpList::payload_bytes() const {
  Bytes sum = 0;
  for (int i = 0; i < count_; ++i) sum += (*this)[i].payload;
  return sum;
}

Bytes TlpList::wire_bytes(Bytes framing) const {
  Bytes sum = 0;
  for (int i = 0; i < count_; ++i) sum += (*this)[i].header + (*this)[i].payload + framing;
  return sum;
}

TlpList TlpList::tail(int first) const {
  TlpList out;
  for (int i = first; i < count_; ++i) out.tlps_[static_cast<std::size_t>(out.count_++)] = (*this)[i];
  return out;
}

TlpList TlpList::head(int count) const {
  TlpList out = *this;
  out.count_ = count;
  return out;
}

TlpList write_tlps(std::uint64_t address, Bytes bytes, Bytes max_payload) {
  TlpList tlps;
  cut(address, bytes, max_payload, [&](std::uint64_t, Bytes part) { tlps.add(memory_header(address), part); });
  return tlps;
}

TlpList read_tlps(std::uint64_t address, Bytes bytes, Bytes max_read_request) {
  TlpList tlps;
  cut(address, bytes, max_read_request, [&](std::uint64_t, Bytes) { tlps.add(memory_header(address), 0); });
  return tlps;
}

TlpList completion_tlps(std::uint64_t address, Bytes bytes, Bytes max_read_request, Bytes max_payload, Bytes boundary) {
  TlpList tlps;
  cut(address, bytes, max_read_request, [&](std::uint64_t start, Bytes whole) {
    Bytes part = std::min(whole, max_payload - static_cast<Bytes>(start % static_cast<std::uint64_t>(boundary)));
    for (Bytes left = whole; left > 0; left -= part, part = std::min(left, max_payload)) tlps.add(kHeader3, part);
  });
  return tlps;
}

TlpList config_tlps(bool data) {
  TlpList tlps;
  tlps.add(kHeader3, data ? kConfigBytes : 0);
  return tlps;
}

BurstPtr split(Burst& burst, int count) {
  auto first = std::make_shared<Burst>(burst);
  first->tlps = burst.tlps.head(count);
  first->sent = first->delivered = nullptr;
  first->bytes = first->tlps.payload_bytes();
  if (burst.type == TlpType::memory_read) {
    first->bytes = count * burst.max_read_request - static_cast<Bytes>(burst.address % static_cast<std::uint64_t>(burst.max_read_request));
  }
  if (burst.arrival.rate != nullptr) burst.arrival.base = burst.arrival.of(burst.tlps, count - 1);
  burst.tlps = burst.tlps.tail(count);
  burst.address += static_cast<std::uint64_t>(first->bytes);
  burst.offset += first->bytes;
  burst.bytes -= first->bytes;
  return first;
}

Picoseconds Arrival::of(const TlpList& tlps, int index) const {
  if (rate == nullptr) return base;
  return base + rate->time(tlps.head(index + 1).wire_bytes(rate->framing_bytes()));
}

Picoseconds Arrival::last(const TlpList& tlps) const { return of(tlps, tlps.count() - 1); }

}  // namespace npulab::pcie
