// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/link_direction.h"

#include <algorithm>
#include <utility>

namespace npulab::pcie {

LinkDirection::LinkDirection(Timeline& timeline, const LinkSpec& link, std::string path, BurstReceiver& far_end)
    : timeline_(timeline),
      rate_(link),
      propagation_(link.propagation),
      path_(std::move(path)),
      far_end_(far_end),
      credits_{{link.posted_header_credits, link.posted_data_credits},
               {link.nonposted_header_credits, link.nonposted_data_credits},
               {link.completion_header_credits, link.completion_data_credits}} {}

void LinkDirection::trace_to(TraceSink* sink) {
  trace_ = sink;
  if (sink != nullptr) track_ = sink->add_track(path_, "link");
}

// TLP i must have arrived when the TLPs before it have left: start + time(before i) >= arrival(i).
Picoseconds LinkDirection::ready_time(const Burst& burst) const {
  if (burst.arrival.rate == nullptr) return burst.arrival.base;
  Picoseconds ready = 0;
  Bytes in = 0, out = 0;
  for (int i = 0; i < burst.tlps.count(); ++i) {
    const Bytes bytes = burst.tlps[i].header + burst.tlps[i].payload;
    in += bytes + burst.arrival.rate->framing_bytes();
    ready = std::max(ready, burst.arrival.base + burst.arrival.rate->time(in) - rate_.time(out));
    out += bytes + rate_.framing_bytes();
  }
  return ready;
}

void LinkDirection::send(BurstPtr burst) {
  const Picoseconds ready = ready_time(*burst);
  if (ready <= timeline_.now()) return enqueue(std::move(burst), timeline_.now());
  timeline_.at(ready, [this, burst, ready] { enqueue(burst, ready); });
}

void LinkDirection::enqueue(BurstPtr burst, Picoseconds ready) {
  const int kind = static_cast<int>(class_of(burst->type));
  queues_[kind].push_back({std::move(burst), ready, next_number_++});
  pump();
}

bool LinkDirection::behind_posted(const Waiting& waiting) const {
  const auto& posted = queues_[static_cast<int>(CreditClass::posted)];
  return !posted.empty() && posted.front().number < waiting.number;
}

LinkDirection::Choice LinkDirection::consider(int kind) {
  Choice choice;
  if (queues_[kind].empty()) return choice;
  const Waiting& head = queues_[kind].front();
  if (kind != static_cast<int>(CreditClass::posted) && behind_posted(head)) return choice;
  Picoseconds times[TlpList::kMost];
  choice.tlps = credits_[kind].cover(head.burst->tlps, timeline_.now(), times);
  if (choice.tlps == 0) return choice;
  choice.kind = kind;
  choice.start = std::max(timeline_.now(), head.ready);
  Bytes before = 0;
  for (int i = 0; i < choice.tlps; ++i) {
    choice.start = std::max(choice.start, times[i] - rate_.time(before));
    before += head.burst->tlps[i].header + head.burst->tlps[i].payload + rate_.framing_bytes();
  }
  return choice;
}

LinkDirection::Choice LinkDirection::choose() {
  Choice best;
  std::uint64_t best_number = 0;
  for (int kind = 0; kind < kCreditClassCount; ++kind) {
    const Choice choice = consider(kind);
    if (choice.kind < 0) continue;
    const std::uint64_t number = queues_[kind].front().number;
    const bool earlier = choice.start < best.start || (choice.start == best.start && number < best_number);
    if (best.kind >= 0 && !earlier) continue;
    best = choice;
    best_number = number;
  }
  return best;
}

void LinkDirection::pump() {
  blocked_ = false;
  while (!queues_[0].empty() || !queues_[1].empty() || !queues_[2].empty()) {
    if (wire_free_ > timeline_.now()) return pump_at(wire_free_);
    const Choice choice = choose();
    blocked_ = choice.kind < 0;
    if (blocked_) return;
    if (choice.start > timeline_.now()) {
      blocked_ = true;  // an earlier return may still be announced
      return pump_at(choice.start);
    }
    transmit(choice);
  }
}

void LinkDirection::pump_at(Picoseconds time) {
  if (pump_time_ <= time) return;
  pump_time_ = time;
  timeline_.at(time, [this, time] {
    if (pump_time_ != time) return;  // an earlier one has taken its place
    pump_time_ = kNever;
    pump();
  });
}

void LinkDirection::transmit(const Choice& choice) {
  Waiting& head = queues_[choice.kind].front();
  credits_[choice.kind].consume(head.burst->tlps, choice.tlps);
  BurstPtr burst = head.burst;
  if (choice.tlps == burst->tlps.count()) {
    queues_[choice.kind].pop_front();
    return launch(burst, choice.start);
  }
  BurstPtr first = split(*burst, choice.tlps);
  head.ready = ready_time(*burst);
  launch(first, choice.start);
}

void LinkDirection::free_buffers(const Burst& burst, Picoseconds start) {
  if (burst.held_from == nullptr) return;
  Bytes sent = 0;
  for (int i = 0; i < burst.tlps.count(); ++i) {
    sent += burst.tlps[i].header + burst.tlps[i].payload + rate_.framing_bytes();
    burst.held_from->release(burst, i, start + rate_.time(sent));
  }
}

void LinkDirection::launch(const BurstPtr& burst, Picoseconds start) {
  const Bytes wire = burst->tlps.wire_bytes(rate_.framing_bytes());
  const Picoseconds end = start + rate_.time(wire);
  LinkDirection* const from = burst->held_from;
  free_buffers(*burst, start);
  totals_.tlps += burst->tlps.count();
  totals_.wire_bytes += wire;
  totals_.payload_bytes += burst->tlps.payload_bytes();
  totals_.busy += end - start;
  wire_free_ = end;
  if (trace_ != nullptr) trace_->span({track_, start, end, name_of(burst->type), 0, burst->tlps.payload_bytes()});
  if (burst->sent) {
    timeline_.at(end, std::move(burst->sent));
    burst->sent = nullptr;
  }
  burst->held_from = this;
  burst->arrival = {start + propagation_, &rate_};
  timeline_.at(burst->arrival.of(burst->tlps, 0), [this, burst] { far_end_.receive(burst); });
  if (from != nullptr) from->released();
}

void LinkDirection::release(const Burst& burst, int index, Picoseconds free_time) {
  credits_[static_cast<int>(class_of(burst.type))].give_back(free_time + propagation_, burst.tlps[index].payload);
}

void LinkDirection::consume(const Burst& burst) {
  if (burst.held_from == nullptr) return;
  for (int i = 0; i < burst.tlps.count(); ++i) burst.held_from->release(burst, i, burst.arrival.of(burst.tlps, i));
  burst.held_from->released();
}

std::string LinkDirection::outstanding() const {
  std::string text;
  for (const auto& queue : queues_) {
    for (const Waiting& waiting : queue) {
      text += path_ + ": " + name_of(waiting.burst->type) + " of " + std::to_string(waiting.burst->bytes) + " bytes waits" +
              (blocked_ ? " for credits\n" : "\n");
    }
  }
  return text;
}

}  // namespace npulab::pcie
