// SPDX-License-Identifier: Apache-2.0
#include "pcie/tree/tree_node.h"

#include <utility>

namespace npulab::pcie {
namespace {

constexpr std::uint32_t kAerUncorrectable = 0x104, kUnsupportedRequest = 0x100000;

BurstPtr completion_for(const Burst& request, bool data) {
  auto completion = std::make_shared<Burst>();
  completion->type = TlpType::completion;
  completion->tlps = config_tlps(data);
  completion->requester = request.requester;
  completion->request = request.request;
  completion->offset = request.offset;
  completion->bytes = request.bytes;
  return completion;
}

}  // namespace

void TreeNode::link_to(TreeNode& child, const LinkSpec& link) {
  down_ = std::make_unique<LinkDirection>(timeline_, link, child.spec_.path + ".link.down", child);
  child.up_ = std::make_unique<LinkDirection>(timeline_, link, child.spec_.path + ".link.up", *this);
}

void TreeNode::config_access(const BurstPtr& burst) {
  const Picoseconds time = burst->arrival.last(burst->tlps);
  LinkDirection::consume(*burst);
  if (time <= timeline_.now()) return do_config_access(*burst);
  timeline_.at(time, [this, burst] { do_config_access(*burst); });
}

void TreeNode::do_config_access(const Burst& burst) {
  address_ = burst.target;
  const bool read = burst.type == TlpType::config_read;
  BurstPtr completion = completion_for(burst, read);
  completion->bytes = read ? kConfigBytes : 0;
  completion->arrival.base = timeline_.now();
  if (read) {
    const std::uint32_t value = config_.read(burst.config_offset);
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < kConfigBytes; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    completion->data = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  } else {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < kConfigBytes; ++i) value |= static_cast<std::uint32_t>((*burst.data)[i]) << (8 * i);
    config_.write(burst.config_offset, value);
    config_written();
  }
  answer(std::move(completion));
}

void TreeNode::refuse(const BurstPtr& burst) {
  LinkDirection::consume(*burst);
  const bool memory = burst->type == TlpType::memory_read || burst->type == TlpType::memory_write;
  if (memory) config_.space().set(kAerUncorrectable, 4, config_.space().get(kAerUncorrectable, 4) | kUnsupportedRequest);
  if (class_of(burst->type) != CreditClass::nonposted) return;
  BurstPtr completion = completion_for(*burst, false);
  completion->status = CompletionStatus::unsupported_request;
  completion->arrival.base = std::max(timeline_.now(), burst->arrival.last(burst->tlps));
  answer(std::move(completion));
}

}  // namespace npulab::pcie
