// SPDX-License-Identifier: Apache-2.0
// Transaction layer packets. The unit that travels is a burst: the TLPs of one request (one DMA piece of at most a 4 KiB page,
// or a single access), sent back to back. Sizes follow the public rules: 3 or 4 double words of header, payload cut at MPS,
// reads at MRRS, completions at the read completion boundary; nothing crosses 4 KiB.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/base/units.h"
#include "model/contract/host_link.h"

namespace npulab::pcie {

class LinkDirection;
class LinkRate;

enum class TlpType : std::uint8_t { memory_write, memory_read, config_read, config_write, completion };
enum class CreditClass : std::uint8_t { posted, nonposted, completion };
inline constexpr int kCreditClassCount = 3;
enum class CompletionStatus : std::uint8_t { ok, unsupported_request };

CreditClass class_of(TlpType type);
const char* name_of(TlpType type);

inline constexpr Bytes kPage = 4096;
inline constexpr Bytes kCreditBytes = 16;     // one data credit
inline constexpr Bytes kConfigBytes = 4;      // payload of a configuration write and of its read's completion

/// The packets of one burst: header and payload bytes of each, in order.
class TlpList {
 public:
  struct Tlp {
    std::uint16_t header = 0;
    std::uint16_t payload = 0;
  };
  static constexpr int kMost = kPage / 128 + 1;  // a page in the smallest payloads, with a ragged first one

  void add(Bytes header, Bytes payload);
  int count() const { return count_; }
  const Tlp& operator[](int index) const { return tlps_[static_cast<std::size_t>(index)]; }
  Bytes payload_bytes() const;
  /// Headers, payloads and `framing` bytes for each TLP.
  Bytes wire_bytes(Bytes framing) const;
  /// The TLPs from `first` on.
  TlpList tail(int first) const;
  /// The first `count` TLPs.
  TlpList head(int count) const;

 private:
  std::array<Tlp, kMost> tlps_{};
  int count_ = 0;
};

/// Memory write of `bytes` at `address`, cut at multiples of `max_payload`.
TlpList write_tlps(std::uint64_t address, Bytes bytes, Bytes max_payload);
/// Memory reads of `bytes` at `address`, cut at multiples of `max_read_request`; one tag each.
TlpList read_tlps(std::uint64_t address, Bytes bytes, Bytes max_read_request);
/// Completions with data for reads cut at `max_read_request`: the first one of a read ends at a boundary, the others are full.
TlpList completion_tlps(std::uint64_t address, Bytes bytes, Bytes max_read_request, Bytes max_payload, Bytes boundary);
/// A configuration request or the answer to one; `data`: it carries a register.
TlpList config_tlps(bool data);

/// When the TLPs of a burst come in: back to back at one rate from one moment.
struct Arrival {
  Picoseconds base = 0;            // the first bit arrives
  const LinkRate* rate = nullptr;  // null: everything is there at `base`
  /// TLP `index` of `tlps` has arrived in full.
  Picoseconds of(const TlpList& tlps, int index) const;
  Picoseconds last(const TlpList& tlps) const;
};

struct Burst {
  TlpType type = TlpType::memory_write;
  TlpList tlps;
  std::uint64_t address = 0;      // memory requests: first byte
  Bytes bytes = 0;                // memory requests and completions: payload of the burst
  PciAddress requester;           // completions travel to it
  std::uint64_t request = 0;      // names the request at its requester; stands for one tag a read TLP
  PciAddress target;              // configuration requests
  std::uint32_t config_offset = 0;  // configuration requests: register
  Bytes offset = 0;               // bytes of the whole request that lie before this burst
  Bytes max_read_request = 0;     // reads: how they were cut
  bool local = false;             // configuration: type 0, for whoever receives it
  CompletionStatus status = CompletionStatus::ok;
  bool payload = true;            // false: bulk data of a timing-only run, no bytes travel
  std::shared_ptr<const std::vector<std::uint8_t>> data;
  Bytes data_start = 0;           // offset of data[0] in the whole request
  std::function<void()> sent;     // the last TLP has left its requester
  std::function<void()> delivered;  // the last TLP has arrived at the end of its way

  Arrival arrival;                // at the receiver it was last handed to
  LinkDirection* held_from = nullptr;  // the link whose receive buffers it occupies
};
using BurstPtr = std::shared_ptr<Burst>;

/// Takes the first `count` TLPs off `burst` as a burst of their own. `sent` and `delivered` stay with the rest.
BurstPtr split(Burst& burst, int count);

class BurstReceiver {
 public:
  virtual ~BurstReceiver() = default;
  /// Called when the first TLP has arrived; burst->arrival tells when the others do.
  virtual void receive(BurstPtr burst) = 0;
};

}  // namespace npulab::pcie
