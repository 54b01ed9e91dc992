// SPDX-License-Identifier: Apache-2.0
#include "memory/shared/settling_engine.h"

#include <algorithm>
#include <tuple>

#include "model/base/errors.h"

namespace npulab::memory {
namespace {

/// True if a row of `transfer` holds `address`.
bool covers(const TransferRequest& transfer, std::uint64_t address) {
  std::uint64_t row = transfer.address;
  for (std::uint32_t i = 0; i < transfer.rows; ++i, row += static_cast<std::uint64_t>(transfer.row_pitch)) {
    if (address >= row && address - row < static_cast<std::uint64_t>(transfer.row_bytes)) return true;
  }
  return false;
}

}  // namespace

SettlingEngine::SettlingEngine(const MemorySpec& spec)
    : spec_(spec), map_(spec.hbm.capacity), clock_(spec.clock_khz), calendar_(spec), tags_(spec), queue_(pool_) {
  uncorrectable_.name = "hbm.uncorrectable";
}

MemoryClientId SettlingEngine::register_client(const MemoryClientSpec& spec) {
  clients_.push_back(spec);
  counts_.push_back({});
  counts_.back().name = spec.name;
  calendar_.add_client(spec.read_rate_milli_bytes_per_ns, spec.write_rate_milli_bytes_per_ns);
  return static_cast<MemoryClientId>(clients_.size() - 1);
}

void SettlingEngine::check(const TransferRequest& transfer) const {
  if (transfer.client >= clients_.size()) throw InternalError("memory: request of a client that was not registered");
  if (transfer.row_bytes < 0 || transfer.rate_cap_milli_bytes_per_ns < 0) {
    throw InternalError("memory: " + clients_[transfer.client].name + " asks for a negative size or rate");
  }
  if (calendar_.port(transfer.client, transfer.access).rate() <= 0) {
    throw InternalError("memory: " + clients_[transfer.client].name + " has no rate in the direction it asks for");
  }
}

RequestId SettlingEngine::request(const TransferRequest& request, TransferClient& client, Picoseconds now) {
  check(request);
  const Handle handle = pool_.take();
  PendingTransfer& transfer = pool_[handle];
  transfer.request = request;
  transfer.client = &client;
  transfer.serial = ++requests_;
  transfer.edge = clock_.after(now);
  transfer.flow = transfer.edge.time;
  transfer.result.wait_edge = transfer.edge.time - now;
  transfer.collected = true;
  const MemoryClientSpec& spec = clients_[request.client];
  transfer.window = request.access == MemoryAccess::read ? spec.outstanding_read_bytes : spec.outstanding_write_bytes;
  transfer.rate = calendar_.rate_of(request.client, request.access, request.rate_cap_milli_bytes_per_ns);
  const bool empty = request.rows == 0 || request.row_bytes == 0;
  if (!empty && !map_.contains(request)) {
    transfer.result.status = MemoryStatus::address_error;
  } else if (!empty) {
    transfer.cursor = RowCursor(request, tags_.cache().line_bytes(), tags_.cache().sector_bytes());
  }
  queue_.collect(handle);
  return TransferPool::id_of(handle);
}

void SettlingEngine::cancel(RequestId request, Picoseconds now) {
  const Handle handle = TransferPool::handle_of(request);
  if (!pool_.alive(handle)) return;
  PendingTransfer& transfer = pool_[handle];
  if (!transfer.resolved && transfer.edge.time <= now) {
    // It is settled at this very instant: that comes first whatever the order of the callers, then it is forgotten.
    transfer.cancelled = true;
    return;
  }
  if (transfer.collected) queue_.remove_collected(handle);
  forget(handle, now);
  queue_.prune();
}

void SettlingEngine::forget(Handle handle, Picoseconds now) {
  const PendingTransfer& transfer = pool_[handle];
  if (!transfer.resolved) calendar_.release(transfer.request.client, transfer.request.access, transfer.runs, now);
  pool_.free(handle);
}

void SettlingEngine::settle(Picoseconds now) {
  if (now != next_edge() || settling_) throw InternalError("memory: settled at a time that is not its next edge");
  settling_ = true;
  edge_ = queue_.front();
  batch_.clear();
  queue_.gather(now, batch_);
  order_batch(edge_.number);
  windows_of_batch_.resize(batch_.size());
  claims_.resize(batch_.size());
  unloaded_.resize(batch_.size());
  for (std::size_t i = 0; i < batch_.size(); ++i) look_up(i, now);
  calendar_.book(claims_.data(), claims_.size(), now);
  for (std::size_t i = 0; i < batch_.size(); ++i) tags_.filled(windows_of_batch_[i], claims_[i].far_finish);
  tags_.bind(windows_of_batch_);
  for (std::size_t i = 0; i < batch_.size(); ++i) close(i);
  settling_ = false;
  for (std::size_t i = 0; i < batch_.size(); ++i) answer(batch_[i], now);
  queue_.prune();
}

bool SettlingEngine::before(const Turn& a, const Turn& b) {
  return std::tie(a.client, a.lane, a.address, a.serial) < std::tie(b.client, b.lane, b.address, b.serial);
}

// The client whose id is the edge's number modulo the number of clients comes first, then the others in the order of ids.
void SettlingEngine::order_batch(Cycles edge) {
  if (batch_.size() < 2) return;
  const auto clients = static_cast<std::uint32_t>(clients_.size());
  const auto first = static_cast<std::uint32_t>(edge % clients);
  turns_.clear();
  for (const Handle& handle : batch_) {
    const PendingTransfer& transfer = pool_[handle];
    const std::uint32_t client = transfer.request.client;
    turns_.push_back({client >= first ? client - first : client + clients - first, transfer.request.lane,
                      transfer.cursor.address(), transfer.serial, handle});
  }
  std::sort(turns_.begin(), turns_.end(), before);
  for (std::size_t i = 0; i < turns_.size(); ++i) batch_[i] = turns_[i].handle;
}

void SettlingEngine::drop_passed(std::vector<BookedRun>& runs, Picoseconds now) const {
  const auto ahead = [this, now](const BookedRun& run) { return (run.bucket + run.count) * spec_.bucket > now; };
  runs.erase(runs.begin(), std::find_if(runs.begin(), runs.end(), ahead));
}

void SettlingEngine::look_up(std::size_t index, Picoseconds now) {
  PendingTransfer& transfer = pool_[batch_[index]];
  transfer.collected = false;
  const Bytes part = std::max<Bytes>(1, transfer.window / OutstandingWindow::kParts);
  const Bytes limit = transfer.window == 0 || !transfer.started ? transfer.window : part;
  Window& window = windows_of_batch_[index];
  window = tags_.look_up(transfer.cursor, transfer.request, limit, index, now);
  Claim& claim = claims_[index];
  claim.client = transfer.request.client;
  claim.access = transfer.request.access;
  claim.rate = transfer.rate;
  claim.start = transfer.flow;
  claim.near = window.near * kMicroBytesPerByte;
  claim.far = window.far * kMicroBytesPerByte;
  claim.hbm = window.hbm * kMicroBytesPerByte;
  if (transfer.started) drop_passed(transfer.runs, now);
  claim.runs = transfer.cursor.done() ? nullptr : &transfer.runs;
  unloaded_[index] = calendar_.unloaded(claim);
}

void SettlingEngine::close(std::size_t index) {
  PendingTransfer& transfer = pool_[batch_[index]];
  const Window& window = windows_of_batch_[index];
  add_waits(transfer, index);
  count(transfer, window);
  transfer.flow = claims_[index].finish;
  transfer.fill_bound = std::max(transfer.fill_bound, window.fill_bound);
  if (transfer.cursor.done()) return resolve(transfer);
  const Picoseconds passed = std::max(transfer.flow, window.fill_bound);
  if (transfer.started) {
    transfer.outstanding.follow(passed);
  } else {
    transfer.outstanding.start(transfer.runs, passed, spec_.bucket);
    transfer.started = true;
  }
  continue_later(batch_[index]);
}

void SettlingEngine::add_waits(PendingTransfer& transfer, std::size_t index) {
  const Claim& claim = claims_[index];
  TransferResult& result = transfer.result;
  const Picoseconds extra = claim.finish - claim.start - unloaded_[index];
  if (extra < 0) throw InternalError("memory: a window was booked faster than its path allows");
  MicroBytes total = 0;
  for (const MicroBytes lost : claim.lost) total += lost;
  Picoseconds port = 0, l2 = 0;
  if (total > 0) {
    port = multiply_divide(extra, claim.lost[static_cast<int>(Limit::port)], total);
    l2 = multiply_divide(extra, claim.lost[static_cast<int>(Limit::l2)], total);
  }
  // The rest, rounding included: HBM if it had a part in it, else whoever had most.
  Picoseconds rest = extra - port - l2;
  if (total > 0 && claim.lost[static_cast<int>(Limit::hbm)] == 0) {
    (port >= l2 ? port : l2) += rest;
    rest = 0;
  }
  result.wait_port += port;
  result.wait_l2 += l2;
  result.wait_hbm += rest;
}

void SettlingEngine::count(PendingTransfer& transfer, const Window& window) {
  ++windows_;
  ClientStatistics& counts = counts_[transfer.request.client];
  const bool read = transfer.request.access == MemoryAccess::read;
  (read ? counts.read_bytes : counts.write_bytes) += window.hit + window.miss;
  counts.hit_bytes += window.hit;
  counts.miss_bytes += window.miss;
  if (transfer.cursor.done()) ++counts.requests;
  transfer.result.hit_bytes += window.hit;
  transfer.result.miss_bytes += window.miss;
}

void SettlingEngine::resolve(PendingTransfer& transfer) {
  TransferResult& result = transfer.result;
  transfer.resolved = true;
  result.data_time = std::max(transfer.flow, transfer.fill_bound);
  result.wait_hbm += result.data_time - transfer.flow;
  result.visible_time = result.data_time;
  if (result.hit_bytes + result.miss_bytes == 0) return;
  if (transfer.request.access == MemoryAccess::write) {
    result.visible_time += spec_.l2.write_latency;
    return;
  }
  result.visible_time += result.miss_bytes > 0 ? spec_.hbm.miss_latency : spec_.l2.hit_latency;
  // A line that somebody else fetches cannot be seen before that fetch has come back.
  if (transfer.fill_bound > 0) {
    result.visible_time = std::max(result.visible_time, transfer.fill_bound + spec_.hbm.miss_latency);
  }
  if (uncorrectable_.armed && covers(transfer.request, uncorrectable_.parameter)) {
    ++uncorrectable_.triggered;
    result.status = MemoryStatus::uncorrectable_error;
  }
}

// The next quarter is settled at the first edge at which the oldest one has passed, and flows behind all the others.
void SettlingEngine::continue_later(Handle handle) {
  PendingTransfer& transfer = pool_[handle];
  const Picoseconds credit = transfer.outstanding.oldest();
  transfer.edge = clock_.after(std::max(credit - 1, edge_.time));
  if (credit > transfer.flow) {  // a line that somebody else fills holds the credit
    transfer.result.wait_hbm += credit - transfer.flow;
    transfer.flow = credit;
  }
  if (transfer.edge.time > transfer.flow) {
    transfer.result.wait_edge += transfer.edge.time - transfer.flow;
    transfer.flow = transfer.edge.time;
  }
  queue_.schedule(handle);
}

Picoseconds SettlingEngine::bound_of(const PendingTransfer& transfer) const {
  const Picoseconds flows = ceil_div(transfer.cursor.remaining() * kMicroBytesPerByte, transfer.rate);
  return std::max(transfer.flow + flows, transfer.fill_bound);
}

void SettlingEngine::answer(Handle handle, Picoseconds now) {
  if (!pool_.alive(handle)) return;  // cancelled from a call of this very round
  PendingTransfer& transfer = pool_[handle];
  TransferClient& client = *transfer.client;
  const RequestId id = TransferPool::id_of(handle);
  if (transfer.cancelled) return forget(handle, now);
  if (!transfer.resolved) return client.transfer_bounded(id, bound_of(transfer));
  const TransferResult result = transfer.result;
  pool_.free(handle);
  client.transfer_resolved(id, result);
}

MemoryStatistics SettlingEngine::statistics() const {
  MemoryStatistics statistics;
  statistics.windows = windows_;
  for (const ClientStatistics& client : counts_) {
    statistics.requests += client.requests;
    statistics.read_bytes += client.read_bytes;
    statistics.write_bytes += client.write_bytes;
    statistics.hit_bytes += client.hit_bytes;
    statistics.miss_bytes += client.miss_bytes;
  }
  tags_.add_to(statistics);
  const BookedTotals& totals = calendar_.totals();
  statistics.l2_read_busy = totals.l2_read / calendar_.l2(MemoryAccess::read).rate();
  statistics.l2_write_busy = totals.l2_write / calendar_.l2(MemoryAccess::write).rate();
  statistics.hbm_busy = totals.hbm / calendar_.hbm().rate();
  statistics.clients = counts_;
  return statistics;
}

}  // namespace npulab::memory
