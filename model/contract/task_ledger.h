// SPDX-License-Identifier: Apache-2.0
// Where the two ends of a task's life write down its instants: the host runtime opens a record, the device fills in its part
// by the descriptor's tag, the runtime closes it. An observer's notebook, not hardware: nothing in the machine reads it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/trace/trace_sink.h"

namespace npulab {

class TaskLedger {
 public:
  explicit TaskLedger(TraceSink* sink = nullptr) : sink_(sink) {}

  /// A fresh tag; tags count up from 1 over all devices of a run.
  std::uint64_t open(TaskRecord record) {
    record.task = next_++;
    open_[record.task] = std::move(record);
    return next_ - 1;
  }
  /// Null for a tag that is not open.
  TaskRecord* find(std::uint64_t task) {
    const auto found = open_.find(task);
    return found == open_.end() ? nullptr : &found->second;
  }
  /// Words for whoever reads the error code, in the device's name.
  void note_error(std::uint64_t task, const std::string& text) { errors_[task] = text; }
  std::string error_of(std::uint64_t task) const {
    const auto found = errors_.find(task);
    return found == errors_.end() ? "" : found->second;
  }
  /// Reports the record to the sink and forgets it.
  void close(std::uint64_t task) {
    const auto found = open_.find(task);
    if (found == open_.end()) return;
    if (sink_ != nullptr) sink_->task(found->second);
    open_.erase(found);
  }
  std::size_t open_tasks() const { return open_.size(); }

 private:
  TraceSink* sink_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, TaskRecord> open_;
  std::map<std::uint64_t, std::string> errors_;
};

}  // namespace npulab
